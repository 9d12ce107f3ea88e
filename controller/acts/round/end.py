"""`end` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PEOPLE, Act


@Declared("end", {Act.END: PEOPLE})
class End(NamedTuple):
    """The table is cleared; the next round may start."""
