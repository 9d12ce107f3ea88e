"""Shoe and camera as witnesses of one card: rank and order from the shoe, rank and place from the camera.

One physical card is one card of the round, whichever witness saw it first. Neither overrules the other: a
contradiction holds the table, which shows both readings.
"""

from collections import deque
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.domain import Card
from controller.policy import Doubt
from controller.policy.holds import NOT_ARRIVED, NOT_DEALT, READ_DIFFERENTLY
from controller.witnesses.felt_finding import FeltFinding
from controller.witnesses.felt_view import FeltCard, WatchedTime, may_be_one
from controller.witnesses.lying_card import LyingCard

ARRIVES_MS: Final = 2000
"""A card that left the shoe lies on the felt within this time, and one on the felt has left it, where the
house says nothing else."""

_TRAVELS: Final = 12
"""So many cards tell how long one travels: a dealer who is relieved is forgotten within a round or two.

Not measured.
"""

SLOWER: Final = 1.5
"""A card may take so much longer than the slowest of these before somebody is asked. Not measured."""

LONGEST: Final = 3
"""What is learnt is never longer than so many times what the house says."""

ALIKE_AHEAD: Final = 3
"""So many cards after two that differ tell whether one of them is missing or one was read wrongly."""


class ShoeCard(NamedTuple):
    """A card that has left the shoe, when, and as which line of the feed, or as which card of a live shoe."""

    card: CardSeen
    t_ms: int
    line: int = 0


class WaitingCards(NamedTuple):
    """The cards that had left the shoe and were not laid yet, and the one that was asked about.

    `unread` are those that the shoe read and the camera could not, by the name of the card on the layout.
    `travels` are the latest cards' times to the layout in milliseconds.
    """

    left: tuple[ShoeCard, ...]
    asked: ShoeCard | None
    unread: tuple[tuple[str, CardSeen], ...]
    travels: tuple[int, ...] = ()


