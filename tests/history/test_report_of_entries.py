"""The report says what the entries say: people, severities, rounds of holds, phases, the sums of rulings."""

import asyncio
import json
from pathlib import Path
from typing import cast

import pytest

from controller.acts.catalogue import Correct, DealerSeated, End, Void
from controller.cli.verify import check_report
from controller.history.history import Row
from controller.journal.head_file import TableKey
from controller.replay.report_files import report_with_heads, signed, text_lines, written
from controller.replay.shift_file import open_shift
from controller.replay.shift_report import ReportWithHeads, ShiftReport, report_of
from controller.runtime.api import AuditLine, CallPit, Observe, TablePort
from controller.runtime.snapshot import Secrets, audit_lines
from controller.screens.rounds import round_sheet
from controller.screens.sentences import sentence_of
from controller.screens.words import Words
from tests.history.dealt_table import DealtTable
from tests.history.history_kit import entries_of, history_of
from tests.history.money_shift import live_shift


@pytest.fixture
def table(tmp_path: Path) -> DealtTable:
    return DealtTable(tmp_path / "t.journal")


def reported(table: DealtTable) -> ShiftReport:
    return report_of(open_shift(table.close()))


def entries(table: DealtTable, sql: str) -> list[Row]:
    return history_of(table.path).rows(sql)


def test_a_held_end_names_no_dealer_who_never_sat_there(table: DealtTable) -> None:
    # The pit enters the stakes and clears the table: no dealer has said anything.
    table.acts = ("pit", "p7")
    table.deal()
    table.ask(Observe(End()), "pit", "p7")
    assert table.holds == ["ROUND_INCOMPLETE"]
    table.pit(Void(None, "p7", "cleared too early"))
    told = reported(table)
    assert [one.dealer for one in told.dealers] == [""]
    assert sum(one.win for one in told.dealers) == told.win == 0


def test_a_person_is_named_once_and_a_dealer_who_only_dealt_is_named(table: DealtTable) -> None:
    table.say(DealerSeated("anna", "in"))
    table.round(end=False)
    table.pit(Correct(1, None, "9", "h", "p7", "seen"))
    table.pit(Correct(1, None, "10", "h", "pit:p7", "seen again"))
    table.say(End())
    assert reported(table).people == ("dealer:anna", "dealer:d1", "pit:p7")


def test_severities_are_those_of_the_entries(table: DealtTable) -> None:
    table.bets(b1=1000)
    table.cards(None)
    told = reported(table)
    found = entries(table, "SELECT code, severity FROM alert ORDER BY seq")
    assert [(one.code, one.severity) for one in told.alerts] == [(r["code"], r["severity"]) for r in found]
    assert found


def test_a_hold_of_the_table_itself_has_the_round_in_which_it_began(table: DealtTable) -> None:
    table.round()
    table.bets(b1=1000)
    table.ask(CallPit("look"), "pit", "p7")
    table.resume()
    assert [(one.code, one.round) for one in reported(table).holds] == [("FROZEN_BY_PIT", 2)]


def test_a_report_is_printed_where_a_round_waited_many_times_its_own_length(table: DealtTable) -> None:
    """The bar of the seconds needs room for each name, whatever is beside it."""
    table.round()
    made = report_with_heads(table.close())
    phases = tuple(
        made.report.phases[0].model_copy(update={"name": name, "seconds": seconds})
        for name, seconds in (("deal", 3.0), ("turns", 1.0), ("pay", 9.0), ("waits", 9000.0))
    )
    long = made.model_copy(update={"report": made.report.model_copy(update={"phases": phases})})
    assert written("pdf", [long], "en").startswith(b"%PDF")


def test_a_late_correction_of_a_closed_round_is_no_part_of_the_running_one(tmp_path: Path) -> None:
    took = []
    for late in (False, True):
        table = DealtTable(tmp_path / f"{late}.journal")
        table.round()
        table.deal()
        if late:
            table.pit(Correct(1, None, "7", "h", "p7", "seen", 1))
        else:
            table.clock.t += 1
        table.finish()
        table.say(End())
        table.close()
        took.append(entries(table, "SELECT name, took FROM phase WHERE round = 2"))
    assert took[0] == took[1]


def test_before_the_settlement_a_ruling_moved_no_money_and_later_it_tells_both_settlements(
    table: DealtTable,
) -> None:
    table.deal()
    table.pit(Correct(1, None, "9", "h", "p7", "before"))
    table.finish()
    table.pit(Correct(1, None, "7", "h", "p7", "after"))
    table.say(End())
    table.round()
    table.pit(Correct(1, None, "9", "h", "p7", "late, and nothing changes", 2))
    table.pit(Void(None, "p7", "misdeal", 2))
    told = reported(table)
    assert [(one.reason, one.round, one.win_before, one.win_after) for one in told.rulings] == [
        ("before", 1, None, None),
        ("after", 1, 0, 1000),
        ("late, and nothing changes", 2, -1000, 0),
        ("misdeal", 2, 0, 0),
    ]
    made = ReportWithHeads(report=told, head={"seq": 1, "hash": ""}, software="x")  # type: ignore[arg-type]  # pydantic reads it
    assert any("before" in line and "no money moved" in line for line in text_lines(made, "en"))


def test_a_report_of_an_earlier_version_is_compared_figure_by_figure(
    table: DealtTable, tmp_path: Path
) -> None:
    table.round()
    journal, key = table.close(), TableKey.load_or_make(tmp_path / "table.key", {})
    made = report_with_heads(journal)
    old = made.report.model_copy(update={"people": ("dealer:replay",), "drop": 0})

    def checked(report: ShiftReport, software: str, by: TableKey | None = key) -> tuple[object, ...]:
        file = tmp_path / "report.json"
        told = signed(made.model_copy(update={"report": report, "software": software}), by)
        file.write_bytes(written("json", [told], "en"))
        return tuple(check_report(journal, file, key.public if by else ""))

    assert checked(made.report, "0.3.0 x") == (None, (), "")
    assert checked(old, "0.2.0 x") == (None, ("people", "drop"), "0.2.0")
    assert checked(old, made.software.replace("0.3.", "0.9.")) == ("DIFFERS", ("people", "drop"), "")
    assert checked(old, "0.2.0 x", None)[0] == "DIFFERS"
    assert checked(made.report.model_copy(update={"win": 1}), "0.2.0 x") == ("DIFFERS", ("win",), "")
    assert json.loads((tmp_path / "report.json").read_text())["report"]["win"] == 1


def test_the_rounds_page_tells_of_a_ruling_what_the_report_tells(table: DealtTable) -> None:
    table.deal()
    table.pit(Correct(1, None, "9", "h", "p7", "before"))
    table.finish()
    table.pit(Correct(1, None, "9", "s", "p7", "another suit, and nothing changes"))
    table.pit(Correct(1, None, "7", "h", "p7", "after"))
    table.say(End())
    path = table.close()
    page, lines = live_shift(path), audit_lines(entries_of(path), 500, Secrets(frozenset()))

    class Trail:
        async def audit(self, first: int, limit: int) -> tuple[AuditLine, ...]:
            return tuple(line for line in lines if line.seq >= first)[:limit]

    async def say(line: AuditLine) -> Words | None:
        return sentence_of(line)

    sheet = asyncio.run(round_sheet(page, cast("TablePort", Trail()), "T1", 7, 1, say=say))
    assert sheet is not None
    told = [[(one.before.money, one.after.money) for one in made.changes] for made in sheet.corrections]
    assert told == [[], [("0.00", "0.00")], [("0.00", "+10.00")]]
