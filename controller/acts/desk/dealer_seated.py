"""`dealer` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, UNHELD, Act, Row

DealerStep = Literal["in", "out"]


@Declared("dealer", {Act.DEALER: Row(UNHELD, UNHELD, system=ALWAYS)}, in_count=True)
class DealerSeated(NamedTuple):
    """Who deals from here on, or deals no longer."""

    id: str
    at: DealerStep
