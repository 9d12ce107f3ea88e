"""`amend: insurance` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared("amend", {Act.RULING: PIT_ALONE}, what="insurance", unnamed="pit", way="amend", about="box")
class AmendInsurance(NamedTuple):
    """A bettor's insurance bet was in truth this one; a stake of 0: none."""

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
