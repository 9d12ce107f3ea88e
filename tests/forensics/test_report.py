"""The shift's report: its numbers are the journal's, it is signed, and whatever is changed in it is found."""

import csv
import json
import re
import zlib
from itertools import pairwise
from pathlib import Path
from shutil import copy
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.domain import TableError
from controller.journal.table_key import TableKey
from tests.forensics.replays import header
from tests.forensics.test_books import night, run

"""One process works out the house edge, which takes seconds."""

JOURNALS = Path(__file__).resolve().parent.parent / "journals"


MONEY: Final = re.compile(r"[+-]?[0-9,]+[.][0-9]{2}")


def printed(paper: Path) -> list[str]:
    """The texts of a PDF in the order in which they are drawn."""
    streams = re.findall(rb"stream\n(x.*?)\nendstream", paper.read_bytes(), re.DOTALL)
    drawn = b"".join(zlib.decompress(stream) for stream in streams).decode("latin-1")
    return [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r"\(((?:[^()\\]|\\.)*)\) Tj", drawn)]


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
