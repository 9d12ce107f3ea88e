"""Build the wheels: dist/ for this Python and platform with the compiled parts, dist/pure/ for any other.

auditwheel determines the oldest Linux for the compiled one. The build needs only what set-up installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tools.build_hook import FORMS, VARIABLE

ROOT: Final = Path(__file__).resolve().parent.parent
DIST: Final = ROOT / "dist"
_FILE_TIME: Final = "1580601600"
"""Of each file in a wheel, as hatchling has it (2020-02-02): a second build has to be the same bytes."""

_TAG: Final = re.compile(r'platform tag:\s*"(\w+)"')
"""How `auditwheel show` says it."""


def build(form: str, folder: Path) -> Path:
    """Build one wheel of that form in an empty folder; exits with the builder's message on failure."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, VARIABLE: form}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return next(folder.glob("*.whl"))


def _audited(wheel: Path, folder: Path) -> Path:
    """The wheel with the platform tag that auditwheel finds, in another, empty folder.

    Nothing needs to be added to it, so that no tool that edits libraries is asked for. Where auditwheel
    cannot write the wheel, the tag that it shows goes into the name alone.
    """
    asked = ["repair", "--plat", "auto", "--patcher", "none", "--wheel-dir", str(folder), str(wheel)]
    done = _auditwheel(*asked)
    made = sorted(folder.glob("*.whl")) if folder.is_dir() else []
    if not done.returncode and made:
        return made[0]
    shown = _auditwheel("show", str(wheel))
    tag = _TAG.search(shown.stdout)
    if tag is None:
        sys.exit(done.stdout + done.stderr + shown.stdout + shown.stderr)
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(wheel, folder / re.sub(r"-[^-]+\.whl$", f"-{tag[1]}.whl", wheel.name)))


def _auditwheel(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "auditwheel", *arguments]
    dated = {"SOURCE_DATE_EPOCH": _FILE_TIME, **os.environ}
    return subprocess.run(command, env=dated, capture_output=True, text=True, check=False)


def wheels(folder: Path) -> dict[str, Path]:
    """Both wheels, built anew in a folder, by their form."""
    with tempfile.TemporaryDirectory() as scratch:
        made = {form: build(form, Path(scratch) / form) for form in FORMS}
        made["compiled"] = _audited(made["compiled"], Path(scratch) / "audited")
        folder.mkdir(parents=True, exist_ok=True)
        return {form: Path(shutil.copy(wheel, folder / wheel.name)) for form, wheel in made.items()}


def main() -> None:
    """Replace the wheels and name them. The compiled one is alone in dist/: pipx takes one wheel."""
    for old in DIST.rglob("stand17-*.whl"):
        old.unlink()
    made = wheels(DIST)
    (DIST / "pure").mkdir(exist_ok=True)
    made["pure"] = made["pure"].rename(DIST / "pure" / made["pure"].name)
    for form, wheel in made.items():
        sys.stdout.write(f"{form}: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
