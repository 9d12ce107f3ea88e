"""What a file is: a feed, a journal or a recording, known by its first bytes."""

from pathlib import Path
from typing import Final, Literal

from controller.outputs import MCAP, SQLITE

FileKind = Literal["feed", "journal", "recording"]
MAGIC: Final[dict[bytes, FileKind]] = {SQLITE: "journal", MCAP: "recording"}


def kind_of(name: str) -> FileKind:
    """Tell what a file is; what cannot be read or is no other kind is left to the feed's own errors."""
    path = Path(name)
    if not path.is_file():
        # A pipe would wait for its writer, and lose what is looked at.
        return "feed"
    try:
        with path.open("rb") as stream:
            start = stream.read(16)
    except OSError:
        return "feed"
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "feed")
