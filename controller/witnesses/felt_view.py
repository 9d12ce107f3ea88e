"""A camera's view of the layout after a picture, and its cards over time. Places are millimetres."""

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, End, Reveal
from controller.acts.round import Face
from controller.domain import Card
from controller.policy import Doubt

PlaceMm = tuple[float, float]

DEALER_BOX: Final = 0
"""Stands for the dealer where a box number is asked for."""

LOOK_MS: Final = 250
"""From one picture to the next so much counts as watched at most.

Source: a card of which one corner shows is certain after three pictures alike and five reads, and nothing is
read while a hand moves beside it: twelve pictures in the 3 s of `arrivals.UNREAD_MS`.
"""

_PAUSES: Final = 128
"""So many pauses between pictures are remembered. Source: each counts `LOOK_MS`, so that the oldest is 32 s
back, and no limit is longer than the 30 s of `shoe_joining.LONGEST` times the longest `arrives_ms`."""


class OtherRead(NamedTuple):
    """Another camera's contradicting reading at a card's place; None: it sees nothing there."""

    camera: str
    card: Card | None


class FeltCard(NamedTuple):
    """One physical card, or an unread object of a card's size.

    `track` is its permanent number. `card` is None while its rank is uncertain, and while it is face down.
    `turn_deg` is the direction of its long side (0 to 180), None without known corners. `box` 0 is the
    dealer, None is no box. `certain`: its name is certain, or that it is face down. `in_sight`: it is visible
    now. `perhaps`: it may be another known card. `box_clear`: it lies in that box and can lie in no other.
    `on_known`: an unread object within the outline of a certain card. `held`: at its place it was never seen
    free of hands.
    """

    track: int
    card: Card | None
    face: Face
    at_mm: PlaceMm
    turn_deg: float | None
    box: int | None
    p: float = 1.0
    certain: bool = True
    in_sight: bool = True
    perhaps: bool = False
    box_clear: bool = True
    on_known: bool = False
    camera: str = ""
    other: OtherRead | None = None
    awaited: bool = False
    held: bool = False


class FeltReading(NamedTuple):
    """Everything that lies there at `t_ms`, which never goes back; `card_mm` is a card's long side.

    Things that could not be read and have no track of their own are `unread`. `let_go` are the places of what
    is taken for something no longer, though nothing has moved over it: nothing lay there. `whole_ms` is up to
    when each of several cameras has looked, None where there is only one.
    """

    t_ms: int
    cards: tuple[FeltCard, ...]
    unread: tuple[FeltCard, ...] = ()
    card_mm: float = 88.0
    let_go: tuple[PlaceMm, ...] = ()
    whole_ms: int | None = None


class WatchedTime:
    """The time for which the felt was watched: limits before a question count this time.

    A busy machine or a slow camera sees nothing between two pictures: `LOOK_MS` of that time count. A camera
    without pictures is reported by its driver, as stale.
    """

    def __init__(self) -> None:
        """Begin before the first picture."""
        self._last_ms: int | None = None
        self._pauses: deque[tuple[int, int]] = deque(maxlen=_PAUSES)

    def look(self, now_ms: int) -> None:
        """Take the moment of the next picture."""
        if self._last_ms is not None and now_ms - self._last_ms > LOOK_MS:
            self._pauses.append((self._last_ms, now_ms))
        self._last_ms = now_ms

    def since(self, t_ms: int) -> int:
        """Milliseconds for which the felt was watched from this moment to the last picture."""
        paused = (end - max(begin, t_ms) - LOOK_MS for begin, end in self._pauses)
        return max(0, (self._last_ms or 0) - t_ms - sum(ms for ms in paused if ms > 0))

    def copy(self) -> "WatchedTime":
        """The same time, apart from what this one sees next."""
        other = WatchedTime()
        other._last_ms, other._pauses = self._last_ms, self._pauses.copy()
        return other


def may_be_one(one: Card | None, other: Card | None) -> bool:
    """Whether two known cards may be the same; an unknown suit matches any."""
    if one is None or other is None:
        return one is other
    return one.rank == other.rank and (one.suit == other.suit or None in {one.suit, other.suit})


