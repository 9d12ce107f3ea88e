"""The figures of the shift: win, pace, reads, holds, dealers; the table's own money; the shoe in place.

The ranks of the shoe are those of settled rounds, whose cards the pit can read anyway. No other role receives
them, and no screen at the table draws them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from math import comb, sqrt
from typing import Final, Literal

from controller.domain import MINOR, RANKS, Rank
from controller.engine.shoe import PACK
from controller.engine.state import TableState
from controller.engine.watching import SHUFFLE_SUSPECT
from controller.history.history import MINUTE_US, SECOND_US, History, Row
from controller.policy.money import explanations
from controller.runtime.api import TableSnapshot
from controller.screens.dealt_rounds import Day, DealtRound, LiveShift, mean_seconds
from controller.screens.patterns import DealerPace, Patterns, patterns_of
from controller.screens.rounds import PhasePace
from controller.screens.words import Money, ViewModel, Word, Words, money, moved, reason_of, short

EXPLAINED_MAX: Final = 3
"""What is listed of a difference at closing; the shift's report has all of it."""
_MOVEMENTS_MAX: Final = 60
_VOID: Final[tuple[Literal["", "struck", "voids"], ...]] = ("", "struck", "voids")


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
    `explained` are its explanations, the likeliest first, at most EXPLAINED_MAX. `movements` are the
    last ones, newest first, without those of the rounds: `win` is their sum.
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


def shift_books(
    shift: LiveShift, state: TableState, rounds_since: Callable[[int], tuple[TableState, ...]]
) -> Books:
    """The books up to now; `rounds_since` gives the closed rounds from a number on."""
    history, row = shift.history, shift.row
    fills = history.rows(
        "SELECT amount FROM movement WHERE day = ? AND by = 'fill' AND void = 0 ORDER BY seq DESC LIMIT 1",
        (history.day,),
    )
    off = row["difference"] or 0
    return Books(
        float_now=float_now(shift),
        opened=None if row["opening"] is None else money(row["opening"]),
        fill=moved(fills[0]["amount"]) if fills else None,
        drop=None if row["drop"] is None else money(row["drop"]),
        counted=None if row["counted"] is None else money(row["counted"]),
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
            amount=money(row["amount"]) if counts else moved(row["amount"]),
            difference=moved(off) if off else None,
            void=_VOID[row["void"]],
            by=row["who"] or "",
            second=str(row["second"] or "").rpartition(":")[2],
            reason=reason_of(row["reason"] or ""),
        )


def float_now(shift: LiveShift) -> Money | None:
    """Return the expected float; None without an opening count."""
    counted_in = shift.history.rows("SELECT 1 FROM movement WHERE by = 'open' LIMIT 1")
    return money(shift.row["expected"]) if counted_in else None


