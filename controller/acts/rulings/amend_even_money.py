"""`amend: even_money` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared("amend", {Act.RULING: PIT_ALONE}, what="even_money", unnamed="pit", way="amend", about="box")
class AmendEvenMoney(NamedTuple):
    """A bettor did, or did not, take even money."""

    box: int
    seat: int
    taken: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
