"""Writes beside each network how it was made: configuration, commit, versions, figures."""

import json
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = "training.json"
PACKAGES: Final = ("numpy", "onnx", "onnxruntime", "onnxscript", "opencv-python-headless", "scipy", "torch")


class RunRecord(NamedTuple):
    """Facts common to all networks of a run."""

    configuration: dict[str, Any]
    source: dict[str, Any] | None
    versions: dict[str, str]

    def write(self, folder: Path, **figures: object) -> None:
        """Write FILE into a network's folder; `figures` are measurements of this network."""
        text = json.dumps({**self._asdict(), **figures}, indent=1, sort_keys=True)
        (folder / FILE).write_text(text + "\n", encoding="utf-8")


def begin_run(**configuration: object) -> RunRecord:
    """The record of a run that begins now, with all that decides its result."""
    return RunRecord(dict(configuration), _source(), _versions())


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _source() -> dict[str, Any] | None:
    """The commit, and whether tracked files differ from it; None outside a repository."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    return {"commit": commit, "changed": bool(_git("status", "--porcelain", "--untracked-files=no"))}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
