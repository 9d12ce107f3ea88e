"""Files that are made beside another one, none of which is ever overwritten: `NAME.anew-1.EXT` and so on."""

from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Final

FILES_MAX: Final = 1000
"""Beside one file: whoever needs more wants another mount, or another deck."""


def anew_beside(path: Path) -> Iterator[Path]:
    """Those that are there, in their order."""
    return takewhile(Path.exists, (_anew(path, number) for number in count(1)))


def next_beside(path: Path) -> Path | None:
    """The first that is not there yet; None where there are `FILES_MAX`."""
    free = (_anew(path, number) for number in range(1, FILES_MAX + 1))
    return next((one for one in free if not one.exists()), None)


def _anew(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.anew-{number}{path.suffix}")
