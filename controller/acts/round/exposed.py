"""`exposed` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, Act, Row
from controller.domain.cards import Rank, Suit


@Declared("exposed", {Act.EXPOSED: Row(ALWAYS, ALWAYS, ALWAYS)})
class Exposed(NamedTuple):
    """The face-down card was seen before its time, by the dealer or by a box.

    `turned`: it was turned too early, and this is what was read.
    """

    who: Literal["dealer"] | int
    rank: Rank | None = None
    suit: Suit | None = None
    turned: bool | None = None
