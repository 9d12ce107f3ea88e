"""`insurance` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, Act, Row


@Declared("insurance", {Act.INSURANCE: Row(ANSWERS, ANSWERS)}, timeless=True)
class Insurance(NamedTuple):
    """An insurance bet; a stake of 0 declines."""

    box: int
    seat: int
    stake: int
