"""The figures of the shift: win against expectation, its share of the stakes, pace, reads, holds."""

from collections.abc import Iterator
from itertools import accumulate, groupby
from math import sqrt
from typing import Final

from controller.domain import MINOR
from controller.history.history import Row
from controller.history.shift import MINUTE_US, SECOND_US
from controller.screens.shapes.words import Money, ViewModel, Words, short
from controller.screens.shift.books import Books
from controller.screens.shift.dealt_rounds import Day, DealtRound, mean_seconds
from controller.screens.shift.patterns import DealerPace, Patterns, patterns_of
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.round_sheet import PhasePace
from controller.screens.shift.sentences import moved

HOUR_US: Final = 60 * MINUTE_US
_POINTS_MAX: Final = 500
_READ_STEPS: Final = (0, 60, 90, 99)
"""Certainties in per cent: below 60 and 90 a person is asked (the pad), and 99 is as good as certain."""


class WinCurve(ViewModel):
    """The house's win after each round, in units of the currency; `at_s` are seconds since 1970.

    `expected` is the expected win of the stakes, `band` two standard deviations of it; both are empty until
    the rules are analysed. `over_stakes` and `over_drop` are per cent; empty without an entered drop.
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
    """The number and duration of the table's waits for one reason, by short name; `now`: it waits now."""

    code: str
    text: Words
    times: int
    seconds: int
    now: bool


class RotaRow(ViewModel):
    """A dealer of the shift, at the table (`deals`) or away from it since `since_utc_us`.

    `since_utc_us` is None when no entry records the dealer's arrival. `break_due`: the house's time at the
    table is over. `win` is the house's win of the dealer's rounds.
    """

    dealer: str
    deals: bool
    since_utc_us: int | None
    break_due: bool
    rounds: int
    win: Money


class ShiftFigures(ViewModel):
    """The figures of the shift so far, at `now_s` seconds since 1970.

    `phases` are the mean seconds of each part of a round. `rota` begins with the dealer at the table, then
    those who have been away longest.
    """

    now_s: int
    rounds: int
    rota: tuple[RotaRow, ...]
    win: WinCurve
    pace: tuple[HourPace, ...]
    reads: tuple[ReadCount, ...]
    reads_unsaid: int
    holds: tuple[HoldTime, ...]
    phases: tuple[PhasePace, ...]
    patterns: Patterns
    books: Books


def shift_figures(
    shift: LiveShift, edge_percent: float | None, now_us: int, books: Books, break_after_min: int = 60
) -> ShiftFigures:
    """The figures up to now; `edge_percent` of the opening stakes is None until it is known."""
    rounds, history = shift.finished, shift.history
    patterns = patterns_of([Day("", rounds)])
    reads = dict.fromkeys(_READ_STEPS, 0)
    unsaid = 0
    for row in history.rows("SELECT p FROM certainty WHERE day = ?", (history.day,)):
        if row["p"] is None:
            unsaid += 1
        else:
            reads[max(step for step in _READ_STEPS if step <= 100 * row["p"])] += 1
    return ShiftFigures(
        now_s=now_us // SECOND_US,
        rounds=len(rounds),
        rota=tuple(_rota(shift, now_us, break_after_min * MINUTE_US)),
        win=_win(rounds, edge_percent, shift.row),
        pace=_pace(rounds),
        reads=tuple(ReadCount(from_percent=step, count=count) for step, count in sorted(reads.items())),
        reads_unsaid=unsaid,
        holds=_holds(shift, now_us),
        phases=tuple(_pace_by_phase(rounds, shift.dealing, patterns.dealers)),
        patterns=patterns,
        books=books,
    )


