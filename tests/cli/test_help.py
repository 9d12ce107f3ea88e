"""The list of commands and a file that is not there need neither cameras nor networks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import COMMANDS, GROUPS

PICTURES = {"cv2", "onnxruntime"}
READS = {"read", "calibrate", "enrol", "bench", "export"}
"""Commands whose own modules work on pictures; they load the reader before they know their files."""


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
        capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "120"},
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
    places = [entry.module for name, entry in COMMANDS.items() if name not in READS]
    code = f"import sys, importlib\nfor name in {places}: importlib.import_module(name)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & PICTURES == set()


@pytest.mark.parametrize("name", ["run", "doctor", "record"])
def test_a_missing_file_is_told_without_them(name: str, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "none.toml"
    status, shown, loaded = called(name, str(missing))
    assert (status in (2, os.EX_CONFIG), "none" in shown, loaded & PICTURES) == (True, True, set())


def test_houses_are_completed() -> None:
    asked = {"_STAND17_COMPLETE": "complete_bash", "COMP_WORDS": "stand17 demo --rules s", "COMP_CWORD": "3"}
    code = "from controller.cli import main; import sys; sys.argv[0] = 'stand17'; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **asked}
    )
    assert done.stdout.split() == ["spielbank"]


def test_pages_and_settings_come_with_the_program() -> None:
    status, shown, _ = called("docs")
    assert (status, "running\tRunning a table\t" in shown) == (0, True)
    status, shown, _ = called("docs", "running")
    assert (status, "# Running a table" in shown) == (0, True)
    status, shown, _ = called("docs", "nothing")
    assert (status, "running" in shown) == (2, True)
    status, shown, _ = called("config")
    assert (status, "[witnesses]" in shown) == (0, True)
