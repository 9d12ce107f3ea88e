"""Page, report, table and books tell one shift, and no reader tells a card that lies face down."""

import shutil
from pathlib import Path

import pytest

from controller.acts.catalogue import Correct, Decision, Reveal
from controller.cli.columns import table as columns_of_table
from controller.domain import Rank
from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.replay.report_files import NO_HEAD, paper_of, written
from controller.replay.round_rows import ROW_KINDS
from controller.replay.shift_file import open_shift
from controller.replay.shift_report import ReportWithHeads, report_of
from controller.runtime.api import CallPit
from controller.screens.dealt_rounds import ledger_of
from controller.screens.figures import shift_books, shift_figures
from controller.screens.rounds import Find, round_list
from tests.history.dealt_table import DealtTable
from tests.history.history_kit import everything
from tests.history.money_shift import MoneyShift, differences, live_shift


@pytest.mark.parametrize("seed", range(20))
def test_every_figure_of_a_shift_is_the_same_for_every_reader(seed: int, tmp_path: Path) -> None:
    assert list(differences(tmp_path, seed)) == []


def told(tmp_path: Path, hole: Rank, *, turned: bool) -> dict[str, object]:
    """All that pages, files and SQL tell of a round with this hole card, and of the closed one before it."""
    # The rows name the file: it has one name, whatever the card.
    folder = tmp_path / "table"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    table = DealtTable(folder / "t.journal")
    table.round()
    table.bets(b1=1000, b2=1000)
    table.cards("10", "10", "10", "9", "9")
    table.hole(hole)
    table.pit(Correct(2, None, "J", "h", "p7", "seen"))
    table.ask(CallPit("look at the dealer"), "pit", "p7")
    table.resume()
    if turned:
        table.say(Decision(1, 1, "stand"))
        table.say(Decision(2, 1, "stand"))
        table.say(Reveal())
    path = table.close()
    file = open_shift(path)
    page = live_shift(path)
    books = shift_books(page, file.state, lambda _: ())
    report = ReportWithHeads(report=report_of(file), head=NO_HEAD, software="x")
    columns = {
        f"{kind}{ending}": folder / f"{kind}{ending}" for kind in ROW_KINDS for ending in (".csv", ".parquet")
    }
    for out in columns.values():
        columns_of_table([path], out=out, of=next(kind for kind in ROW_KINDS if kind == out.stem))
    return {
        "sql": everything(file.history),
        "live": everything(page.history),
        "report": [written("json", [report], "en"), written("csv", [report], "en")],
        "paper": paper_of(report, "en").model_dump_json(),
        **{name: out.read_bytes() for name, out in columns.items()},
        "figures": shift_figures(page, 0.3, 0, books).model_dump_json(),
        "ledger": ledger_of(page).model_dump_json(),
        "list": round_list([(page, "T1", 7)], Find(), 0).model_dump_json(),
        "head": file.hides,
    }


def test_nothing_tells_two_hole_cards_apart_until_they_are_turned(tmp_path: Path) -> None:
    low, high = (told(tmp_path, rank, turned=False) for rank in ("7", "8"))
    assert low == high
    assert low["head"]
    # The test sees the card once it lies open.
    assert told(tmp_path, "7", turned=True)["sql"] != told(tmp_path, "8", turned=True)["sql"]


@pytest.mark.parametrize("seed", [0, 5, 7, 24])
def test_the_holds_that_stand_are_those_of_the_table(seed: int, tmp_path: Path) -> None:
    """A hold ends where a newer one is about the same, and that of one device does not end with another's."""
    shift = MoneyShift(tmp_path / "t.journal", seed, 4)
    page = live_shift(tmp_path / "t.journal")
    standing = page.history.rows("SELECT code, max(box, 0) AS box FROM stop WHERE until IS NULL")
    held = shift.door.ledger.holds
    assert {(row["code"], row["box"] or 0) for row in standing} == {
        (hold.code, max(hold.box, 0)) for hold in held
    }


def test_one_lost_device_that_is_back_leaves_the_hold_of_the_other() -> None:
    history = History()
    for seq, (kind, name) in enumerate((("held", "shoe"), ("held", "camera"), ("released", "shoe")), start=1):
        body = {"code": "DEVICE_LOST", "params": {"name": name}, "about": {"round": 1, "card": 0, "box": -1}}
        history.take([EntryLine(seq, kind, seq, 1, "system:table", body)])
    assert history.rows("SELECT seq FROM stop WHERE until IS NULL") == [{"seq": 2}]
