"""The report of a shift, selected from its history: the JSON, the page, the paper and the signed content.

It names no card: every reader of the report may know every line.
"""

from typing import Any, Final

from controller.engine.hands import hidden_hole
from controller.forensics import log10_odds
from controller.history.history import Row, expectation, mean_seconds, shift_row
from controller.history.kept import edge_percent
from controller.replay.report.model import ReportExplanation, ReportRun, ShiftReport
from controller.replay.rounds.shift_file import ShiftFile

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
