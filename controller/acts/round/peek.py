"""`peek` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import UNHELD, Act, Row


@Declared("peek", {Act.PEEK: Row(UNHELD, UNHELD, UNHELD)})
class Peek(NamedTuple):
    """The dealer looked at the face-down card."""

    blackjack: bool
