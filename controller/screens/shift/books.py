"""The table's own money in the shift: its float now, and at closing what may explain a difference."""

from collections.abc import Callable, Iterator
from typing import Final

from controller.engine.settle.float_account import float_due
from controller.engine.state import TableState
from controller.policy.state.float_difference import difference_of, explanations
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Money, Words
from controller.screens.shift.record import ShiftRecord
from controller.screens.shift.sentences import moved, plain

EXPLAINED_MAX: Final = 3
"""What is listed of a difference at closing; the shift's report has all of it."""
RoundsSince = Callable[[int], tuple[TableState, ...]]


class MayExplain(ViewModel):
    """Something that may have made the difference at closing, as a sentence, and the round to look at."""

    text: Words
    round: int


class Books(ViewModel):
    """The float as it ought to be now, how it was opened, the last fill, and the drop so far.

    `float_now` and `opened` are None where nobody has counted the float at the opening. `counted` is None
    until it is counted at closing; where that is another sum, `difference` says by how much, and `explained`
    what may have made it, the likeliest first, at most EXPLAINED_MAX.
    """

    float_now: Money | None
    opened: Money | None
    fill: Money | None
    drop: Money | None
    counted: Money | None
    difference: Money | None
    explained: tuple[MayExplain, ...]


def shift_books(record: ShiftRecord, state: TableState, rounds_since: RoundsSince) -> Books:
    """The books up to now; `rounds_since` gives the closed rounds from a number on."""
    opened, counted, due = record.opened, record.closed, float_due(state)
    fill = record.fills[-1] if record.fills else None
    off = 0 if counted is None else difference_of(state, counted)
    return Books(
        float_now=plain(due) if state.book.counted_in else None,
        opened=None if opened is None else plain(opened),
        fill=None if fill is None else moved(fill.amount),
        drop=plain(record.drop) if record.drop else None,
        counted=None if counted is None else plain(counted),
        difference=moved(off) if off else None,
        explained=tuple(_explained(state, off, rounds_since)) if off else (),
    )


def _explained(state: TableState, off: int, rounds_since: RoundsSince) -> Iterator[MayExplain]:
    closed = rounds_since(state.book.counted_in)
    for one in explanations(state.book, (*closed, state), off)[:EXPLAINED_MAX]:
        text = Words(
            code=f"books.why_{one.reason}",
            params={"round": one.round, "box": one.box, "amount": plain(one.amount)},
        )
        yield MayExplain(text=text, round=one.round)
