"""The report of a shift: what a table did from its opening on, from its journal (or a feed) alone.

In go the lines as the table took them; out comes one model, which is the JSON, the page and what is signed.
Amounts are in minor units of the table's currency, times in seconds since the file's `started_at`. It says no
card: whoever holds it may know every line.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

from controller.acts.catalogue import (
    RULINGS,
    CardSeen,
    DealerSeated,
    DeviceSeen,
    HoldsLifted,
    Observation,
    TableDay,
    declared,
)
from controller.analyser import analyse
from controller.domain.notices import Alert
from controller.engine.dealer import hidden_hole
from controller.engine.settle.float_account import house_win
from controller.engine.state import TableState
from controller.feed.replay import Played
from controller.feed.table_step import TableStep
from controller.forensics import log10_odds
from controller.policy.state.rounds import round_of, rounds_begun
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.float_books import FloatAccount, books_of
from controller.replay.rounds.in_shadow import was_right
from controller.replay.rounds.played import PlayedRound, door_rules, rounds_of, steps
from controller.replay.rounds.report_dealing import dealt
from controller.replay.rounds.report_parts import (
    ReportAlert,
    ReportBreak,
    ReportDevice,
    ReportExplanation,
    ReportHold,
    ReportRuling,
    ReportRun,
    ShiftReport,
)
from controller.replay.rounds.round_times import TimedHold, holds_of
from controller.screens.shift.win_sum import variance_of

ACTS_OF_THE_PIT: Final = (*RULINGS, HoldsLifted)


def report_of(file: ReadFile, *, at_table: bool = False, last_line: int | None = None) -> ShiftReport:
    """The report of the file's last shift; of the one that runs at `last_line`, where it is given."""
    through = at_table or file.at_table
    taken = [
        one for one in steps(file, at_table=through) if last_line is None or one.line.number <= last_line
    ]
    begun = [at for at, one in enumerate(taken) if _opens(one.line.obs)]
    shift = taken[begun[-1] :] if begun else taken
    return _report(file, shift, analyse(door_rules(file, at_table=through)).edge_percent)


def _opens(obs: Observation) -> bool:
    return isinstance(obs, TableDay) and obs.state == "open"


def _report(file: ReadFile, shift: Sequence[TableStep], edge: float) -> ShiftReport:
    rounds = rounds_of(shift)
    holds = holds_of(rounds)
    first, last = (shift[0].line, shift[-1].line) if shift else (None, None)
    return ShiftReport.model_validate(
        {
            "table": file.table,
            "rules": file.rules.name,
            "mode": file.house.options.mode,
            "currency": file.header.currency,
            "started_at": file.header.started_at,
            "first_line": first.number if first else 0,
            "last_line": last.number if last else 0,
            "from_t": first.t if first else 0.0,
            "to_t": last.t if last else 0.0,
            "people": _people(shift),
            "rounds": rounds_begun(shift[-1].after) - rounds_begun(shift[0].before) if shift else 0,
            **_results(rounds),
            **_money(books_of(shift, rounds)),
            **_expectation(rounds, edge),
            **dealt(rounds, holds),
            "alerts": tuple(_alerts(shift)),
            "holds": tuple(_hold(one, rounds if file.house.in_shadow else ()) for one in holds),
            "rulings": tuple(_rulings(shift)),
            "devices": tuple(_devices(shift)),
            "breaks": _breaks(shift),
            "findings": _findings(shift),
        }
    )


def _results(rounds: Sequence[PlayedRound]) -> dict[str, int]:
    """How the rounds ended; stakes and returns of the settled ones; how many payouts are confirmed."""
    results = [one.result for one in rounds if one.result is not None]
    status = [result.status for result in results]
    bets = [bet for result in results if result.status == "settled" for bet in result.bets]
    confirmed, not_confirmed = _payouts(rounds)
    return {
        "settled": status.count("settled"),
        "voided": status.count("voided"),
        "disputed": status.count("disputed"),
        "staked": sum(int(bet.staked) for bet in bets),
        "returned": sum(int(bet.returned) for bet in bets),
        "payouts_confirmed": confirmed,
        "payouts_not_confirmed": not_confirmed,
    }


def _money(account: FloatAccount) -> dict[str, object]:
    """The float, and what moved it."""
    win, drop = account.sum("round"), -account.sum("drop")
    return {
        "opening": account.opening if account.counted_in else None,
        "fills": account.sum("fill"),
        "credits": -account.sum("credit"),
        "drop": drop,
        "win": win,
        "hold_percent": round(100.0 * win / drop, 2) if drop else None,
        "expected": account.expected,
        "counted": account.counted,
        "difference": None if account.counted is None else account.difference,
        "explanations": tuple(ReportExplanation(**one._asdict()) for one in account.explanations),
    }


def _people(shift: Sequence[TableStep]) -> tuple[str, ...]:
    """Who has entered or ruled anything, or dealt; no devices."""
    names = set()
    for one in shift:
        if isinstance(one.line.obs, DealerSeated):
            names.add(f"dealer:{one.line.obs.id}")
        # Of a card it is the device that read it.
        for attribute in () if isinstance(one.line.obs, CardSeen) else ("by", "second"):
            name = getattr(one.line.obs, attribute, None)
            names |= {name} if isinstance(name, str) else set()
    return tuple(sorted(names))


