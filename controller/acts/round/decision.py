"""`decision` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, Act, Row

Action = Literal["hit", "stand", "double", "split", "surrender"]


@Declared("decision", {Act.DECISION: Row(ANSWERS, ANSWERS)})
class Decision(NamedTuple):
    """The box holder's decision: hit, stand, double, split or surrender.

    `seats` put up the second stake (all by default); `stakes` are (seat, added amount) pairs.
    """

    box: int
    hand: int
    action: Action
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None
