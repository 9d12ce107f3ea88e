"""`fill` of feed and journal."""

from typing import NamedTuple

from controller.acts.checks import sum_agrees
from controller.acts.declaring import Declared
from controller.acts.money.float_counted import Pieces
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "fill",
    {Act.FILL: PIT_ALONE},
    unnamed="pit",
    second="fill",
    dealer_signs=True,
    in_count=True,
    check=sum_agrees,
)
class Fill(NamedTuple):
    """Chips came from the cage to the table, on a slip."""

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None
