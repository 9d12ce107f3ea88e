"""`amend: stake` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared("amend", {Act.RULING: PIT_ALONE}, what="stake", unnamed="pit", way="amend", about="box")
class AmendStake(NamedTuple):
    """That much lay there when the bets closed; a stake of 0: none did."""

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
