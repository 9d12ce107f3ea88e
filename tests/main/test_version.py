"""What is installed: the version, and which parts are compiled; a log line where they are not."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from controller.runtime.compiled import engine_is_compiled

ROOT: Final = Path(__file__).parents[2]
START: Final = "from controller.main.program import log_slow_parts; log_slow_parts('{}')"


def run(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


@pytest.fixture
def pure(tmp_path: Path) -> Path:
    """The packages as a pure wheel has them."""
    left_out = shutil.ignore_patterns("*.so", "__pycache__", "frontend", "static")
    for package in ("controller", "drivers", "vision"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=left_out)
    return tmp_path


@pytest.mark.skipif(not engine_is_compiled(), reason="the engine was not compiled")
def test_the_version_says_what_is_compiled() -> None:
    shown = run("from controller.cli import main; main()", ROOT, "--version").stdout.splitlines()
    assert shown[:3] == [
        f"stand17 {version('stand17')}",
        "Engine: compiled.",
        "Card reader: compiled (_kernel.so).",
    ]
    assert run(START.format("live"), ROOT).stderr == ""


def test_what_is_not_compiled_is_said_by_the_version_and_at_the_start(pure: Path) -> None:
    shown = run("from controller.cli import main; main()", pure, "--version").stdout.splitlines()
    assert shown[0] == f"stand17 {version('stand17')}"
    assert shown[1].endswith("several times slower.")
    assert shown[2] == "Card reader: not compiled, no card can be read from pictures."
    assert shown[3].startswith("Files: never released, commit -, SHA-256 ")
    logged = [json.loads(line) for line in run(START.format("live"), pure).stderr.splitlines()]
    assert [(line["level"], line["event"], line["part"]) for line in logged] == [
        ("info", "not compiled", "engine"),
        ("info", "not compiled", "reader"),
    ]
    for line, said in zip(logged, shown[1:3], strict=True):
        assert line["text"].startswith(said)
        assert "Install the wheel" in line["text"]


def test_a_demo_says_nothing_of_an_engine_that_runs_from_its_sources(pure: Path) -> None:
    """Only that no picture can be read, where the reader's functions are missing."""
    (line,) = run(START.format("simulation"), pure).stderr.splitlines()
    assert json.loads(line)["part"] == "reader"
