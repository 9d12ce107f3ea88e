"""`chip_reading` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, NEVER, Act, Row

ReadingKind = Literal["stake", "payout"]


@Declared(
    "chip_reading",
    {Act.CHIP_READING: Row(NEVER, NEVER, NEVER, ALWAYS)},
    unnamed="chips",
    in_count=True,
    written_unset="amount",
    beside_the_round=True,
)
class ChipReading(NamedTuple):
    """What a chip source sees of one bettor's chips, of probability `p` where it tells one.

    A stake is all that lies in the circle now; a payout is the total handed back, stake included. `amount`
    None: something lies there that the source cannot count, or it sees the place no longer.
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float | None = None