def apart_mm(one: FeltCard, other: FeltCard) -> float:
    """Between the places of two cards."""
    return math.dist(one.at_mm, other.at_mm)


def turned_by_deg(one: FeltCard, other: FeltCard) -> float | None:
    """Return the angle between two cards, 0 to 90; None when a direction is unknown."""
    if one.turn_deg is None or other.turn_deg is None:
        return None
    apart = abs(one.turn_deg - other.turn_deg) % 180
    return min(apart, 180 - apart)


STILL: Final = 0.1
"""Card lengths: what lies no further from where it lay rests there.

As far as the outline of a card that rests is estimated differently from picture to picture.
"""

MIDDLE: Final = 0.3
"""Card lengths: so near to the middle of the places where it was unread lies its own middle.

Source: in a drawn round (it 13) the card was 0.15 away, and the next one that was laid on it 0.42: places of
what it covers lie on the other side.
"""


@dataclass(slots=True)
class LyingCard:
    """A card on the layout. `known_as` is the table's id for it, "" before.

    `gone_ms` is the time at which it was gone. `beside_mm` contains the distances of its box's other cards
    when it came, by their tracks. `asked`: two cameras have read it differently, and the table was told.
    `laid_ms` is the time since which it lies there free of hands, None while a hand holds it. `asked_box` is
    the box of a question about its place, -1 without one. `views` counts the pictures since it came. `places`
    are its unclear places at its arrival, while it is unread. `asked_hand`: the table was asked whether it
    lies there; `dismissed`: it does not. `asked_gone`: the table was asked for its place. `by_answer`: the
    table got it unread, so a person has entered its name.
    """

    seen: FeltCard
    since_ms: int
    known_as: str = ""
    gone_ms: int | None = None
    beside_mm: dict[int, float] = field(default_factory=dict)
    asked: bool = False
    laid_ms: int | None = None
    asked_box: int = -1
    places: list[FeltCard] = field(default_factory=list)
    asked_hand: bool = False
    dismissed: bool = False
    asked_gone: bool = False
    by_answer: bool = False

    def seen_as(self, seen: FeltCard, now_ms: int, card_mm: float) -> None:
        """Take the camera's present view of it: after a move it counts as held until no hand is on it.

        When its outline is no longer seen, its last place stays one of its places.
        """
        if seen.box != self.seen.box or apart_mm(seen, self.seen) > STILL * card_mm:
            if self.laid_ms is None and not self.known_as:
                self.since_ms = now_ms
            self.laid_ms, self.asked_hand, self.dismissed = None, False, False
        if self.laid_ms is None and seen.in_sight and not seen.held:
            self.laid_ms = now_ms
        if seen.turn_deg is None and self.seen.turn_deg is not None:
            self.remember(self.seen, card_mm)
        self.seen = seen
        if not self.unread:
            self.places = []

    @property
    def unread(self) -> bool:
        """Whether it is open and unread."""
        return self.seen.card is None and self.seen.face == "up"

    def is_where(self, card: FeltCard, share: float, card_mm: float) -> bool:
        """Whether a followed card lies where this one was unread, at one place or between several."""
        if len(self.places) < 2 or card.track <= 0:
            return self.is_near(card, share, card_mm)
        across, along = zip(*(place.at_mm for place in self.places), strict=True)
        middle = (min(across) + max(across)) / 2, (min(along) + max(along)) / 2
        return card.box == self.seen.box and math.dist(middle, card.at_mm) < MIDDLE * card_mm

    def remember(self, spot: FeltCard, card_mm: float) -> None:
        """Note a new place at which it is unread."""
        if all(apart_mm(spot, one) >= STILL * card_mm for one in self.places):
            self.places.append(spot)

    @property
    def ready(self) -> bool:
        """Whether its name is certain, or that it is face down, and no other camera contradicts."""
        seen = self.seen
        alone = seen.other is None and not seen.awaited
        return seen.certain and not seen.perhaps and seen.box is not None and alone

    def is_near(self, other: FeltCard, share: float, card_mm: float) -> bool:
        """Whether an object lies within `share` card lengths of it or of its places, in the same box."""
        return any(
            one.box == other.box and apart_mm(one, other) < share * card_mm
            for one in (self.seen, *self.places)
        )


