"""The files that a command is given by name or in folders, by the same rules for every command."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.cli.output import echo
from controller.domain import ConfigError
from controller.i18n import text

STANDARD_INPUT: Final = "-"
FEEDS: Final = (".feed.jsonl", ".feed.jsonl.gz")
_SUFFIXES: Final = (*FEEDS, ".journal", ".mcap", ".mcap.partial")
"""Which files of a folder are meant."""


def named_files(names: Sequence[str]) -> list[str]:
    """Return every named file, and those of named folders in order of their paths, each once.

    In a folder, anything but a regular file is skipped with a note on standard error. Raises `ConfigError`
    REPLAY_FOLDER_EMPTY, and FEED_UNREADABLE for a folder that cannot be listed and for a named pipe or
    device, which would block or never end.
    """
    found: list[str] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            found += _inside(path)
        elif name != STANDARD_INPUT and path.exists() and not path.is_file():
            raise ConfigError("FEED_UNREADABLE", file=name, reason="not a regular file")
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _inside(folder: Path) -> list[str]:
    meant = sorted(
        Path(place, name)
        for place, _, names in os.walk(folder, onerror=_unlisted)
        for name in names
        if name.endswith(_SUFFIXES)
    )
    regular = [str(file) for file in meant if file.is_file()]
    for file in meant:
        if not file.is_file():
            echo(text("files.left_out", {"path": str(file)}), err=True)
    if not regular:
        raise ConfigError("REPLAY_FOLDER_EMPTY", path=str(folder))
    return regular


def _unlisted(error: OSError) -> None:
    """A folder that has gone since its parent was listed holds nothing; any other one may hold files."""
    if not isinstance(error, FileNotFoundError):
        raise ConfigError("FEED_UNREADABLE", file=str(error.filename), reason=str(error.strerror)) from error
