"""`amend: decision` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, PIT_ALONE, UNHELD, Act, Row
from controller.acts.round.decision import Action


@Declared(
    "amend",
    {Act.RULING: PIT_ALONE, Act.UNDO: Row(UNHELD, ALWAYS)},
    what="decision",
    unnamed="pit",
    written_unset="action",
    way="amend",
    about="box",
)
class AmendDecision(NamedTuple):
    """The `nth` decision of a hand, counted from 1, was in truth this one; `action` None: never made."""

    box: int
    hand: int
    nth: int
    action: Action | None
    by: str
    reason: str
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None
    round: int | None = None
    second: str | None = None
