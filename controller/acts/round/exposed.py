"""`exposed` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, Act, Row


@Declared("exposed", {Act.EXPOSED: Row(ALWAYS, ALWAYS, ALWAYS)})
class Exposed(NamedTuple):
    """The face-down card was seen before its time, by the dealer or by a box."""

    who: Literal["dealer"] | int