def _payouts(rounds: Sequence[PlayedRound]) -> tuple[int, int]:
    """How many bettors' payouts somebody has confirmed, and how many nobody has."""
    confirmed = owed = 0
    for one in rounds:
        settlement = one.state.settlement
        if settlement.result is None or one.result is None or one.result.status != "settled":
            continue
        paid = {(box, seat) for box, seat, _ in settlement.paid}
        confirmed += len(paid)
        due = {(bet.box, bet.seat) for bet in settlement.result.bets if bet.returned}
        owed += len(due - paid)
    return confirmed, owed


def _expectation(rounds: Sequence[PlayedRound], edge: float) -> dict[str, int | float]:
    """What the rules let expect of all opening stakes of settled rounds, with two standard deviations."""
    opened, variance = 0, 0.0
    for one in rounds:
        if one.result is None or one.result.status != "settled":
            continue
        boxes = [sum(int(stake) for _, stake in box.bets) for box in one.state.boxes if not box.void]
        opened += sum(boxes)
        variance += variance_of(boxes)
    expected, band = round(opened * edge / 100.0), round(2.0 * sqrt(variance))
    return {"edge_percent": round(edge, 4), "expected_win": expected, "band": band}


def _times(shift: Sequence[TableStep]) -> Iterator[tuple[float, Played]]:
    """What followed, with the time of its line."""
    for one in shift:
        for played in one.played:
            yield (one.line if played.line is None else played.line).t, played


def _alerts(shift: Sequence[TableStep]) -> Iterator[ReportAlert]:
    for t, played in _times(shift):
        for notice in played.notices:
            if isinstance(notice, Alert):
                yield ReportAlert(code=notice.code, severity=notice.severity, round=notice.round, t=t)


def _hold(one: TimedHold, shadowed: Sequence[PlayedRound]) -> ReportHold:
    """A hold with the time to its answer.

    `shadowed` are the rounds of a table in shadow: what they came to says whether it should have held.
    """
    return ReportHold(
        code=one.hold.code,
        round=one.hold.round,
        t=one.from_s,
        seconds=None if one.until_s is None else round(one.until_s - one.from_s, 3),
        was_right=was_right(one.hold, one.from_s, shadowed) if shadowed else None,
    )


def _rulings(shift: Sequence[TableStep]) -> Iterator[ReportRuling]:
    for one in shift:
        if one.before is not one.after:
            ruling = ruling_of(one.line.obs, one.before, one.after, one.line.t, str(one.line.by or ""))
            if ruling is not None:
                yield ruling


def ruling_of(
    obs: Observation, before: TableState, after: TableState, t: float, by: str
) -> ReportRuling | None:
    """The ruling that an observation is, None for every other one; `by` is who it comes from."""
    words = ruling_words(obs, by)
    if words is None:
        return None
    number = getattr(obs, "round", None) or before.book.number
    return ReportRuling(
        what=words[0],
        round=number,
        t=t,
        by=words[1],
        reason=words[2],
        win_before=_won(before, number),
        win_after=_won(after, number),
    )


def ruling_words(obs: Observation, by: str) -> tuple[str, str, str] | None:
    """What a ruling is called, who made it and why; None for what is no ruling."""
    if not isinstance(obs, ACTS_OF_THE_PIT):
        return None
    what = f"{declared(obs).name} {declared(obs).what}".rstrip()
    return what, str(getattr(obs, "by", None) or by), str(getattr(obs, "reason", None) or "")


def _won(state: TableState, number: int) -> int:
    within = round_of(state, number)
    return 0 if within is None else house_win(within)


def _devices(shift: Sequence[TableStep]) -> Iterator[ReportDevice]:
    for one in shift:
        obs = one.line.obs
        if isinstance(obs, DeviceSeen) and obs.state != "live":
            yield ReportDevice(name=obs.name, state=obs.state, t=one.line.t)


def _breaks(shift: Sequence[TableStep]) -> tuple[ReportBreak, ...]:
    """Each leaving of a dealer, with the time until the same one was back."""
    left: dict[str, ReportBreak] = {}
    ended: list[ReportBreak] = []
    for one in shift:
        match one.line.obs:
            case DealerSeated(id=dealer, at="out"):
                left[dealer] = ReportBreak(dealer=dealer, t=one.line.t, seconds=None)
            case DealerSeated(id=dealer) if dealer in left:
                away = left.pop(dealer)
                ended.append(away.model_copy(update={"seconds": round(one.line.t - away.t, 3)}))
    return tuple(sorted((*ended, *left.values()), key=lambda one: one.t))


def _findings(shift: Sequence[TableStep]) -> tuple[ReportRun, ...]:
    """Runs of the shoe that lies there; none while a card lies face down, which could be the next one."""
    last = shift[-1].after if shift else None
    if last is None or last.watch is None or hidden_hole(last.dealer):
        return ()
    watch = last.watch
    return tuple(
        ReportRun(
            repeats=run.repeats,
            shoe=run.shoe,
            cards=run.cards,
            odds_log10=round(log10_odds(run, watch.present, watch.orders), 1),
        )
        for run in watch.found
    )
