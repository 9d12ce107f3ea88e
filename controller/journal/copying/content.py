"""The file of a copy: lines of entries, and the signed heads that cover them, as they were written.

A line that a kill has torn stays, and its entry comes once more behind it: whatever is no line of ours is
passed over, and the chain shows what is missing.
"""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.copying.entry_lines import decode
from controller.journal.entry import GENESIS, Entry, digest, linked, trusted
from controller.journal.head_file import Head
from controller.journal.signed_heads import SignedHead, head_of, heads_in, newest_of
from controller.journal.store import JournalReader
from controller.outputs import open_regular

NOTHING: Final = Head(0, GENESIS)
_ENTRY: Final = b'{"seq":'
_TORN_MAX: Final = 64
"""Lines at the end that kills may have torn, one each."""


class Continued(NamedTuple):
    """How far a copy goes: its last entry, and the number of each key's last signed head."""

    end: Head
    heads: Mapping[str, int]


def copy_file(folder: Path, journal: Path) -> Path:
    """Where a folder keeps the copy of a journal."""
    return folder / f"{journal.name}.copy"


def entries_of(copy: Path) -> Iterator[Entry]:
    """The entries of a copy, each checked against the one before.

    Raises `JournalError` CHAIN_BROKEN with the first that is missing or changed, COPY_UNREADABLE.
    """
    last = NOTHING
    for entry in _decoded(copy):
        yield trusted(linked(entry, last.seq + 1, last.hash))
        last = Head(entry.seq, entry.hash)


def line_of(line: bytes) -> Entry | SignedHead | None:
    """What one line of a copy says, not checked yet; None for one that a kill has torn."""
    return decode(line) if line.startswith(_ENTRY) else head_of(line)


def heads_of(copy: Path) -> tuple[SignedHead, ...]:
    """The signed heads of a copy, in the order in which they were written."""
    return tuple(head for head in heads_in(copy) if head is not None)


def continued_by(copy: Path, journal: Path) -> Continued:
    """How far a copy goes that this journal continues; a copy that is not there goes nowhere.

    Raises `JournalError` NOT_CONTINUED where the journal ends before it, or has another entry there.
    """
    if not copy.exists():
        return Continued(NOTHING, {})
    end = _end(copy)
    if end.seq and _hash_in(journal, end.seq) != end.hash:
        raise JournalError("NOT_CONTINUED", path=str(journal), copy=str(copy), seq=end.seq)
    return Continued(end, newest_of(heads_of(copy)))


def _end(copy: Path) -> Head:
    """The last entry that is whole: its hash stands for all before it."""
    try:
        with os.fdopen(open_regular(copy), "rb") as file:
            tail = deque((line for line in file if line.startswith(_ENTRY)), _TORN_MAX)
    except OSError as error:
        raise _unreadable(copy, error) from error
    for line in reversed(tail):
        entry = decode(line)
        if entry is not None and digest(entry) == entry.hash:
            return Head(entry.seq, entry.hash)
    if tail:
        raise JournalError("COPY_UNREADABLE", path=str(copy), reason="no whole entry")
    return NOTHING


def _hash_in(journal: Path, seq: int) -> bytes:
    if not journal.exists() or not journal.stat().st_size:
        return b""
    reader = JournalReader(journal)
    try:
        return reader.hash_at(seq)
    finally:
        reader.close()


def _decoded(copy: Path) -> Iterator[Entry]:
    try:
        with os.fdopen(open_regular(copy), "rb") as file:
            for line in file:
                # A head is looked at where heads are asked for.
                entry = decode(line) if line.startswith(_ENTRY) else None
                if entry is not None:
                    yield entry
    except OSError as error:
        raise _unreadable(copy, error) from error


def _unreadable(copy: Path, error: OSError) -> JournalError:
    return JournalError("COPY_UNREADABLE", path=str(copy), reason=error.strerror or str(error))
