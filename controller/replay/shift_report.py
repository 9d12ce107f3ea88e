"""The report of a shift: its model, which is JSON and signed content, and its selection from the history.

It names no card: every reader of the report may know every line. Amounts are in minor units of the table's
currency, times in seconds since the file's `started_at`.
"""

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from controller.engine.hands import hidden_hole
from controller.forensics import log10_odds
from controller.history.history import PhaseName, Row, expectation, mean_seconds, shift_row
from controller.history.kept import edge_percent
from controller.policy.line import Mode
from controller.policy.money import Reason
from controller.replay.shift_file import ShiftFile

WasRight = Literal["right", "wrong", "open"]
"""`right`: people have put something right there, or paid otherwise than settled; `wrong`: the table went on,
and the dealer paid what it settled; `open`: nothing says which, and somebody looks at the pictures."""


class ReportPart(BaseModel):
    """A part of a report; unknown fields are refused, so that nothing can be added to a signed one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReportHead(ReportPart):
    """The journal's last entry when the report was made; `hash` is "" while a card lies face down."""

    seq: int
    hash: str


class ReportHold(ReportPart):
    """A wait of the table from `t`, `seconds` long; None when it was not ended.

    At a table in shadow it did not wait: `was_right` says whether it should have.
    """

    code: str
    round: int
    t: float
    seconds: float | None
    was_right: WasRight | None


class ReportExplanation(ReportPart):
    """A possible explanation of a float difference: a changed, unconfirmed or ruled payout or stake."""

    reason: Reason
    round: int
    box: int
    seat: int
    amount: int


class ReportAlert(ReportPart):
    """A notice to people."""

    code: str
    severity: str
    round: int
    t: float


class ReportRuling(ReportPart):
    """A ruling, `what` by its name in a feed.

    `win_before` and `win_after` are the house's wins by the settlements before and after it. Both are None
    for a round that was not settled before: no money moved. `win_after` is None when the round waits again.
    """

    what: str
    round: int
    t: float
    by: str
    reason: str
    win_before: int | None
    win_after: int | None


class ReportDevice(ReportPart):
    """A device without an answer from `t`, `seconds` long; None when it did not come back.

    `state` is lost when it was lost meanwhile, else stale.
    """

    name: str
    state: str
    t: float
    seconds: float | None


class ReportBreak(ReportPart):
    """A dealer's break from `t`, `seconds` long; None when the dealer did not return in this shift."""

    dealer: str
    t: float
    seconds: float | None


class ReportDealer(ReportPart):
    """A dealer ("": unknown), from the first to the last round.

    `hourly` are rounds per hour of the dealer's own time, None without any; `differences` as in the report.
    """

    dealer: str
    from_t: float
    to_t: float
    rounds: int
    hourly: float | None
    win: int
    differences: int


class ReportDifference(ReportPart):
    """A payout that differs or differed from the amount due; amounts except `left` exclude the stake.

    `paid` is the first entry, at `t`; `left` is the bettor's present surplus, by the last entry, whose author
    is `by`.
    """

    round: int
    t: float
    box: int
    seat: int
    due: int
    paid: int
    left: int
    by: str


class ReportPhase(ReportPart):
    """A part of a round, and its mean seconds over the settled rounds; `waits` lie within the others."""

    name: PhaseName
    seconds: float


class ReportRun(ReportPart):
    """Cards of the last shoe that repeat an order; chance alone does that once in 10 to the `odds_log10`."""

    repeats: str
    shoe: int
    cards: int
    odds_log10: float


class ShiftReport(ReportPart):
    """One shift. `first_line` and `last_line` are its lines; `hold_percent` is None without a drop.

    `expected_win` is the house edge of the opening stakes, `band` two standard deviations of it. `opening` is
    None without an opening count, `counted` and `difference` without a closing count; `fills`, `credits` and
    `drop` are None without an entry; `explanations` are those of the difference, the likeliest first.
    """

    table: str
    rules: str
    mode: Mode
    currency: str
    started_at: str
    first_line: int
    last_line: int
    from_t: float
    to_t: float
    people: tuple[str, ...]
    rounds: int
    settled: int
    voided: int
    disputed: int
    staked: int
    returned: int
    opening: int | None
    fills: int | None
    credits: int | None
    drop: int | None
    win: int
    hold_percent: float | None
    edge_percent: float
    expected_win: int
    band: int
    expected: int
    counted: int | None
    difference: int | None
    explanations: tuple[ReportExplanation, ...]
    payouts_confirmed: int
    payouts_not_confirmed: int
    dealers: tuple[ReportDealer, ...]
    differences: tuple[ReportDifference, ...]
    phases: tuple[ReportPhase, ...]
    alerts: tuple[ReportAlert, ...]
    holds: tuple[ReportHold, ...]
    rulings: tuple[ReportRuling, ...]
    devices: tuple[ReportDevice, ...]
    breaks: tuple[ReportBreak, ...]
    findings: tuple[ReportRun, ...]


class ReportWithHeads(ReportPart):
    """A report with the end of its journal, the program's version, and the table's signature.

    `key` and `signature` are hexadecimal digits, both "" for an unsigned report.
    """

    type: Literal["shift_report"] = "shift_report"
    report: ShiftReport
    head: ReportHead
    software: str
    key: str = ""
    signature: str = ""

    def message(self) -> bytes:
        """Return the signed bytes: all fields but the signature, in canonical form."""
        found = self.model_dump(mode="json", exclude={"signature"})
        return json.dumps(found, sort_keys=True, separators=(",", ":")).encode()


