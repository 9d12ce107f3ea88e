"""`amend: close` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, PIT_ALONE, UNHELD, Act, Row


@Declared("amend", {Act.RULING: PIT_ALONE, Act.UNDO: Row(UNHELD, ALWAYS)}, what="close", unnamed="pit")
class AmendClose(NamedTuple):
    """The bets were not closed after all; possible until the first card. Not part of the shared format."""

    by: str
    reason: str
    second: str | None = None
