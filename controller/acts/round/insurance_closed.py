"""`insurance_closed` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, Act, Row


@Declared("insurance_closed", {Act.INSURANCE_CLOSED: Row(ANSWERS, ANSWERS)}, timeless=True)
class InsuranceClosed(NamedTuple):
    """Every box has answered; who said nothing has declined."""
