"""`leave` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act


@Declared("leave", {Act.LEAVE: PEOPLE})
class Leave(NamedTuple):
    """A bettor is gone."""

    box: int
    seat: int
