"""The shift in figures: win against what the rules let expect, its part of the stakes, pace, reads, holds."""

from collections.abc import Iterator
from itertools import accumulate, groupby
from math import sqrt
from typing import Final

from controller.domain.money import MINOR
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.texts import short
from controller.screens.shapes.values import Words
from controller.screens.shift.books import Books
from controller.screens.shift.day_rounds import DayRound
from controller.screens.shift.patterns import DealerPace, Patterns, patterns_of
from controller.screens.shift.record import Day, ShiftRecord
from controller.screens.shift.round_clock import mean_seconds
from controller.screens.shift.round_sheet import PhasePace
from controller.screens.shift.win_sum import WinSum

HOUR_US: Final = 3_600_000_000
POINTS_MAX: Final = 500


class WinCurve(ViewModel):
    """What the house has won, in units of the currency, after each round; `at_s` are seconds since 1970.

    `expected` is what the rules let expect of the stakes, `band` two standard deviations of it, both empty
    until the rules are analysed. `over_stakes` and `over_drop` are per cent; empty where no drop was entered.
    """

    at_s: tuple[int, ...]
    won: tuple[float, ...]
    expected: tuple[float, ...]
    band: tuple[float, ...]
    over_stakes: tuple[float, ...]
    over_drop: float | None


class HourPace(ViewModel):
    """Rounds and hands that were settled in an hour, which began at `at_s`."""

    at_s: int
    rounds: int
    hands: int


class ReadCount(ViewModel):
    """Cards that a reader gave with a certainty of `from_percent` or more, below the next higher step."""

    from_percent: int
    count: int


class HoldTime(ViewModel):
    """How often and how long the table has waited for one reason, named in a few words; `now`: it does."""

    code: str
    text: Words
    times: int
    seconds: int
    now: bool


class ShiftFigures(ViewModel):
    """The figures of the shift so far; `phases` are the mean seconds of each part of a round."""

    rounds: int
    win: WinCurve
    pace: tuple[HourPace, ...]
    reads: tuple[ReadCount, ...]
    reads_unsaid: int
    holds: tuple[HoldTime, ...]
    phases: tuple[PhasePace, ...]
    patterns: Patterns
    books: Books


def shift_figures(record: ShiftRecord, edge_percent: float | None, now_us: int, books: Books) -> ShiftFigures:
    """The figures up to now; `edge_percent` of the opening stakes is None until it is known."""
    known = record.day.rounds
    rounds = [known[number] for number in sorted(known) if known[number].settled]
    patterns = patterns_of([Day("", rounds)])
    return ShiftFigures(
        rounds=len(rounds),
        win=_win(rounds, edge_percent, record.drop),
        pace=_pace(rounds),
        reads=tuple(ReadCount(from_percent=step, count=record.reads[step]) for step in sorted(record.reads)),
        reads_unsaid=record.reads_unsaid,
        holds=_holds(record, now_us),
        phases=tuple(_pace_by_phase(rounds, record.dealer, patterns.dealers)),
        patterns=patterns,
        books=books,
    )


def _pace_by_phase(
    rounds: list[DayRound], dealer: str, dealers: tuple[DealerPace, ...]
) -> Iterator[PhasePace]:
    """The mean seconds of each part: of the table, of who deals now, and of the median dealer."""
    own = mean_seconds([dealt for dealt in rounds if dealer and dealt.dealer == dealer])
    for name, seconds in mean_seconds(rounds).items():
        usual = round(dealers[-1].seconds[name]) if dealers else None
        known = round(own[name]) if name in own else None
        yield PhasePace(name=name, seconds=round(seconds), dealer=known, median=usual)


def _win(rounds: list[DayRound], edge_percent: float | None, drop: int) -> WinCurve:
    sums = list(accumulate((dealt.win for dealt in rounds), WinSum.plus))
    # A chart is a few hundred pixels wide: of a long shift it gets every so many rounds, and the last.
    stride = len(sums) // POINTS_MAX + 1
    shown = [index for index in range(len(sums)) if (len(sums) - 1 - index) % stride == 0]
    known = [sums[index] for index in shown]
    edge = None if edge_percent is None else edge_percent / 100.0
    return WinCurve(
        at_s=tuple(rounds[index].settled_us // 1_000_000 for index in shown),
        won=tuple(_units(one.won) for one in known),
        expected=() if edge is None else tuple(_units(one.opened * edge) for one in known),
        band=() if edge is None else tuple(_units(2.0 * sqrt(one.variance)) for one in known),
        over_stakes=tuple(round(100.0 * one.won / one.staked, 2) if one.staked else 0.0 for one in known),
        over_drop=round(100.0 * sums[-1].won / drop, 2) if drop and sums else None,
    )


def _units(amount: float) -> float:
    return round(amount / MINOR, 2)


def _pace(rounds: list[DayRound]) -> tuple[HourPace, ...]:
    hours = groupby(rounds, key=lambda dealt: dealt.settled_us // HOUR_US)
    return tuple(_hour(hour, list(dealt)) for hour, dealt in hours)


def _hour(hour: int, dealt: list[DayRound]) -> HourPace:
    at_s = hour * HOUR_US // 1_000_000
    return HourPace(at_s=at_s, rounds=len(dealt), hands=sum(len(one.settled["hands"]) for one in dealt))


def _holds(record: ShiftRecord, now_us: int) -> tuple[HoldTime, ...]:
    """Each reason, the one that took longest first."""
    rows = []
    for code, held in record.holds.items():
        running = 0 if held.since is None else max(0, now_us - held.since)
        seconds = (held.waited_us + running) // 1_000_000
        rows.append(
            HoldTime(
                code=code, text=short(code), times=held.times, seconds=seconds, now=held.since is not None
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.seconds, row.code)))