HOUR_US: Final = 3_600_000_000

LISTS: Final = {
    "differences": """SELECT round, at / 1e6 AS t, box, seat, due, paid, remains AS "left",
      CASE WHEN by = '' THEN role ELSE role || ':' || by END AS by
      FROM difference WHERE day = :day ORDER BY round, box, seat""",
    "alerts": """SELECT code, severity, round, at / 1e6 AS t FROM alert WHERE day = :day ORDER BY seq""",
    "holds": """SELECT CASE WHEN s.code = 'FROZEN' AND e.role = 'pit' THEN 'FROZEN_BY_PIT' ELSE s.code END
      AS code, s.round, s.at / 1e6 AS t, round((s.until - s.at) / 1e6, 3) AS seconds,
      CASE WHEN :shadow THEN j.was_right END AS was_right
      FROM stop s JOIN shadow j ON j.seq = s.seq JOIN entry e ON e.seq = s.seq WHERE s.day = :day
      ORDER BY s.seq""",
    "rulings": """SELECT what, round, at / 1e6 AS t, reason, won_before AS win_before, won_after AS win_after,
      CASE WHEN by = '' THEN role ELSE role || ':' || by END AS by FROM ruling WHERE day = :day
      ORDER BY seq""",
    "devices": """SELECT name, min(state) FILTER (WHERE state <> 'live') AS state, min(at) / 1e6 AS t,
      round((max(at) FILTER (WHERE state = 'live') - min(at)) / 1e6, 3) AS seconds
      FROM (SELECT *, count(*) FILTER (WHERE state = 'live') OVER (PARTITION BY name ORDER BY seq
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS times FROM device WHERE day = :day)
      GROUP BY name, times HAVING count(*) > 1 OR max(state) <> 'live' ORDER BY min(seq)""",
    "breaks": """SELECT dealer, at / 1e6 AS t, round(took / 1e6, 3) AS seconds FROM pause WHERE day = :day
      ORDER BY seq""",
    "dealers": """SELECT dealer, since / 1e6 AS from_t, until / 1e6 AS to_t, rounds,
      CASE WHEN took > 0 THEN round(3600e6 * rounds / took, 1) END AS hourly, win,
      (SELECT count(*) FROM difference f WHERE f.day = d.day AND f.dealer = d.dealer) AS differences
      FROM dealer d WHERE day = :day ORDER BY since""",
}
"""Each list of the report, by its field."""


def report_of(file: ShiftFile) -> ShiftReport:
    """The report of the file's last shift."""
    history = file.history
    known = {"day": history.day, "shadow": file.house.options.mode == "shadow"}
    row = shift_row(history)
    lists = {name: history.rows(sql, known) for name, sql in LISTS.items()}
    seconds = mean_seconds(history, history.day)
    off = row["difference"] or 0
    return ShiftReport.model_validate(
        {
            "table": file.table,
            "rules": file.rules.name,
            "mode": file.house.options.mode,
            "currency": file.currency,
            "started_at": file.started_at,
            **_lines(file),
            "people": tuple(
                f"{one['role']}:{one['name']}"
                for one in history.rows(
                    "SELECT role, name FROM person WHERE day = :day ORDER BY role, name", known
                )
            ),
            **_sums(row, edge_percent(file.rules)),
            **{name: tuple(rows) for name, rows in lists.items()},
            "phases": tuple({"name": name, "seconds": round(mean, 1)} for name, mean in seconds.items()),
            "explanations": tuple(ReportExplanation(**one._asdict()) for one in file.explanations(off)),
            "findings": _findings(file),
        }
    )


def _lines(file: ShiftFile) -> Row:
    """The first and last line of the shift, and their times."""
    found = file.history.rows(
        "SELECT coalesce(min(line), 0) AS first_line, coalesce(max(line), 0) AS last_line,"
        " coalesce(min(at), 0) / 1e6 AS from_t, coalesce(max(at), 0) / 1e6 AS to_t"
        " FROM entry WHERE day = ? AND line > 0",
        (file.history.day,),
    )
    return found[0]


def _sums(row: Row, edge: float) -> dict[str, Any]:
    expected, band = expectation(row["opened"], row["variance"], edge)
    names = ("rounds", "settled", "voided", "disputed", "staked", "returned", "opening", "fills", "credits")
    win, drop = row["win"], row["drop"]
    return {
        **{name: row[name] for name in (*names, "drop", "win", "counted", "difference")},
        "hold_percent": round(100.0 * win / drop, 2) if drop else None,
        "edge_percent": round(edge, 4),
        "expected_win": expected,
        "band": band,
        "expected": row["expected"] or 0,
        "payouts_confirmed": row["confirmed"],
        "payouts_not_confirmed": row["unconfirmed"],
    }


def _findings(file: ShiftFile) -> tuple[ReportRun, ...]:
    """Runs of the shoe that lies there; none while a card lies face down, which could be the next one."""
    watch = file.state.watch
    if watch is None or hidden_hole(file.state.dealer):
        return ()
    return tuple(
        ReportRun(
            repeats=run.repeats,
            shoe=run.shoe,
            cards=run.cards,
            odds_log10=round(log10_odds(run, watch.present, watch.orders), 1),
        )
        for run in watch.found
    )