def copies(cards: Iterable[LyingCard]) -> tuple[LyingCard, ...]:
    """Return independent copies of the cards."""
    return tuple([replace(one, beside_mm=dict(one.beside_mm), places=list(one.places)) for one in cards])


Shown = CardSeen | Decision | Reveal | End | Correct
"""What cameras can tell of the felt; a new one needs an alert for its refusal."""


class FeltFinding(NamedTuple):
    """A finding on the layout; `card` is the card behind it, if it is one.

    `unclear`: it has another possible meaning, and is asked. `doubt`: witnesses contradict each other about
    it; without an observation it concerns a card that does not lie there.
    """

    observation: Shown | None
    card: LyingCard | None = None
    unclear: bool = False
    doubt: Doubt | None = None


SAME_PLACE: Final = 0.35
"""Card lengths: something unread so near to where something unread lay is the same thing.

Half a card's width. Not measured.
"""

_ONE_CARD_MS: Final = 1000
"""What turns unclear in a box so soon after something unread came there, and no further off than a card's
diagonal, is of the same card: one that is laid and not read shows up to four places, its own and those of
what it covers.

Source: the last of them came 0.8 s after the first in drawn rounds with pips beside the ranks (it 13 and 14).
A dealer takes longer for a second card to the box.
"""

_DIAGONAL: Final = 1.25
"""Card lengths: so near to each other are two places of one card. Source: no tuned number."""


class UnreadSpots:
    """The unread places of one view by object: a followed unread card's track, else a number below 0.

    `known` are the earlier objects, `followed` the camera's present tracks, `last` is the least number given
    so far. An unread object that is no longer followed is the unread object at its place.
    """

    def __init__(
        self,
        known: Mapping[int, LyingCard],
        followed: Collection[int],
        last: int,
        now_ms: int,
        card_mm: float,
    ) -> None:
        """Begin without a place."""
        self.found: Final[dict[int, list[FeltCard]]] = {}
        self.last = last
        self._known = known
        self._followed = followed
        self._now_ms = now_ms
        self._card_mm = card_mm

    def add(self, spot: FeltCard) -> None:
        """Add a place: to an earlier object, else to a near newcomer, else as a new object."""
        number = self._number_of(spot)
        self.last = min(self.last, number)
        self.found.setdefault(number, []).append(spot)

    def _number_of(self, spot: FeltCard) -> int:
        for track, lying in self._known.items():
            if (track < 0 or lying.unread) and lying.is_near(spot, SAME_PLACE, self._card_mm):
                return track
        for track, lying in self._known.items():
            came = lying.unread and self._now_ms - lying.since_ms <= _ONE_CARD_MS
            if came and lying.is_near(spot, _DIAGONAL, self._card_mm):
                return track
        for track, own in self.found.items():
            if track not in self._known and LyingCard(own[0], 0).is_near(spot, _DIAGONAL, self._card_mm):
                return track
        return self.last - 1

    def shown(self) -> dict[int, FeltCard]:
        """Return the objects without a track, each at its most telling place."""
        return {track: self._most_telling(track) for track in self.found if track not in self._followed}

    def _most_telling(self, track: int) -> FeltCard:
        """Return a place of the object outside the known cards, if any.

        An object on a known card that has not moved is still on it: that card's outline is estimated
        differently from picture to picture.
        """
        places: Sequence[FeltCard] = self._known[track].places if track in self._known else ()
        on_known = [place for place in places if place.on_known]
        for spot in self.found[track]:
            if not spot.on_known and all(apart_mm(spot, one) >= STILL * self._card_mm for one in on_known):
                return spot
        return self.found[track][0]._replace(on_known=True)

    def note(self, lying: Mapping[int, LyingCard]) -> None:
        """Add the unread places to the memory of each newcomer; `lying` are the present objects."""
        for track, spots in self.found.items():
            if track in lying and self._now_ms - lying[track].since_ms <= _ONE_CARD_MS:
                for spot in spots:
                    lying[track].remember(spot, self._card_mm)
