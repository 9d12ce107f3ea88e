"""`stand17 table`: columns that add up, that name no card face down, and that the notebook reads."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from controller.replay.round_rows import ROW_KINDS, RowKind
from tests.replay.replay_kit import FEEDS, Json, call, objects
from tests.replay.test_show import DEAL, feed

PARTS = ("bets_s", "deal_s", "decisions_s", "dealer_s", "settle_s")
EVERY = FEEDS / "de" / "every_outcome.feed.jsonl"
EVERY_EXPECT = EVERY.with_name("every_outcome.expect.jsonl")
HELD = FEEDS / "table" / "bank_missed_his_first_card.feed.jsonl"
VOIDED = FEEDS / "table" / "missed_box_is_void.feed.jsonl"
NOTEBOOK = FEEDS.parents[1] / "examples" / "rounds.ipynb"


def written(folder: Path, kind: RowKind, *arguments: str | Path) -> list[dict[str, str]]:
    out = folder / f"{kind}.csv"
    told = call("table", *arguments, "-o", out, "--of", kind, "--json", "--force")
    assert told.returncode == 0, told.stderr
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert objects(told)[0]["rows"] == len(rows)
    return rows


def test_amounts_of_rounds_and_bets_are_those_of_the_expectation(tmp_path: Path) -> None:
    expected = [json.loads(line) for line in EVERY_EXPECT.read_text().splitlines()]
    rounds, bets = (written(tmp_path, kind, EVERY) for kind in ("rounds", "bets"))
    assert [int(row["round"]) for row in rounds] == [one["round"] for one in expected]
    for row, one in zip(rounds, expected, strict=True):
        # Where the round's seconds went: the parts are the whole.
        parts = [float(row[name] or 0) for name in PARTS]
        assert sum(parts) == pytest.approx(float(row["ends_s"]) - float(row["begins_s"]))
        mine = [bet for bet in bets if bet["round"] == row["round"]]
        for field in ("staked", "returned"):
            amount = sum(bet[field] for bet in one["bets"])
            assert int(row[f"{field}_minor"]) == amount
            assert sum(int(bet[f"{field}_minor"]) for bet in mine) == amount


def test_parquet_has_the_same_rows_with_their_types(tmp_path: Path) -> None:
    for kind in ROW_KINDS:
        rows = written(tmp_path, kind, HELD, EVERY, "--table")
        out = tmp_path / f"{kind}.parquet"
        assert call("table", HELD, EVERY, "--table", "-o", out, "--of", kind).returncode == 0
        read: list[Json] = pyarrow.parquet.read_table(out).to_pylist()
        assert [[_text(value) for value in row.values()] for row in read] == [
            list(row.values()) for row in rows
        ]
        assert all(isinstance(row["round"], int) for row in read)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def test_a_hold_has_its_beginning_and_its_end(tmp_path: Path) -> None:
    (hold,) = written(tmp_path, "holds", HELD, "--table")
    assert (hold["code"], hold["from_s"], hold["until_s"]) == ("DEALER_MISSED_CARD", "9.0", "13.5")
    (played,) = written(tmp_path, "rounds", HELD, "--table")
    assert (played["holds"], played["hold_s"]) == ("1", "4.5")


def test_a_card_that_was_never_turned_is_in_no_row(tmp_path: Path) -> None:
    told: list[list[list[dict[str, str]]]] = []
    for hole in ("2", "9", "K"):
        seated = {"obs": "dealer", "id": "D-17", "at": "in"}
        deal = [seated, *DEAL[:-1], {**DEAL[-1], "rank": hole, "p": 0.1 + len(told) / 10}]
        path = feed(tmp_path / "open.feed.jsonl", deal)
        told.append([written(tmp_path, kind, path) for kind in ROW_KINDS])
    assert told[0] == told[1] == told[2]
    assert [row["dealer"] for row in told[0][ROW_KINDS.index("rounds")]] == ["D-17"]
    reads = told[0][ROW_KINDS.index("reads")]
    assert [(row["rank"], row["p"]) for row in reads if row["box"] == "0"] == [("9", "0.5"), ("", "")]


def test_a_name_or_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    assert ".parquet" in call("table", EVERY, "-o", tmp_path / "rounds.xls").stderr
    nowhere = call("table", EVERY, "-o", tmp_path / "nowhere" / "rounds.csv")
    assert nowhere.returncode == 2
    assert "nowhere" in nowhere.stderr


def test_the_notebook_reads_what_the_command_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("rounds", "reads"):
        written(tmp_path, kind, EVERY, VOIDED, "--table")
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # the notebook is ours
    said = capsys.readouterr().out
    assert "settled rounds" in said
    assert "rounds an hour, 4 s held in 1 holds" in said, said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_the_options_of_one(
    shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--round" in completed(shell, "stand17 diff --", monkeypatch)
    assert "shrink" in completed(shell, "stand17 shr", monkeypatch)


def completed(shell: str, line: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the shell is told for this line."""
    told = {
        "_STAND17_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    return call().stdout
