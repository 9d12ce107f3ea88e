"""`limits` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared, Line, Problem
from controller.acts.permits import PIT_ALONE, Act


def _leave_room(limits: Line) -> Problem | None:
    return ("wrong", "stake_max") if 0 < limits["stake_max"] < limits["stake_min"] else None


@Declared(
    "limits",
    {Act.LIMITS: PIT_ALONE},
    unnamed="pit",
    second="limits",
    in_count=True,
    timeless=True,
    check=_leave_room,
)
class Limits(NamedTuple):
    """Other limits for stakes, in minor units, from the next round on; 0 = no limit."""

    stake_min: int
    stake_max: int
    stake_step: int
    by: str | None = None
