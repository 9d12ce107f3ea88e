"""`swap` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


class HandName(NamedTuple):
    """A hand by its box and number."""

    box: int
    hand: int


@Declared(
    "swap",
    {Act.RULING: PIT_ALONE},
    unnamed="pit",
    renamed={"from_hand": "from", "with_hand": "with"},
    way="swap",
    about="hands",
)
class Swap(NamedTuple):
    """The cards of two hands had changed places; bets and decisions stay with the hands."""

    from_hand: HandName
    with_hand: HandName
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
