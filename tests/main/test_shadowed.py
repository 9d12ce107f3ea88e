"""Where another program's package stands before one of ours, the command says so in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "from stand17_command import main; main()"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("other", ["controller/__init__.py", "vision.py"])
def test_another_program_s_package_is_named_with_its_place(other: str, tmp_path: Path) -> None:
    place = tmp_path / other
    place.parent.mkdir(exist_ok=True)
    place.write_text("")
    # As a machine with both installed, or with PYTHONPATH set.
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", START, "--version"],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"the package {Path(other).parts[0].removesuffix('.py')} of another program" in done.stderr
    assert str(place if place.parent == tmp_path else place.parent) in done.stderr
    assert "pipx" in done.stderr
