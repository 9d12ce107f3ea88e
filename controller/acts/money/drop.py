"""`drop` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act

DropKind = Literal["cash", "marker"]


@Declared("drop", {Act.DROP: PEOPLE}, in_count=True)
class Drop(NamedTuple):
    """Money went into the box for chips, a marker where somebody signed for it.

    `slip` is the number of the slip or marker, where the house gives it one.
    """

    amount: int
    seat: int | None = None
    kind: DropKind | None = None
    slip: str | None = None
