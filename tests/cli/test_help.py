"""The list of commands and a file that is not there need neither cameras nor networks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import COMMANDS, GROUPS
from tests.cli.called_kit import Called, called
from tests.forked_process import command

PICTURES = {"cv2", "onnxruntime"}

MISSING = [
    "run none.toml",
    "doctor none.toml",
    "record none.toml",
    "read none.jpg",
    "read none.jpg none.jpg",
    "read none.jpg --layout none.toml",
    "calibrate none.jpg --mark 1=2,3",
    "calibrate none.toml --mark 1=2,3",
    "calibrate shoe none.toml",
    "enrol none.jpg -o new.deck --order As",
    "enrol none.mcap -o new.deck",
    "export 1 --out new.mcap --recording none.mcap",
    "export 1 --out new.mcap --journal none.journal",
    "verify none.journal",
    "report none.journal",
    "show none.journal --round 1",
    "replay none.feed.jsonl",
]
NEED_DATABASE = {"pit", "record", "table"}
"""A default, a base class and the kinds of rows in their help stand in modules that load the database."""

CALLS = [
    *("", "--help", "demo --help", "report --help", "calibrate --help", "people --help"),
    *("docs", "docs running", "docs nothing", "config", *MISSING),
]
"""What loads least comes first: all are called in one interpreter."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Called]:
    """How each of `CALLS` ended, in an empty folder."""
    calls = [tuple(words.split()) for words in CALLS]
    return {
        " ".join(words): found for words, found in called(calls, tmp_path_factory.mktemp("empty")).items()
    }


def test_the_program_alone_lists_its_commands_in_five_groups_and_where_its_pages_are(
    ended: dict[str, Called],
) -> None:
    for words in ("", "--help"):
        status, shown, loaded = ended[words]
        assert status == 0
        assert [group for group in GROUPS if f"─ {group} ─" not in shown] == []
        assert [name for name in COMMANDS if f"│ {name} " not in shown] == []
        assert "stand17 docs" in shown
        assert not loaded & (PICTURES | {"fastapi", "numpy"})
    assert len(GROUPS) == 5


@pytest.mark.parametrize(
    ("commands", "unloaded"),
    [
        (COMMANDS.keys() - NEED_DATABASE, {"fastapi", "numpy", "serial", "apsw", "cryptography", "mcap"}),
        (NEED_DATABASE, {"fastapi", "numpy"}),
    ],
)
def test_no_help_loads_what_only_the_command_itself_needs(commands: set[str], unloaded: set[str]) -> None:
    places = sorted(COMMANDS[name].module for name in commands)
    code = f"import sys, importlib\nfor name in {places}: importlib.import_module(name)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & (PICTURES | unloaded) == set()


@pytest.mark.parametrize("words", MISSING)
def test_a_missing_file_is_named_without_them(words: str, ended: dict[str, Called]) -> None:
    status, shown, loaded = ended[words]
    assert (status in (1, 2, os.EX_CONFIG), "none." in shown, loaded & PICTURES) == (True, True, set())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("demo --rules s", ["spielbank"]),
        ("demo --source b", ["both"]),
        ("replay --source b", ["both"]),
        ("calibrate table.toml --camera o", ["overhead"]),
        ("enrol table.toml --camera o", ["overhead"]),
        ("enrol none.toml --camera o", []),
    ],
)
def test_houses_sources_and_cameras_are_completed(line: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('[[camera]]\nname = "overhead"\n[[camera]]\nname = "left"\n')
    at = str(len(line.split()))
    asked = {"_STAND17_COMPLETE": "complete_bash", "COMP_WORDS": f"stand17 {line}", "COMP_CWORD": at}
    done = command(*line.split(), changes=asked, folder=tmp_path)
    assert done.stdout.split() == words


@pytest.mark.parametrize("name", ["calibrate", "people"])
def test_help_of_a_command_says_where_the_pages_are(name: str, ended: dict[str, Called]) -> None:
    status, shown, _ = ended[f"{name} --help"]
    assert (status, "stand17 docs" in shown) == (0, True)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("docs", 0, "running\tRunning a table\t"),
        ("docs running", 0, "# Running a table"),
        ("docs nothing", 2, "running"),
        ("config", 0, "[witnesses]"),
    ],
)
def test_pages_and_settings_come_with_the_program(
    words: str, status: int, told: str, ended: dict[str, Called]
) -> None:
    assert (ended[words].status, told in ended[words].shown) == (status, True)
