"""What no command may ever replace: journals with all that lies beside them, recordings, keys, kept heads."""

import re
from pathlib import Path
from typing import Final

SQLITE: Final = b"SQLite format 3\0"
MCAP: Final = b"\x89MCAP0\r\n"
"""How a journal and a recording begin."""

_NAMES: Final = (
    ".journal",
    ".mcap",
    ".mcap.partial",
    ".pins.jsonl",
    ".key",
    ".pem",
    ".signed",
    ".head",
    ".mark",
    ".copy",
)
"""A file with such a name stays, whatever is left of its content: damaged evidence is evidence."""

_BESIDE: Final = (
    "-wal",
    "-shm",
    "-journal",
    ".head",
    ".mark",
    ".signed",
    ".reserve",
)
"""What SQLite and this program read beside a journal: also one that is not there yet would change it."""

_CONTENT: Final = re.compile(
    rb"SQLite format 3\0|\x89MCAP0\r\n"
    # Keys as PEM, not certificates; the note of a head; a public key alone.
    rb"|\s*-----BEGIN (?!CERTIFICATE)|\d{20} [0-9a-f]{64}\n|[0-9a-f]{64}\s*$"
    # Signed heads, kept ones too.
    rb'|\{(?=[^\n]*"signature":)(?=[^\n]*"code":)(?=[^\n]*"seq":)'
    # A copy of a journal.
    rb'|\{"seq":\d+,"kind":"'
)
_LOOK_BYTES: Final = 4096


def is_evidence(path: Path) -> bool:
    """Whether this file, by its name or its content, must stay; True also for one that cannot be looked at.

    The name counts alone where the file is not there, and only beside a journal that is.
    """
    ending = next((end for end in _BESIDE if path.name.endswith(end)), "")
    if ending and path.with_name(path.name.removesuffix(ending) or "-").is_file():
        return True
    if not path.is_file():
        return False
    if path.name.endswith(_NAMES):
        return True
    try:
        with path.open("rb") as stream:
            return _CONTENT.match(stream.read(_LOOK_BYTES)) is not None
    except OSError:
        return True
