"""`move` of feed and journal."""

from typing import NamedTuple

from controller.acts.checks import box_is_named, card_is_named
from controller.acts.declaring import Declared, Line, Problem
from controller.acts.permits import PIT_ALONE, Act
from controller.acts.round.card_seen import Target


def _card_and_box(move: Line) -> Problem | None:
    return card_is_named(move) or box_is_named(move)


@Declared("move", {Act.RULING: PIT_ALONE}, unnamed="pit", check=_card_and_box, way="move", about="card")
class Move(NamedTuple):
    """A card lies at another hand than the engine took it to; `to` is `box` or `dealer`."""

    card: int | None
    id: str | None
    to: Target
    box: int | None
    hand: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
