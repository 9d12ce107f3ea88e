"""The shift's report: its numbers are the journal's, it is signed, and whatever is changed in it is found."""

import csv
import json
import re
import zlib
from itertools import chain, pairwise
from pathlib import Path
from shutil import copy
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.domain import TableError
from controller.i18n import catalogue, text
from controller.journal.head_file import TableKey
from controller.replay.report_files import pdf_of
from controller.replay.shift_report import ReportAlert, ReportWithHeads
from tests.forensics.replays import header
from tests.forensics.test_books import night, run

"""One process works out the house edge, which takes seconds."""

JOURNALS = Path(__file__).resolve().parent.parent / "journals"


ALERTS: Final = {key.removeprefix("alert.") for key in catalogue("en") if key.startswith("alert.")}
MONEY: Final = re.compile(r"[+-]?[0-9,]+[.][0-9]{2}")


def printed_pages(paper: Path) -> list[list[str]]:
    """The texts of each page of a PDF in the order in which they are drawn."""
    streams = re.findall(rb"stream\n(x.*?)\nendstream", paper.read_bytes(), re.DOTALL)
    drawn = [zlib.decompress(stream).decode("latin-1") for stream in streams]
    texts = [re.findall(r"\(((?:[^()\\]|\\.)*)\) Tj", one) for one in drawn]
    return [[re.sub(r"\\(.)", r"\1", one) for one in page] for page in texts if page]


def printed(paper: Path) -> list[str]:
    """The texts of a PDF in the order in which they are drawn."""
    return list(chain.from_iterable(printed_pages(paper)))


def call(command: str, *arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(build(command), [command, *map(str, arguments)])
    # What the command line itself prints as an error, with this status.
    return 2 if isinstance(done.exception, TableError) else done.exit_code, done.output


def verified(journal: Path, report: Path, *more: object) -> tuple[int, dict[str, Any]]:
    status, printed = call("verify", journal, "--report", report, "--json", *more)
    return status, json.loads(printed)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return Path(copy(JOURNALS / "release_0.1.0_six_rounds.journal", tmp_path / "table.journal"))


def test_a_report_is_proved_by_its_journal_and_every_change_to_it_is_found(
    journal: Path, tmp_path: Path
) -> None:
    key, out, changed = tmp_path / "table.key", tmp_path / "r.json", tmp_path / "changed.json"
    public = TableKey.load_or_make(key, {}).public
    assert call("report", journal, "--key", key, "-o", out) == (0, "")
    status, said = verified(journal, out, "--key", public)
    # Nobody signed heads for this journal, which is another matter than its report.
    assert (said["report"]["fault"], said["signed"]["heads"]) == (None, 0)
    status, said = verified(journal, out)
    made = json.loads(out.read_text())
    assert (status, said["ok"]) == (0, True)
    assert made["report"]["rounds"] == said["rounds"]
    for name in ("rounds", "win"):
        assert sum(one[name] for one in made["report"]["dealers"]) == made["report"][name]
    assert made["head"] == said["head"]

    forged = made | {"report": made["report"] | {"win": made["report"]["win"] + 100}}
    changed.write_text(json.dumps(forged))
    status, said = verified(journal, changed)
    assert (status, said["report"]["fault"]) == (1, "FORGED")

    changed.write_text(json.dumps(forged | {"key": "", "signature": ""}))
    status, said = verified(journal, changed)
    assert (status, said["report"]["fault"], said["report"]["fields"]) == (1, "DIFFERS", ["win"])
    assert verified(journal, changed, "--key", public)[1]["report"]["fault"] == "UNSIGNED"

    other = Path(copy(JOURNALS / "release_0.1.0_correction_after_the_end.journal", tmp_path / "b.journal"))
    assert verified(other, out)[1]["report"]["fault"] == "OTHER_JOURNAL"
    for garbage in (b"", b"{}", b"\xff", out.read_bytes() * 2):
        changed.write_bytes(garbage)
        assert call("verify", journal, "--report", changed)[0] == 2


def test_a_night_is_reported_as_rows_and_on_paper_and_replaces_no_file(tmp_path: Path) -> None:
    # A shoe that reports itself before the table opens begins no round.
    lines = [{"obs": "device", "name": "shoe", "state": "live"}, *night("spielbank", 24)]
    feed = tmp_path / "night.feed.jsonl"
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header("spielbank"), *lines)))
    assert call("report", feed, "-o", tmp_path / "r.csv")[0] == 0
    assert call("report", feed, "-o", tmp_path / "r.csv")[0] == 2
    assert call("report", feed, "-o", tmp_path / "r.txt")[0] == 2
    (row,) = csv.DictReader((tmp_path / "r.csv").open(newline=""))
    (kept,) = run(tmp_path, "books", "spielbank", lines)
    for name in ("opening", "fills", "credits", "drop", "win", "expected"):
        assert int(row[name]) == kept[name]
    assert (row["people"], row["rounds"], row["rulings"]) == ("dealer:D1 pit:1 pit:2", "24", "2")
    assert row["breaks"] == "1"
    assert call("report", feed, "-o", tmp_path / "r.pdf")[0] == 0
    said = printed(tmp_path / "r.pdf")
    minor = {name: int(re.sub("[,.]", "", value)) for name, value in pairwise(said) if MONEY.fullmatch(value)}
    moved = [minor[name] for name in ("Opening count", "Fill", "Credit", "Drop", "Win")]
    assert (sum(moved), moved[-1]) == (kept["expected"], kept["win"])
    assert minor["Float as it should be"] == kept["expected"]
    assert "Pit 1: stake corrected (one chip more lay there)" in said
    assert {"Dealer", "Supervisor", "Cashier", "Dealers away", "D1"} < set(said)
    assert not [one for one in said if re.search(r"[A-Z]+_[A-Z]+", one)]
    shown = call("report", feed)[1]
    assert all(one in shown for one in ("Float as it should be", "stake corrected (one chip more lay there)"))
    assert not re.search(r"[A-Z]+_[A-Z]+", shown)