class ShoeJoining:
    """Joins the shoe's reports with the cards on the layout, card by card."""

    def __init__(self, arrives_ms: int = ARRIVES_MS) -> None:
        """Begin before the first card, of which each lies on the felt within `arrives_ms`.

        Where the dealer's cards take longer, that is learnt: `SLOWER`, up to `LONGEST`.
        """
        self._arrives_ms = arrives_ms
        self._travels: deque[int] = deque(maxlen=_TRAVELS)
        self._left: deque[ShoeCard] = deque()
        self._asked: ShoeCard | None = None
        self._unread: dict[str, CardSeen] = {}

    def left_shoe(self, card: ShoeCard) -> None:
        """Take a card that the shoe has reported."""
        self._left.append(card)

    def give_up(self) -> tuple[CardSeen, ...]:
        """Stop waiting for cards on the layout; return the awaited ones in their order."""
        left = tuple(one.card for one in self._left)
        self._left.clear()
        self._asked = None
        return left

    def mark(self) -> WaitingCards:
        """Return the awaited cards, for `rewind`."""
        unread, travels = tuple(self._unread.items()), tuple(self._travels)
        return WaitingCards(tuple(self._left), self._asked, unread, travels)

    def rewind(self, waiting: WaitingCards) -> None:
        """Restore the awaited cards: later reports of the shoe will be repeated."""
        self._left, self._asked = deque(waiting.left), waiting.asked
        self._unread = dict(waiting.unread)
        self._travels = deque(waiting.travels, _TRAVELS)

    def is_behind(self, t_ms: int) -> bool:
        """Whether a card that had left the shoe at this time is still unmatched."""
        return any(one.t_ms <= t_ms for one in self._left)

    def confirms(self, card: LyingCard) -> bool:
        """Whether the shoe's reading of an initially unread card equals the camera's present one."""
        found = self._unread.get(card.known_as)
        return found is not None and _agree(found, card)

    def waits_for(self, card: LyingCard, watched: WatchedTime) -> bool:
        """Whether this may be the card whose missing arrival was asked about.

        It is when the camera reads it alike; with another reading, or none, only after its time.
        """
        head = self._left[0] if self._left else None
        if head is None or head is not self._asked:
            return False
        rested = card.since_ms >= head.t_ms and watched.since(card.since_ms) >= self._arrives_ms
        return rested or (card.ready and _agree(head.card, card))

    def lay_in_passing(self, passed: list[LyingCard], watched: WatchedTime) -> LyingCard | None:
        """The card that is overdue, where it was read at a place to which none could come, and left it."""
        head = self._left[0] if self._left else None
        if head is None or not self._is_overdue(head, watched):
            return None
        read = (one for one in passed if one.ready and one.seen.card and one.since_ms >= head.t_ms)
        return next((one for one in read if _agree(head.card, one)), None)

    def answered(self) -> None:
        """A person has looked: the card that never arrived is none of this round."""
        if self._asked is not None and self._left and self._left[0] is self._asked:
            self._left.popleft()
        self._asked = None

    def join(
        self, shown: FeltFinding, behind: list[LyingCard], watched: WatchedTime, *, secret: bool = False
    ) -> FeltFinding | None:
        """Return a card on the layout joined with the shoe's report; None while either may still come.

        `behind` are the other unreported ones, the earliest first. `secret`: the next card of the shoe may be
        the face-down one, and is not named.
        """
        card, seen = shown.card, shown.observation
        if card is None or not isinstance(seen, CardSeen):
            return shown
        if not self._left:
            late = watched.since(card.since_ms) >= self._arrives_ms
            return shown._replace(doubt=_not_dealt(card.seen, seen)) if late else None
        head = self._left[0]
        if _agree(head.card, card):
            self._left.popleft()
            self._asked = None
            self._travels.append(watched.since(head.t_ms) - watched.since(card.since_ms))
            if not card.ready:
                # Only one witness read it: the table asks, as for an unread card.
                self._unread[seen.id or ""] = head.card
                return shown
            return shown._replace(observation=_joined(head.card, seen))
        if watched.since(max(head.t_ms, card.since_ms)) < self._arrives_ms:
            return None
        return self._differs(shown, card, seen, behind, secret=secret)

    def overdue(
        self, watched: WatchedTime, unreported: list[LyingCard], *, secret: bool = False
    ) -> Doubt | None:
        """The card that left the shoe and lies nowhere after its time; given once. `secret` as in `join`."""
        if not self._left or self._asked is not None or unreported:
            return None
        head = self._left[0]
        return self._ask(head, secret=secret) if self._is_overdue(head, watched) else None

    def _is_overdue(self, head: ShoeCard, watched: WatchedTime) -> bool:
        """Whether a card has taken longer than this dealer's do, as far as the house allows."""
        learnt_ms = SLOWER * max(self._travels, default=0)
        may_take_ms = min(max(learnt_ms, self._arrives_ms), LONGEST * self._arrives_ms)
        return watched.since(head.t_ms) >= may_take_ms

    def _ask(self, head: ShoeCard, *, secret: bool) -> Doubt:
        self._asked = head
        return Doubt(NOT_ARRIVED, (("shoe", _name(head.card, secret=secret)), ("line", head.line)))

    def _differs(
        self, shown: FeltFinding, card: LyingCard, seen: CardSeen, behind: list[LyingCard], *, secret: bool
    ) -> FeltFinding | None:
        """Two that differ: the shoe's card is missing, the felt's is one too many, or one was misread."""
        shoe = [one.card for one in self._left]
        felt = [card, *behind]
        misread = _alike(shoe[1:], felt[1:])
        missing, extra = _alike(shoe[1:], felt), _alike(shoe, felt[1:])
        head = self._left[0]
        if missing > max(misread, extra):
            return FeltFinding(None, doubt=self._ask(head, secret=secret)) if self._asked is None else None
        self._asked = None
        if extra > misread:
            return shown._replace(doubt=_not_dealt(card.seen, seen))
        self._left.popleft()
        known = (
            ("shoe", _name(head.card, secret=secret)),
            ("camera", str(card.seen.card)),
            ("line", head.line),
        )
        unread = seen._replace(rank=None, suit=None)
        return shown._replace(
            observation=unread, doubt=Doubt(READ_DIFFERENTLY, known, card.seen.box or 0, seen.id or "")
        )


def _alike(shoe: list[CardSeen], felt: list[LyingCard]) -> int:
    """Return how many of the next cards of both agree, in order."""
    return sum(_agree(one, other) for one, other in zip(shoe[:ALIKE_AHEAD], felt, strict=False))


def _agree(shoe: CardSeen, card: LyingCard) -> bool:
    """Whether both can be one card; a face-down or unread card matches any."""
    seen = card.seen.card
    if seen is None or not card.ready or shoe.rank is None:
        return True
    return may_be_one(seen, Card(shoe.rank, shoe.suit))


def _joined(shoe: CardSeen, seen: CardSeen) -> CardSeen:
    """Return one card: rank from the shoe, place from the camera, suit from either."""
    rank = shoe.rank or seen.rank
    return seen._replace(rank=rank, suit=shoe.suit or seen.suit, by=shoe.by or "shoe", p=shoe.p or seen.p)


def _not_dealt(lying: FeltCard, entered: CardSeen) -> Doubt:
    box = lying.box or 0
    return Doubt(NOT_DEALT, (("camera", str(lying.card or "?")), ("box", box)), box, entered.id or "")


def _name(card: CardSeen, *, secret: bool) -> str:
    """Rank and suit as far as known and not secret."""
    return "?" if secret else f"{card.rank or '?'}{card.suit or ''}"
