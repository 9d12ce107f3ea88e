"""`amend: reveal` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared("amend", {Act.RULING: PIT_ALONE}, what="reveal", unnamed="pit", way="amend", about="hole card")
class AmendReveal(NamedTuple):
    """The face-down card was not turned, or not then."""

    by: str
    reason: str
    round: int | None = None
    second: str | None = None
