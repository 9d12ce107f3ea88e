"""The tables of a floor side by side: money, books, differences, waits; and the same by dealer."""

from collections.abc import Sequence
from typing import NamedTuple

from controller.history.shift import PhaseName
from controller.screens.pit.tiles import Tile
from controller.screens.shapes.words import Money, ViewModel
from controller.screens.shift.books import float_now
from controller.screens.shift.dealt_rounds import Day, mean_seconds
from controller.screens.shift.ledger import differing
from controller.screens.shift.patterns import Patterns, patterns_of
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import moved, plain


class TableOfFloor(NamedTuple):
    """One table of a floor: its tile and its shift."""

    tile: Tile
    shift: LiveShift


class FloorRow(ViewModel):
    """One table's shift; `differences` are the open ones, `too_much` the players' surplus in them.

    `float_now`, `drop` and `expected` are None when unknown. `waited` is the sum of all waits in seconds,
    `seconds` the mean of each part of a round.
    """

    table: str
    dealer: str
    rounds: int
    win: Money
    expected: Money | None
    unusual: bool
    float_now: Money | None
    drop: Money | None
    differences: int
    too_much: Money
    disputes: int
    waited: int
    seconds: dict[PhaseName, float]


class FloorFigures(ViewModel):
    """The tables in the order of their names; `found` contains the patterns of all tables together."""

    tables: tuple[FloorRow, ...]
    found: Patterns


def floor_figures(tables: Sequence[TableOfFloor]) -> FloorFigures:
    """The figures of these tables."""
    days = [Day(one.tile.table, list(one.shift.rounds.values())) for one in tables]
    return FloorFigures(tables=tuple(map(_row, tables)), found=patterns_of(days))


def _row(of: TableOfFloor) -> FloorRow:
    tile, shift = of
    rounds, drop = shift.finished, shift.row["drop"]
    open_ones = differing(rounds)
    mean = mean_seconds(rounds)
    (stops,) = shift.history.rows(
        "SELECT coalesce(sum(until - at), 0) AS waited,"
        " (SELECT coalesce(sum(disputes), 0) FROM round WHERE day = :day) AS disputes"
        " FROM stop WHERE day = :day",
        {"day": shift.history.day},
    )
    return FloorRow(
        table=tile.table,
        dealer=tile.dealer,
        rounds=len(rounds),
        win=tile.win,
        expected=tile.expected,
        unusual=tile.beyond == "below",
        float_now=float_now(shift),
        drop=None if drop is None else plain(drop),
        differences=len(open_ones),
        too_much=moved(sum(one.difference(at) for one, at in open_ones)),
        disputes=stops["disputes"],
        waited=stops["waited"] // 1_000_000,
        seconds={name: round(spent, 1) for name, spent in mean.items()},
    )
