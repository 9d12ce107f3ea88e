"""`resume` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ADMINISTRATORS, NEVER, NOT_ADMINISTRATORS, OWN_HOLDS, Act, Row


@Declared(
    "resume",
    {
        Act.RESUME: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        Act.RESUME_WITHOUT: Row(NEVER, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        # A house that has set it so; by default it is an act of the row above.
        Act.RESUME_WITHOUT_WITNESS: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        Act.RESUME_AT_SCREEN: Row(NEVER, NOT_ADMINISTRATORS),
    },
    unnamed="pit",
    in_count=True,
    way="keep",
    about="codes",
)
class HoldsLifted(NamedTuple):
    """The holds of these codes are lifted, all of them by default."""

    by: str
    reason: str
    codes: tuple[str, ...] | None = None
    second: str | None = None