def test_a_device_that_went_away_has_an_end(tmp_path: Path) -> None:
    lines = night("spielbank", 1)
    at = lines[-1]["t"] + 10
    states = (("shoe", "stale", 0), ("shoe", "lost", 2), ("shoe", "live", 65), ("top", "lost", 70))
    lines += [{"obs": "device", "name": name, "state": state, "t": at + t} for name, state, t in states]
    feed = tmp_path / "night.feed.jsonl"
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header("spielbank"), *lines)))
    shown = call("report", feed)[1].partition("Device away")[2].split()
    assert (shown[1:6], shown[7:10]) == (["shoe", "1", "min", "5", "s"], ["top", "not", "back"])


def test_signatures_never_stand_alone_on_a_page_nor_over_its_end(journal: Path, tmp_path: Path) -> None:
    """Each length of the last list: at some of them the signatures just do not fit below it."""
    assert call("report", journal, "-o", tmp_path / "r.json")[0] == 0
    signed = ReportWithHeads.model_validate_json((tmp_path / "r.json").read_text())
    names = {text(f"fault_name.{code}"): code for code in ALERTS}
    many = tuple(ReportAlert(code=code, severity="warning", round=1, t=1.0) for code in names.values())
    for count in range(16):
        report = signed.report.model_copy(update={"alerts": many[:count]})
        paper = tmp_path / "r.pdf"
        paper.write_bytes(pdf_of([signed.model_copy(update={"report": report})], "en"))
        *before, last = printed_pages(paper)
        assert [page for page in before if "Supervisor" in page] == []
        signs = last.index("Supervisor")
        # A row of the list stands above them, the table's key and signature below.
        assert count == 0 or last[signs - 2] in names, (count, last)
        assert {"Table's key", "Signature"} < set(last[signs:])


def test_every_stop_and_notice_has_a_name() -> None:
    """A report lists them by it; a sentence without its holes would say nothing."""
    holds = {key.removeprefix("hold.") for key in catalogue("en") if key.startswith("hold.")}
    codes = ALERTS | {code for code in holds if not code.endswith("_NO_BOX")}
    assert {code for code in codes if f"fault_name.{code}" not in catalogue("en")} == set()
