"""`close` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act


@Declared("close", {Act.CLOSE: PEOPLE}, timeless=True)
class Close(NamedTuple):
    """No more bets."""
