"""`note` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, Act, Row


@Declared(
    "note",
    {Act.NOTE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS)},
    unnamed="pit",
    in_count=True,
    timeless=True,
    beside_the_round=True,
)
class Note(NamedTuple):
    """A person's remark on the round, or on the one that is named; it changes nothing."""

    text: str
    round: int | None = None
    by: str | None = None
