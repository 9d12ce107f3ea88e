"""What a camera knows of the felt after a picture. Places are millimetres on the felt."""

import math
from typing import Final, NamedTuple

from controller.acts.round import Face
from controller.domain import Card

PlaceMm = tuple[float, float]

DEALER_BOX: Final = 0
"""Stands for the dealer where a box number is asked for."""


class OtherRead(NamedTuple):
    """What another camera reads at a card's place than the one that tells of it; None: it sees nothing."""

    camera: str
    card: Card | None


class FeltCard(NamedTuple):
    """One physical card, or something of a card's size that nobody has read yet.

    `track` stays with it. `card` is None while its rank is not certain, and while it lies face down.
    `turn_deg` is the direction of its long side (0 to 180), None where its corners are not known. `box` 0 is
    the dealer, None is nobody's. `certain`: that it is this card, or that it lies face down. `in_sight`: it
    shows just now. `perhaps`: it may turn out to be another card that is known. `box_clear`: it lies in that
    box and can lie in no other. `on_known`: of something unread, that it lies within the outline of a card
    that is certain. `held`: where it lies the camera has not seen it free of hands.
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
    is taken for something no longer, though nothing has moved over it: nothing lay there.
    """

    t_ms: int
    cards: tuple[FeltCard, ...]
    unread: tuple[FeltCard, ...] = ()
    card_mm: float = 88.0
    let_go: tuple[PlaceMm, ...] = ()


def may_be_one(one: Card | None, other: Card | None) -> bool:
    """Whether two cards that are known may be the same: a suit that is not known may be any."""
    if one is None or other is None:
        return one is other
    return one.rank == other.rank and (one.suit == other.suit or None in {one.suit, other.suit})


def apart_mm(one: FeltCard, other: FeltCard) -> float:
    """Between the places of two cards."""
    return math.dist(one.at_mm, other.at_mm)


def turned_by_deg(one: FeltCard, other: FeltCard) -> float | None:
    """How far one lies turned against the other, 0 to 90; None where a direction is not known."""
    if one.turn_deg is None or other.turn_deg is None:
        return None
    apart = abs(one.turn_deg - other.turn_deg) % 180
    return min(apart, 180 - apart)
