"""Each Python that set-up takes finds a wheel of everything, x86-64 and ARM, and the oldest packages do.

Asks the index, so at night.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tools.wheel import build

ROOT: Final = Path(__file__).resolve().parents[2]
MAKEFILE: Final = (ROOT / "Makefile").read_text(encoding="utf-8")


def taken() -> list[str]:
    """The versions that set-up looks for, the newest first."""
    found = re.search(r"for minor in ([\d ]+);", MAKEFILE)
    assert found
    return [f"3.{minor}" for minor in found[1].split()]


def test_each_python_that_is_promised_is_one_that_set_up_takes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert promised
    assert set(promised) <= set(taken())
    assert project["requires-python"] == f">={taken()[-1]}"


@pytest.mark.night
@pytest.mark.parametrize("lock", ["run", "table", "report", "floor", "dev"])
@pytest.mark.parametrize("platform", ["x86_64-manylinux_2_28", "aarch64-manylinux_2_28"])
@pytest.mark.parametrize("version", taken())
def test_no_package_has_to_be_built(lock: str, platform: str, version: str, tmp_path: Path) -> None:
    asked = (
        "install",
        "--quiet",
        "--dry-run",
        "--target",
        str(tmp_path),
        "--only-binary",
        ":all:",
        "--no-deps",
    )
    of = ("--python-platform", platform, "--python-version", version, "--require-hashes")
    done = subprocess.run(
        [ROOT / ".venv/bin/uv", "pip", *asked, *of, "-r", ROOT / f"requirements/{lock}.txt"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.night
def test_a_table_runs_on_the_oldest_packages_that_it_admits(tmp_path: Path) -> None:
    """A round from pixels and its shift on paper, with the lower bound of each dependency."""

    def done(*command: str | Path, at: Path = ROOT) -> None:
        ended = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    uv, oldest, programs = ROOT / ".venv/bin/uv", tmp_path / "oldest.txt", tmp_path / "venv/bin"
    extras = ("--extra", "report", "--extra", "floor", "--extra", "table")
    done(uv, "pip", "compile", "--resolution", "lowest-direct", "pyproject.toml", *extras, "-o", oldest)
    done(uv, "venv", "--python", sys.executable, tmp_path / "venv")
    wheel = build("compiled", tmp_path / "wheel")
    done(uv, "pip", "install", "--python", programs / "python", "--no-deps", "-r", oldest, wheel)
    stand17 = programs / "stand17"
    # At this speed the camera's pictures are read.
    dealing = ("--headless", "--source", "both", "--port", "0", "--rounds", "1", "--keep", "kept")
    done(stand17, "demo", *dealing, at=tmp_path)
    done(stand17, "report", "kept/demo.journal", "-o", "shift.pdf", at=tmp_path)
    done(stand17, "table", "kept/demo.journal", "-o", "rounds.parquet", at=tmp_path)
    done(programs / "python", "-c", "import nats, psycopg")
