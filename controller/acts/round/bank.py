"""`bank` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act


@Declared("bank", {Act.BANK: PEOPLE})
class Bank(NamedTuple):
    """Which box is the bank now, where players take turns (NL-29)."""

    box: int
