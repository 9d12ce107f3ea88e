"""`bet` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, ANSWERS, Act, Row


@Declared("bet", {Act.BET: Row(ANSWERS, ANSWERS), Act.BET_LATE: Row(ANSWERS, ANSWERS, ALWAYS)}, timeless=True)
class Bet(NamedTuple):
    """The whole stake of a bettor as it lies there now, not what was added; 0 takes it away."""

    box: int
    seat: int
    stake: int
