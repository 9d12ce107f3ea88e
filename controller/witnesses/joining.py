"""Several witnesses of one card: cameras over one layout, and shoe and camera.

Neither overrules the other: a contradiction holds the table, which shows both readings.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import dist
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.domain import Card
from controller.policy import Doubt
from controller.policy.holds import CAMERAS_DIFFER, NOT_ARRIVED, NOT_DEALT, READ_DIFFERENTLY
from controller.witnesses.felt_view import (
    DEALER_BOX,
    FeltCard,
    FeltFinding,
    FeltReading,
    LyingCard,
    OtherRead,
    WatchedTime,
    apart_mm,
    may_be_one,
)

_SAME_CARD: Final = 0.2
"""Card lengths: cards that two cameras see no further apart are one. Not measured on a real table: a layout
may be 5 mm off at a box, and the cards of a hand lie 18 mm apart and more."""

_BY_INDEX: Final = 0.6
"""Card lengths between a card's middle and its index, at most: so near, what one camera has corners of and
another has not may be one card. Not measured."""

_KEPT_TOGETHER: Final = 1.0
"""Card lengths: what was one card before is one while it is moved, though one picture is older.

Not measured.
"""

Track = tuple[str, int]
"""A camera's name, and its number for a card."""


class SeenCard(NamedTuple):
    """A card as one camera knows it."""

    camera: str
    card: FeltCard

    @property
    def track(self) -> Track:
        """The key of the card among all cameras' tracks."""
        return self.camera, self.card.track


Group = tuple[SeenCard, ...]
"""One physical card, once for each camera that sees it, in the order of the cameras."""


class CardGroups:
    """Groups the cards of several cameras; remembers the groups of the last view."""

    def __init__(self) -> None:
        """Begin before the first view."""
        self._together: set[frozenset[Track]] = set()

    def of(self, seen: Sequence[Sequence[SeenCard]], card_mm: float) -> list[Group]:
        """Return the physical cards in the cameras' views; `card_mm` is a card's long side."""
        groups: list[Group] = []
        for cards in seen:
            groups = self._joined(groups, list(cards), card_mm)
        self._together = {
            frozenset((one.track, other.track)) for group in groups for one, other in combinations(group, 2)
        }
        return groups

    def _joined(self, groups: list[Group], cards: list[SeenCard], card_mm: float) -> list[Group]:
        """Add one camera's cards to the groups: equal readings first, then the nearest."""
        pairs = [
            (grade, apart, group[0].track, card.track)
            for group in groups
            for apart, card in _near(group, cards, _KEPT_TOGETHER * card_mm)
            if (grade := self._grade(group, card, apart / card_mm)) is not None
        ]
        joined: dict[Track, Track] = {}
        for _, _, known, track in sorted(pairs):
            if known not in joined and track not in joined.values():
                joined[known] = track
        by_track = {card.track: card for card in cards}
        found = [
            by_track.pop(joined[group[0].track], None) if group[0].track in joined else None
            for group in groups
        ]
        whole = [group if card is None else (*group, card) for group, card in zip(groups, found, strict=True)]
        return [*whole, *((card,) for card in by_track.values())]

    def _grade(self, group: Group, card: SeenCard, lengths: float) -> int | None:
        """Return the evidence for a card in a group at this distance: 0 strongest, None for none.

        A card without corners has only the place of its index: it may belong to the same box.
        """
        placed = card.card.turn_deg is not None and any(one.card.turn_deg is not None for one in group)
        near = lengths < _SAME_CARD
        if not placed:
            near = lengths < _BY_INDEX and any(one.card.box == card.card.box for one in group)
        if near and _is_read_alike(group, card):
            return 0 if placed else 1
        if near and placed:
            return 2
        if any(frozenset((one.track, card.track)) in self._together for one in group):
            return 3
        return 4 if near else None


def _near(group: Group, cards: list[SeenCard], within_mm: float) -> Iterator[tuple[float, SeenCard]]:
    """Yield the cards near a group with their distance, by the centre of a card with corners if any."""
    with_corners = [one.card.at_mm for one in group if one.card.turn_deg is not None]
    places = with_corners or [one.card.at_mm for one in group]
    for card in cards:
        apart = min(dist(place, card.card.at_mm) for place in places)
        if apart < within_mm:
            yield apart, card


