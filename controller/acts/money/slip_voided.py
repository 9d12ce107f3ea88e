"""`slip_void` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act

SlipKind = Literal["fill", "credit"]
"""Which way the chips of a slip went."""


# Two people sign it whatever the house lists: Louisiana III-2717, Ohio 3772-11-31.
@Declared("slip_void", {Act.SLIP_VOID: PIT_ALONE}, unnamed="pit", second="always", dealer_signs=True)
class SlipVoided(NamedTuple):
    """A slip counts no more, as if its chips had not moved; its number stays used. Two people sign it."""

    kind: SlipKind
    slip: str
    by: str
    reason: str
    second: str | None = None
