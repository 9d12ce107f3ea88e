"""How far the signed heads beside a journal have been checked: a prefix of the file, and its hash."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.signed_heads import SignedHead, heads_path, lines_from


class HeadsMark(NamedTuple):
    """The first so many bytes of the file are so many lines, heads of this table; `sha256` in hexadecimal."""

    bytes: int
    lines: int
    sha256: str


NOTHING_SEEN: Final = HeadsMark(0, 0, hashlib.sha256().hexdigest())


class SeenHeads:
    """Goes over the signed heads of a journal, each once."""

    def __init__(self, journal: Path, public: str) -> None:
        """Nothing is checked yet; `public` is the table's key."""
        self._path, self._public = heads_path(journal), public
        self._bytes = self._count = 0
        self._hash = hashlib.sha256()
        self._is_damaged = False

    @property
    def mark(self) -> HeadsMark:
        """How far it has come; nowhere where a line is not this table's: each start has to say so."""
        if self._is_damaged:
            return NOTHING_SEEN
        return HeadsMark(self._bytes, self._count, self._hash.hexdigest())

    def trusted(self, mark: HeadsMark) -> Iterator[SignedHead | None]:
        """The heads that were checked before, none where the file does not begin with them."""
        with suppress(OSError), self._path.open("rb") as file:
            front = file.read(mark.bytes)
            if len(front) == mark.bytes and hashlib.sha256(front).hexdigest() == mark.sha256:
                self._hash.update(front)
                self._bytes, self._count = mark.bytes, mark.lines
                yield from (head for _, head in lines_from(self._path, 0, mark.bytes))

    def further(self) -> Iterator[tuple[int, SignedHead | None]]:
        """The lines behind, each with its number, None for one that this table has not signed there.

        Raises `JournalError` HEADS_UNREADABLE.
        """
        for line, head in lines_from(self._path, self._bytes):
            number = self._count + 1
            is_own = (
                head is not None and (head.number, head.key) == (number, self._public) and head.is_genuine
            )
            self._is_damaged = self._is_damaged or not is_own
            self._hash.update(line)
            self._bytes, self._count = self._bytes + len(line), number
            yield number, head if is_own else None
