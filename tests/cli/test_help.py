"""The list of commands and a file that is not there need neither cameras nor networks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import COMMANDS, GROUPS

PICTURES = {"cv2", "onnxruntime"}

CALL = """
import json, sys
from controller.cli import main
status = 0
try:
    main()
except SystemExit as ended:
    status = ended.code or 0
sys.stdout.flush()
print(json.dumps([status, *sorted(sys.modules)]), file=sys.stderr)
"""


def called(*words: str) -> tuple[int, str, set[str]]:
    """A command in a new interpreter: exit status, both outputs, and what it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "COLUMNS": "120"},
    )  # fmt: skip
    status, *modules = json.loads(done.stderr.splitlines()[-1])
    return status, done.stdout + done.stderr, set(modules)


def test_the_program_alone_lists_its_commands_in_five_groups_and_where_its_pages_are() -> None:
    for words in ((), ("--help",)):
        status, shown, loaded = called(*words)
        assert status == 0
        assert [group for group in GROUPS if f"─ {group} ─" not in shown] == []
        assert [name for name in COMMANDS if f"│ {name} " not in shown] == []
        assert "stand17 docs" in shown
        assert not loaded & (PICTURES | {"fastapi", "numpy"})
    assert len(GROUPS) == 5


def test_no_command_loads_opencv_or_onnxruntime_before_it_is_called() -> None:
    places = [entry.module for entry in COMMANDS.values()]
    code = f"import sys, importlib\nfor name in {places}: importlib.import_module(name)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & PICTURES == set()


@pytest.mark.parametrize(
    "words",
    [
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
    ],
)
def test_a_missing_file_is_named_without_them(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, shown, loaded = called(*words.split())
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
def test_houses_sources_and_cameras_are_completed(
    line: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text('[[camera]]\nname = "overhead"\n[[camera]]\nname = "left"\n')
    at = str(len(line.split()))
    asked = {"_STAND17_COMPLETE": "complete_bash", "COMP_WORDS": f"stand17 {line}", "COMP_CWORD": at}
    code = "from controller.cli import main; import sys; sys.argv[0] = 'stand17'; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **asked}
    )
    assert done.stdout.split() == words


@pytest.mark.parametrize("name", ["demo", "report"])
def test_help_of_a_command_opens_no_database_and_loads_no_keys(name: str) -> None:
    status, shown, loaded = called(name, "--help")
    assert (status, "--help" in shown, loaded & {"apsw", "cryptography", "fastapi"}) == (0, True, set())


@pytest.mark.parametrize("name", ["calibrate", "people"])
def test_help_of_a_command_says_where_the_pages_are(name: str) -> None:
    status, shown, _ = called(name, "--help")
    says = "stand17 docs" in shown
    assert (status, says) == (0, True)


def test_pages_and_settings_come_with_the_program() -> None:
    status, shown, _ = called("docs")
    assert (status, "running\tRunning a table\t" in shown) == (0, True)
    status, shown, _ = called("docs", "running")
    assert (status, "# Running a table" in shown) == (0, True)
    status, shown, _ = called("docs", "nothing")
    assert (status, "running" in shown) == (2, True)
    status, shown, _ = called("config")
    assert (status, "[witnesses]" in shown) == (0, True)
