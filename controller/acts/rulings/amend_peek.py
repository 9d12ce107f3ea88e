"""`amend: peek` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared("amend", {Act.RULING: PIT_ALONE}, what="peek", unnamed="pit", way="amend", about="hole card")
class AmendPeek(NamedTuple):
    """The dealer's look at the face-down card was entered wrongly."""

    blackjack: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
