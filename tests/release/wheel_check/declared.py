"""What the sources say of themselves: version, dated changelog, locks with hashes."""

import re
from datetime import date
from pathlib import Path
from typing import Final

from tools.compile import ROOT
from tools.lock import SOURCES, unpinned
from tools.release import ReleaseProblem, declared_version, require

HEADING: Final = re.compile(r"^## \[?(?P<name>[^\]\s]+)\]?(?: - (?P<day>\d{4}-\d\d-\d\d))?$", re.MULTILINE)
"""Keep a Changelog: a version and its day."""


def check_declarations(today: date) -> str:
    """The version; raises ReleaseProblem where changelog or locks do not fit it."""
    version = declared_version()
    check_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version, today)
    waiting = len(list((ROOT / "newsfragments").glob("*.*.md")))
    require(not waiting, f"{waiting} news fragments wait beside CHANGELOG.md: run `towncrier build`.")
    for name in SOURCES:
        check_lock(ROOT / "requirements" / f"{name}.txt")
    return version


def check_changelog(text: str, version: str, today: date) -> None:
    """The newest section has to be this version's, with a day that is not to come."""
    newest = HEADING.search(text)
    require(newest is not None, "CHANGELOG.md has no section such as `## 1.2.3 - 2030-12-31`.")
    assert newest is not None
    name, day = newest["name"], newest["day"]
    require(name == version, f"CHANGELOG.md begins with {name}, pyproject.toml says {version}.")
    require(day is not None, f"CHANGELOG.md gives {version} no day.")
    try:
        released = date.fromisoformat(day)
    except ValueError as error:
        raise ReleaseProblem(f"CHANGELOG.md: {day} is no day.") from error
    require(released <= today, f"CHANGELOG.md: {day} is still to come.")


def check_lock(path: Path) -> None:
    """Each package with its version and the hashes of its files."""
    wrong = unpinned(path.read_text(encoding="utf-8"))
    require(not wrong, f"{path.name}: without version or hash: {', '.join(wrong)}.")
