"""A bare environment of Python, a lock's packages and one wheel; the sources cannot be imported."""

import os
import subprocess
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tools.compile import ROOT
from tools.release.problem import require


class BareEnvironment(NamedTuple):
    """An environment, by its folder."""

    folder: Path

    @property
    def work(self) -> Path:
        """Return the working folder of commands and their output."""
        return self.folder / "work"

    def run(
        self, program: str, *arguments: str, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; raises ReleaseProblem where it fails."""
        command = [str(self.folder / "bin" / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self.work,
            env=clean() | dict(extra or {}),
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        require(not done.returncode, f"{program} {' '.join(arguments)} gave {done.returncode}:\n{said}")
        return done


def clean() -> dict[str, str]:
    """Return this environment's variables without those that redirect Python."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}


def installed(folder: Path, lock: str, wheel: Path) -> BareEnvironment:
    """Make the environment: the lock's packages, each file by its hash, and the wheel."""
    venv.create(folder, with_pip=True, symlinks=True)
    environment = BareEnvironment(folder)
    environment.work.mkdir()
    quiet = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    # A lock is complete; a pip older than 23.3 would ask for newer releases beside it.
    pinned = ("--no-deps", "--require-hashes", "-r", str(ROOT / "requirements" / f"{lock}.txt"))
    environment.run("python", *quiet, *pinned)
    environment.run("python", *quiet, "--no-deps", str(wheel))
    environment.run("python", "-m", "pip", "check")
    found = environment.run("python", "-c", "import controller, vision; print(*controller.__path__)").stdout
    require(str(folder.resolve()) in str(Path(found.strip()).resolve()), f"Runs from {found}, not the wheel.")
    return environment
