"""`chips` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act


@Declared("chips", {Act.CHIPS: PEOPLE})
class Chips(NamedTuple):
    """A player's own chips as counted, where players take turns at the bank (NL-29, NL-30)."""

    box: int
    chips: int
