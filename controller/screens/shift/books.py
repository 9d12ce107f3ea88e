"""The table's own money in the shift: its float now, and at closing what may explain a difference."""

from collections.abc import Callable, Iterator
from typing import Final

from controller.engine.state import TableState
from controller.policy.state.float_difference import explanations
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Money, Words
from controller.screens.shift.reader import LiveShift
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


def shift_books(shift: LiveShift, state: TableState, rounds_since: RoundsSince) -> Books:
    """The books up to now; `rounds_since` gives the closed rounds from a number on."""
    history, row = shift.history, shift.row
    fills = history.rows(
        "SELECT amount FROM movement WHERE day = ? AND by = 'fill' AND void = 0 ORDER BY seq DESC LIMIT 1",
        (history.day,),
    )
    off = row["difference"] or 0
    return Books(
        float_now=float_now(shift),
        opened=None if row["opening"] is None else plain(row["opening"]),
        fill=moved(fills[0]["amount"]) if fills else None,
        drop=None if row["drop"] is None else plain(row["drop"]),
        counted=None if row["counted"] is None else plain(row["counted"]),
        difference=moved(off) if off else None,
        explained=tuple(_explained(state, off, rounds_since)) if off else (),
    )


def float_now(shift: LiveShift) -> Money | None:
    """The float as it ought to be now; None where its opening was not counted."""
    counted_in = shift.history.rows("SELECT 1 FROM movement WHERE by = 'open' LIMIT 1")
    return plain(shift.row["expected"]) if counted_in else None


def _explained(state: TableState, off: int, rounds_since: RoundsSince) -> Iterator[MayExplain]:
    closed = rounds_since(state.book.counted_in)
    for one in explanations(state.book, (*closed, state), off)[:EXPLAINED_MAX]:
        text = Words(
            code=f"books.why_{one.reason}",
            params={"round": one.round, "box": one.box, "amount": plain(one.amount)},
        )
        yield MayExplain(text=text, round=one.round)
