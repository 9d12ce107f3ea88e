"""The table's own money in the shift: its float now, and the explanations of a closing difference."""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from controller.engine.state import TableState
from controller.policy.money import explanations
from controller.screens.shapes.words import Money, ViewModel, Word, Words, reason_of
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import moved, plain

EXPLAINED_MAX: Final = 3
"""What is listed of a difference at closing; the shift's report has all of it."""
_MOVEMENTS_MAX: Final = 60
_VOID: Final[tuple[Literal["", "struck", "voids"], ...]] = ("", "struck", "voids")
RoundsSince = Callable[[int], tuple[TableState, ...]]


class MayExplain(ViewModel):
    """Something that may have made the difference at closing, as a sentence, and the round to look at."""

    text: Words
    round: int


class Movement(ViewModel):
    """A count or a movement of the float. A movement has a sign; `slip` is its number or place.

    A void movement is followed by the entry that voided it: `void` is struck in the first, voids in the
    second, else "".
    """

    seq: int
    at_utc_us: int
    what: Literal["open", "check", "close", "fill", "credit", "drop"]
    slip: str
    amount: Money
    difference: Money | None
    void: Literal["", "struck", "voids"]
    by: str
    second: str
    reason: str | Word


class Books(ViewModel):
    """The expected float now, its opening, its movements in the shift, and the last fill.

    `float_now` and `opened` are None without an opening count; `fills`, `credits` and `drop` are None without
    an entry. `counted` is None until the closing count. `difference` is the counted less the expected sum;
    `explained` are its explanations, the likeliest first, at most EXPLAINED_MAX. `movements` are newest
    first, at most _MOVEMENTS_MAX, without those of the rounds: `win` is their sum.
    """

    float_now: Money | None
    opened: Money | None
    fill: Money | None
    fills: Money | None
    credits: Money | None
    win: Money
    drop: Money | None
    counted: Money | None
    difference: Money | None
    explained: tuple[MayExplain, ...]
    movements: tuple[Movement, ...]


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
        fills=None if row["fills"] is None else moved(row["fills"]),
        credits=None if row["credits"] is None else moved(-row["credits"]),
        win=moved(row["win"]),
        movements=tuple(_movements(shift)),
    )


def _movements(shift: LiveShift) -> Iterator[Movement]:
    """The newest movements but those of rounds, with who has signed."""
    rows = shift.history.rows(
        "SELECT m.*, e.who, e.second, e.reason,"
        " row_number() OVER (PARTITION BY m.by, m.void < 2 ORDER BY m.seq) AS nth,"
        " (SELECT x.expected FROM movement x WHERE x.seq < m.seq ORDER BY x.seq DESC LIMIT 1) AS before"
        " FROM movement m LEFT JOIN entry e ON e.seq = m.seq WHERE m.day = ? AND m.by <> 'round'"
        " ORDER BY m.seq DESC LIMIT ?",
        (shift.history.day, _MOVEMENTS_MAX),
    )
    for row in rows:
        counts = row["by"] in ("open", "check", "close")
        off = row["amount"] - row["before"] if counts and row["before"] is not None else 0
        yield Movement(
            seq=row["seq"],
            at_utc_us=row["us"],
            what=row["by"],
            slip=row["slip"] or (str(row["nth"]) if row["by"] == "drop" else ""),
            amount=plain(row["amount"]) if counts else moved(row["amount"]),
            difference=moved(off) if off else None,
            void=_VOID[row["void"]],
            by=row["who"] or "",
            second=str(row["second"] or "").rpartition(":")[2],
            reason=reason_of(row["reason"] or ""),
        )


def float_now(shift: LiveShift) -> Money | None:
    """Return the expected float; None without an opening count."""
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
