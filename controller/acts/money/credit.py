"""`credit` of feed and journal."""

from typing import NamedTuple

from controller.acts.checks import sum_agrees
from controller.acts.declaring import Declared
from controller.acts.money.float_counted import Pieces
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "credit",
    {Act.CREDIT: PIT_ALONE},
    unnamed="pit",
    second="credit",
    dealer_signs=True,
    in_count=True,
    check=sum_agrees,
)
class Credit(NamedTuple):
    """Chips left the table for the cage, on a slip."""

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None
