"""The kind of a file: a feed, a journal or a recording, by its first bytes."""

from pathlib import Path
from typing import Final, Literal

from controller.outputs import MCAP, SQLITE

FileKind = Literal["feed", "journal", "recording"]
_MAGIC: Final[dict[bytes, FileKind]] = {SQLITE: "journal", MCAP: "recording"}


def kind_of(name: str) -> FileKind:
    """Return the kind of a file; an unreadable or other file counts as a feed, whose reader reports it."""
    path = Path(name)
    if not path.is_file():
        # A pipe would wait for its writer, and lose the bytes read here.
        return "feed"
    try:
        with path.open("rb") as stream:
            start = stream.read(16)
    except OSError:
        return "feed"
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "feed")