def _explained(
    state: TableState, off: int, rounds_since: Callable[[int], tuple[TableState, ...]]
) -> Iterator[MayExplain]:
    closed = rounds_since(state.book.counted_in)
    for one in explanations(state.book, (*closed, state), off)[:EXPLAINED_MAX]:
        text = Words(
            code=f"books.why_{one.reason}",
            params={"round": one.round, "box": one.box, "amount": money(one.amount)},
        )
        yield MayExplain(text=text, round=one.round)


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
    hours = groupby(rounds, key=lambda dealt: dealt.settled_us // HOUR_US)
    return ShiftFigures(
        now_s=now_us // SECOND_US,
        rounds=len(rounds),
        rota=tuple(_rota(shift, now_us, break_after_min * MINUTE_US)),
        win=_win(rounds, edge_percent, shift.row),
        pace=tuple(_hour(hour, list(dealt)) for hour, dealt in hours),
        reads=tuple(ReadCount(from_percent=step, count=count) for step, count in sorted(reads.items())),
        reads_unsaid=unsaid,
        holds=_holds(shift, now_us),
        phases=tuple(_pace_by_phase(rounds, shift.history.dealing, patterns.dealers)),
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
        {"day": shift.history.day, "dealing": shift.history.dealing},
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


class LastCount(ViewModel):
    """The last closing count: of which shoe of the day, when, and how many cards were missing or too many."""

    shoe: int
    at_utc_us: int
    missing: int = 0
    extra: int = 0


class RankCount(ViewModel):
    """The number of cards of a rank dealt in the settled rounds of the shoe."""

    rank: Rank
    count: int


class ShoeCheck(ViewModel):
    """The shoe in place, the `shoe`th of the day: `dealt` of its `size` cards.

    `order`: nothing repeats an earlier order, an alert says what does, or no alert is configured.
    `ranks` are those of its settled rounds in order, empty in a house that shuffles each round. The shoe
    contains `each` of a rank, `expected` of them should be dealt. One shoe in `one_in` has a rank as frequent
    as its most frequent one; None when the contents of the shoe are unknown.
    """

    shoe: int
    dealt: int
    size: int
    order: Literal["clear", "suspect", "off"]
    ranks: tuple[RankCount, ...]
    each: int
    expected: float
    one_in: int | None
    last_count: LastCount | None


def shoe_check(shift: LiveShift, snapshot: TableSnapshot) -> ShoeCheck:
    """The shoe as the history of the shift and the newest snapshot have it."""
    history, shoe, watched = shift.history, snapshot.state.shoe, snapshot.options.shuffle_watch
    (brought,) = history.rows(
        "SELECT coalesce(max(seq), 0) AS seq FROM entry WHERE obs IN ('shoe', 'shuffle')"
    )
    suspect = history.rows(
        "SELECT 1 FROM alert WHERE code = ? AND seq > ? LIMIT 1", (SHUFFLE_SUSPECT, brought["seq"])
    )
    counts = history.rows(
        "SELECT shoe, us AS at_utc_us, missing, extra FROM shoe_count ORDER BY seq DESC LIMIT 1"
    )
    whole = shoe.size == shoe.decks * PACK and not snapshot.rules.shuffled_each_round
    came = Counter(_ranks(history, brought["seq"])) if whole else Counter[str]()
    each, dealt = shoe.decks * PACK // len(RANKS), came.total()
    return ShoeCheck(
        shoe=shift.history.shoe,
        dealt=shoe.seen,
        size=shoe.size,
        order="off" if not watched else "suspect" if suspect else "clear",
        ranks=tuple(RankCount(rank=rank, count=came[rank]) for rank in RANKS) if dealt else (),
        each=each,
        expected=round(dealt / len(RANKS), 1),
        one_in=_one_shoe_in(max(came.values()), each, dealt, shoe.size) if dealt else None,
        last_count=LastCount(**counts[0]) if counts else None,
    )


def _one_shoe_in(most: int, each: int, dealt: int, size: int) -> int:
    """Return how rarely a rank, `each` times in a shoe, occurs `most` times or more among `dealt` cards."""
    ways = sum(comb(each, k) * comb(size - each, dealt - k) for k in range(most, min(each, dealt) + 1))
    share = len(RANKS) * ways / comb(size, dealt)
    return max(1, round(1 / share)) if share else _SELDOM


_SELDOM: Final = 10**9
"""More often than there are cards of a rank: an alert of its own says so."""
_KNOWN: Final = frozenset(RANKS)


def _ranks(history: History, since: int) -> Iterator[str]:
    """The ranks of the day's settled rounds that were dealt from this shoe alone."""
    found = history.rows(
        "SELECT h.cards FROM hand h JOIN round r ON r.round = h.round WHERE r.day = ? AND r.first_seq > ?"
        " AND r.status IN ('settled', 'voided')",
        (history.day, since),
    )
    cards = (card.rstrip("shdc") for row in found for card in row["cards"].split())
    return (card for card in cards if card in _KNOWN)
