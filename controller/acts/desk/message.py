"""`message` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "message", {Act.MESSAGE: PIT_ALONE}, unnamed="pit", in_count=True, timeless=True, beside_the_round=True
)
class Message(NamedTuple):
    """The pit's line on the dealer's screen until he has answered it; it changes nothing."""

    text: str
    by: str | None = None
