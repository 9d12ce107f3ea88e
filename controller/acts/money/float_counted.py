"""`count` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.checks import sum_agrees
from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act

CountOccasion = Literal["open", "close", "check"]

Pieces = tuple[tuple[int, int], ...]
"""Chips by value: (value in minor units, number of pieces), ascending."""


@Declared(
    "count",
    {Act.COUNT: PIT_ALONE},
    unnamed="pit",
    second="float_count",
    dealer_signs=True,
    in_count=True,
    check=sum_agrees,
)
class FloatCounted(NamedTuple):
    """The chips in the float as two people counted them: the sum, the pieces of each value, or both."""

    at: CountOccasion
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None
