"""`shuffle` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, UNHELD, Act, Row
from controller.domain.irregularities import Way

Shuffled = Literal["discards", "all"]


def _way(_: "ShoeShuffled", offered: tuple[Way, ...]) -> Way:
    """A shuffle in the middle of the shoe, or in the place of a fresh one."""
    return "shuffle" if "shuffle" in offered else "shoe"


@Declared("shuffle", {Act.SHUFFLE: Row(UNHELD, ANSWERS)}, way=_way, about="shoe")
class ShoeShuffled(NamedTuple):
    """Cards were shuffled in the middle of a shoe: the discards, or all that is not on the table."""

    cards: Shuffled