def _rota(shift: LiveShift, now_us: int, break_after_us: int) -> Iterator[RotaRow]:
    """Yield the present and earlier dealers: each dealer's last entry, beside the dealer's rounds."""
    rows = shift.history.rows(
        "WITH step AS (SELECT seq, name, state, us, lead(us) OVER (ORDER BY seq) AS next_us FROM entry"
        "  WHERE day = :day AND obs = 'dealer'),"
        " newest AS (SELECT * FROM step WHERE seq IN (SELECT max(seq) FROM step GROUP BY name)),"
        " dealt AS (SELECT * FROM dealer WHERE day = :day AND dealer <> ''),"
        " known AS (SELECT name FROM newest UNION SELECT dealer FROM dealt)"
        " SELECT k.name AS dealer, k.name = :dealing AS deals, coalesce(d.rounds, 0) AS rounds,"
        "  coalesce(d.win, 0) AS win, CASE WHEN k.name = :dealing OR n.state = 'out' THEN n.us"
        "  ELSE coalesce(n.next_us, d.until_us) END AS since FROM known k"
        " LEFT JOIN newest n ON n.name = k.name LEFT JOIN dealt d ON d.dealer = k.name"
        " ORDER BY deals DESC, since, k.name",
        {"day": shift.history.day, "dealing": shift.dealing},
    )
    for row in rows:
        deals, since = bool(row["deals"]), row["since"]
        yield RotaRow(
            dealer=row["dealer"],
            deals=deals,
            since_utc_us=since,
            break_due=deals and since is not None and 0 < break_after_us <= now_us - since,
            rounds=row["rounds"],
            win=moved(row["win"]),
        )


def _pace_by_phase(
    rounds: list[DealtRound], dealer: str, dealers: tuple[DealerPace, ...]
) -> Iterator[PhasePace]:
    """The mean seconds of each part: of the table, of who deals now, and of the median dealer."""
    own = mean_seconds([dealt for dealt in rounds if dealer and dealt.dealer == dealer])
    for name, seconds in mean_seconds(rounds).items():
        usual = round(dealers[-1].seconds[name]) if dealers else None
        known = round(own[name]) if name in own else None
        yield PhasePace(name=name, seconds=round(seconds), dealer=known, median=usual)


def _win(rounds: list[DealtRound], edge_percent: float | None, row: Row) -> WinCurve:
    settled = [one.status == "settled" for one in rounds]
    won = list(accumulate(one.win for one in rounds))
    # The last point includes late rulings on rounds of earlier days.
    won[-1:] = [row["win"]] if won else []
    opened = list(accumulate(one.opened * of for one, of in zip(rounds, settled, strict=True)))
    variance = list(accumulate(one.variance * of for one, of in zip(rounds, settled, strict=True)))
    staked = list(accumulate(sum(one.staked.values()) for one in rounds))
    drop = row["drop"]
    # A chart is a few hundred pixels wide: it gets every n-th round of a long shift, and the last.
    stride = len(rounds) // _POINTS_MAX + 1
    shown = [index for index in range(len(rounds)) if (len(rounds) - 1 - index) % stride == 0]
    edge = None if edge_percent is None else edge_percent / 100.0
    return WinCurve(
        at_s=tuple(rounds[index].settled_us // SECOND_US for index in shown),
        won=tuple(_units(won[index]) for index in shown),
        expected=() if edge is None else tuple(_units(opened[index] * edge) for index in shown),
        band=() if edge is None else tuple(_units(2.0 * sqrt(variance[index])) for index in shown),
        over_stakes=tuple(round(100.0 * won[at] / staked[at], 2) if staked[at] else 0.0 for at in shown),
        over_drop=round(100.0 * won[-1] / drop, 2) if drop and won else None,
    )


def _units(amount: float) -> float:
    return round(amount / MINOR, 2)


def _pace(rounds: list[DealtRound]) -> tuple[HourPace, ...]:
    hours = groupby(rounds, key=lambda dealt: dealt.settled_us // HOUR_US)
    return tuple(_hour(hour, list(dealt)) for hour, dealt in hours)


def _hour(hour: int, dealt: list[DealtRound]) -> HourPace:
    at_s = hour * HOUR_US // SECOND_US
    return HourPace(at_s=at_s, rounds=len(dealt), hands=sum(len(one.hands) for one in dealt))


def _holds(shift: LiveShift, now_us: int) -> tuple[HoldTime, ...]:
    """Return the reasons of waits, the longest first."""
    rows = shift.history.rows(
        "SELECT code, count(*) AS times, count(*) > count(until) AS now,"
        " sum(coalesce(until - at, max(0, :now - us))) / 1000000 AS seconds"
        " FROM stop WHERE day = :day GROUP BY code ORDER BY seconds DESC, code",
        {"now": now_us, "day": shift.history.day},
    )
    return tuple(HoldTime(text=short(row["code"]), **{**row, "now": bool(row["now"])}) for row in rows)
