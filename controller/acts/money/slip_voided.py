"""`slip_void` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared, Line, Problem, Second
from controller.acts.permits import PIT_ALONE, Act

SlipKind = Literal["fill", "credit", "drop"]
"""Which way the money of a slip went."""


def _second(void: "SlipVoided") -> Second:
    """Two people sign for a slip whatever the house lists: Louisiana III-2717, Ohio 3772-11-31."""
    return "" if void.kind == "drop" else "always"


def _names_entry(void: Line) -> Problem | None:
    """A slip has its number; a drop has its number or its place in the day."""
    slip, nth = void.get("slip"), void.get("nth")
    if slip is not None:
        return None if nth is None else ("wrong", "nth")
    if void["kind"] != "drop":
        return "missing", "slip"
    return ("missing", "nth") if nth is None else None


@Declared(
    "slip_void",
    {Act.SLIP_VOID: PIT_ALONE},
    unnamed="pit",
    second=_second,
    dealer_signs=True,
    check=_names_entry,
)
class SlipVoided(NamedTuple):
    """A slip or a drop counts no more, as if nothing had moved; a slip's number stays used.

    `nth` counts the drops of the day from 1, those that are void included.
    """

    kind: SlipKind
    slip: str | None
    by: str
    reason: str
    second: str | None = None
    nth: int | None = None
