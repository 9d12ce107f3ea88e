"""Files that are none, or damaged: a sentence and an exit status, never a traceback, a wait or the memory."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.forked_process import command
from tests.limits.test_poisoned_entry import poisoned
from tests.people_kit import people_file

pytestmark = pytest.mark.long

TABLE = (
    "[software]\nallow_unreleased = true\n"
    '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "t.journal"\n[shoe]\nport = "/dev/null"\n'
)
MEMORY = 3 << 30


def told(folder: Path, *words: str) -> str:
    """What is said of a file that cannot be used."""
    ended = command(*words, changes={"HOME": str(folder)}, memory=MEMORY)
    said = ended.stdout + ended.stderr
    # A service manager does not start a table again whose configuration is wrong.
    assert ended.returncode in ({2, 78} if words[0] == "run" else {1, 2}), said
    assert "Traceback" not in said, said
    assert said.strip()
    return said


@pytest.fixture
def odd_files(tmp_path: Path) -> dict[str, Path]:
    """Things that open and are no files, and files that are nested too deep."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    deep = tmp_path / "deep"
    deep.write_text("a = " + "[" * 100_000, encoding="utf-8")
    brackets = tmp_path / "brackets"
    brackets.write_text("[" * 100_000, encoding="utf-8")
    return {
        "fifo": fifo,
        "zero": Path("/dev/zero"),
        "folder": tmp_path,
        "deep": deep,
        "brackets": brackets,
        "none": tmp_path / "none",
    }


@pytest.mark.parametrize("odd", ["fifo", "zero", "folder", "deep", "brackets", "none"])
@pytest.mark.parametrize("name", ["verify", "replay", "read", "run"])
def test_what_is_no_file_of_ours_is_told_so(
    tmp_path: Path, odd_files: dict[str, Path], name: str, odd: str
) -> None:
    told(tmp_path, name, str(odd_files[odd]))


@pytest.mark.parametrize(
    "change",
    [
        ('port = "/dev/null"', 'port = "/dev/null"\nbaud = 10000000000000000000000'),
        ('port = "/dev/null"', 'port = "/dev/null"\nbaud = 2147483648'),
        ('port = "/dev/null"', 'port = "/dev/null"\nname = "sh\\noe"'),
        ('name = "BJ1"', 'name = "BJ\\u0007"'),
        ('rules = "nl"', 'rules = "/dev/zero"'),
        ('rules = "nl"', 'rules = "fifo"'),
        ('rules = "nl"', 'rules = "deep"'),
        ('file = "t.journal"', 'file = "/dev/zero"'),
        ('file = "t.journal"', 'file = "fifo"'),
    ],
)
def test_a_configuration_that_cannot_be_meant_is_told(
    tmp_path: Path, odd_files: dict[str, Path], change: tuple[str, str]
) -> None:
    assert odd_files
    config = tmp_path / "table.toml"
    config.write_text(TABLE.replace(*change), encoding="utf-8")
    told(tmp_path, "run", str(config))


def damaged(path: Path, *statements: str) -> None:
    """Change a journal with another program, past its triggers and types."""
    base = sqlite3.connect(path)
    names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
    for name in names:
        base.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()


REBUILT = (
    "CREATE TABLE event2 (seq INTEGER PRIMARY KEY, kind, version, at_utc_us, round_id, actor, caused_by, "
    "body, prev_hash, hash)",
    "INSERT INTO event2 SELECT * FROM event",
    "DROP TABLE event",
    "ALTER TABLE event2 RENAME TO event",
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET hash = 'text'",
        "UPDATE event SET hash = 'text' WHERE seq = (SELECT max(seq) FROM event)",
        "UPDATE event SET body = 17 WHERE seq = 2",
        "UPDATE event SET version = 'x' WHERE seq = 2",
        "UPDATE event SET kind = x'ff'",
        "DROP TABLE event",
    ],
)
@pytest.mark.parametrize("name", ["verify", "replay", "run"])
def test_a_journal_whose_columns_were_changed_is_told(tmp_path: Path, name: str, statement: str) -> None:
    path = tmp_path / "t.journal"
    poisoned(path, b"[" * 100_000)
    damaged(path, *REBUILT, statement)
    config = tmp_path / "table.toml"
    config.write_text(TABLE.replace("t.journal", str(path)), encoding="utf-8")
    people_file(tmp_path)
    told(tmp_path, name, str(config if name == "run" else path))