def _is_read_alike(group: Group, card: SeenCard) -> bool:
    """Whether a camera of the group is certain of the same card."""
    seen = card.card
    known = seen.certain and seen.card is not None
    return known and any(one.card.certain and may_be_one(one.card.card, seen.card) for one in group)


_AGREE_MS: Final = 500
"""A card that its own camera has read waits so long for another of its box that has not yet, and a difference
counts once it has lasted so long. Not measured: a reader needs 0.3 s for a card that it can read."""

ALONE_MS: Final = 3000
"""What lies so long before another camera alone is reported, as a card that the box's own one has not read.

As long as a card may lie there unread (`arrivals.UNREAD_MS`).
"""

_NEARBY: Final = 0.6
"""Card lengths: so near to another camera's card, something that the box's own one knows may be that card.

An index lies half a card's length from the middle. Not measured.
"""


class Patience:
    """Since when something has been so, by the card that it is so of."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._since: dict[Track, int] = {}
        self._now: dict[Track, int] = {}

    def lasts_ms(self, track: Track, now_ms: int, watched: WatchedTime) -> int:
        """Return how long this has been true of the card; it is true now."""
        since = self._now[track] = self._since.get(track, now_ms)
        return watched.since(since)

    def turn(self) -> None:
        """A view is done: where it was not said to be so, it has ended."""
        self._since, self._now = self._now, {}


class JoinedFelt:
    """Joins the views of the cameras over one layout, picture by picture."""

    def __init__(self, cameras: Sequence[str], boxes: Mapping[int, Sequence[str]]) -> None:
        """Begin; `boxes` lists the cameras that see a box (0: the dealer), its owner first."""
        self._cameras: Final = tuple(cameras)
        self._boxes: Final = {box: tuple(names) for box, names in boxes.items()}
        self._views: dict[str, FeltReading] = {}
        self._now_ms = 0
        self._watched = WatchedTime()
        self._groups = CardGroups()
        self._numbers: dict[Track, int] = {}
        self._count = 0
        self._read, self._apart, self._alone = Patience(), Patience(), Patience()

    def see(self, camera: str, view: FeltReading) -> FeltReading | None:
        """Take one camera's next view; return the joined view, None until each camera has one."""
        if len(self._cameras) == 1:
            return view
        self._views[camera] = view
        self._now_ms = max(self._now_ms, view.t_ms)
        return self._joined() if len(self._views) == len(self._cameras) else None

    def _joined(self) -> FeltReading:
        """Return the layout by the last views of all cameras."""
        views = [(name, self._views[name]) for name in self._cameras]
        whole_ms, card_mm = min(view.t_ms for _, view in views), max(view.card_mm for _, view in views)
        self._watched.look(whole_ms)
        groups = self._groups.of([_seen(name, view.cards) for name, view in views], card_mm)
        spots = [one for name, view in views for one in _seen(name, view.unread)]
        unread = [one.card for one in spots if self._owner(one) == one.camera]
        shown: dict[Track, FeltCard] = {}
        for group in groups:
            first = self._first(group)
            if first is not None:
                shown[first.track] = self._beside_others(group, first)
            elif (alone := self._seen_alone(group, groups, unread, card_mm)) is not None:
                shown[group[0].track] = alone
        for patience in (self._read, self._apart, self._alone):
            patience.turn()
        cards = self._numbered(groups, shown)
        let_go = tuple(place for _, view in views for place in view.let_go)
        return FeltReading(self._now_ms, cards, tuple(unread), card_mm, let_go, whole_ms)

    def _first(self, group: Group) -> SeenCard | None:
        """Return the deciding view of a card; None when the owner of its box does not see it."""
        own = [one for one in group if self._owner(one) == one.camera]
        if own:
            return next((one for one in own if one.track in self._numbers), own[0])
        owners = {self._owner(one) for one in group} - {""}
        of_owner = [one for one in group if one.camera in owners]
        if owners and not of_owner:
            return None
        # In no camera's area, or at a border where each assigns it to the other box: keep the earlier report.
        known = (one for one in group if one.track in self._numbers)
        return next(known, (of_owner or list(group))[0])

    def _owner(self, seen: SeenCard) -> str:
        """Return the camera that owns the card's box, "" for a card outside the boxes."""
        return "" if seen.card.box is None else self._boxes.get(seen.card.box, ("",))[0]

    def _beside_others(self, group: Group, first: SeenCard) -> FeltCard:
        """Return a card by its own camera, with the other cameras' readings."""
        card = first.card
        boxes = {one.card.box for one in group} - {None}
        clear = card.box_clear and len(boxes) < 2
        card = card._replace(camera=first.camera, box_clear=clear)
        if card.card is None or not card.certain:
            return card
        read_ms = self._read.lasts_ms(first.track, self._now_ms, self._watched)
        # A card that one camera sees face down is never named: it may be lifted for a peek.
        others = [one for one in group if one is not first and one.card.face == "up" and not one.card.perhaps]
        apart = [one for one in others if one.card.certain and not may_be_one(one.card.card, card.card)]
        in_sight = next((one for one in apart if one.card.in_sight), None)
        if in_sight is not None:
            if self._apart.lasts_ms(first.track, self._now_ms, self._watched) >= _AGREE_MS:
                return card._replace(other=OtherRead(in_sight.camera, in_sight.card.card))
            return card._replace(awaited=True)
        reading = any(not one.card.certain and one.card.in_sight for one in others)
        awaited = reading or not self._seers(card) <= {one.camera for one in group}
        return card._replace(awaited=read_ms < (ALONE_MS if apart else _AGREE_MS * awaited))

    def _seers(self, card: FeltCard) -> set[str]:
        """The cameras that see the box of a card."""
        return set() if card.box is None else set(self._boxes.get(card.box, ()))

    def _seen_alone(
        self, group: Group, groups: list[Group], unread: list[FeltCard], card_mm: float
    ) -> FeltCard | None:
        """A card that the owner of its box does not see at all, once another camera has read it for long."""
        (camera, card), owner = group[0], self._owner(group[0])
        sure = card.certain and card.in_sight and not card.perhaps and card.turn_deg is not None
        if not owner or card.card is None or not sure or self._may_be_hole(card):
            return None
        of_owner = [one.card for other in groups for one in other if one.camera == owner and len(other) == 1]
        if any(apart_mm(one, card) < _NEARBY * card_mm for one in (*of_owner, *unread)):
            return None
        if self._alone.lasts_ms(group[0].track, self._now_ms, self._watched) < ALONE_MS:
            return None
        return card._replace(camera=camera, other=OtherRead(owner, None))

    def _may_be_hole(self, card: FeltCard) -> bool:
        """Whether a card at the dealer may be the face-down one, lifted for a peek."""
        downs = (one for view in self._views.values() for one in view.cards if one.face == "down")
        return card.box == DEALER_BOX and any(one.box == DEALER_BOX for one in downs)

    def _numbered(self, groups: list[Group], shown: dict[Track, FeltCard]) -> tuple[FeltCard, ...]:
        """The cards under numbers that stay with them, whichever camera tells of them."""
        numbers: dict[Track, int] = {}
        for by_itself in (True, False):
            for group in groups:
                first = next((one for one in group if one.track in shown), None)
                if first is None or first.track in numbers:
                    continue
                before = (first,) if by_itself else group
                known = (self._numbers[one.track] for one in before if one.track in self._numbers)
                number = next((one for one in known if one not in numbers.values()), 0)
                if not number and not by_itself:
                    number = self._count = self._count + 1
                if number:
                    numbers[first.track] = number
        self._numbers = numbers
        return tuple(card._replace(track=numbers[track]) for track, card in shown.items())


def _seen(camera: str, cards: Sequence[FeltCard]) -> list[SeenCard]:
    return [SeenCard(camera, card) for card in cards]


def cameras_differ(seen: FeltCard, other: OtherRead, entered: str, *, secret: bool) -> Doubt:
    """The hold over a card that two cameras read differently; `entered` is its id at the table.

    `secret`: it may be the card that came face down, and is named nowhere.
    """
    box = seen.box or 0
    first = ("camera", seen.camera), ("seen", "?" if secret else str(seen.card))
    read = "-" if other.card is None else str(other.card)
    second = ("beside", other.camera), ("reads", "?" if secret else read)
    return Doubt(CAMERAS_DIFFER, (("box", box), *first, *second), box, entered)


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
