"""`freeze` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, PIT_ALONE, Act, Row


@Declared(
    "freeze",
    {Act.FREEZE: PIT_ALONE, Act.CALL_PIT: Row(ALWAYS, ALWAYS)},
    unnamed="pit",
    in_count=True,
    timeless=True,
    beside_the_round=True,
)
class Freeze(NamedTuple):
    """The pit stops the table at once; it goes on when the pit says so."""

    by: str
    reason: str
