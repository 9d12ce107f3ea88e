"""`void` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared, Second
from controller.acts.permits import PIT_ALONE, Act
from controller.domain.irregularities import Way


def _second(void: "Void") -> Second:
    """A whole round takes two where the house says so; a box is like any other ruling."""
    return "void_round" if void.box is None else ""


def _way(void: "Void", _: tuple[Way, ...]) -> Way:
    return "void_round" if void.box is None else "void_box"


@Declared("void", {Act.RULING: PIT_ALONE}, unnamed="pit", second=_second, way=_way, about="void")
class Void(NamedTuple):
    """One box or, without `box`, the whole round is void: stakes go back, cards stay counted."""

    box: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
