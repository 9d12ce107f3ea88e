"""`table` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act

DayState = Literal["open", "closed"]


@Declared("table", {Act.TABLE: PEOPLE}, in_count=True)
class TableDay(NamedTuple):
    """The table opens or closes for the day."""

    state: DayState
    by: str | None = None
