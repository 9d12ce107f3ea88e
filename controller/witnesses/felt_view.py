"""A camera's view of the layout after a picture. Places are millimetres on the layout."""

import math
from collections import deque
from typing import Final, NamedTuple

from controller.acts.round import Face
from controller.domain import Card

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
