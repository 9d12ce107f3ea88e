"""How far the signed heads beside a journal have been checked: a prefix of the file, and its hash."""

import hashlib
import re
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


class SealedHash(NamedTuple):
    """What a head says of the hash of entry `seq`, see `SignedHead`; in hexadecimal."""

    seq: int
    nonce: bytes
    code: bytes

    def seals(self, digest: bytes) -> bool:
        """Whether this is the hash that was signed."""
        nonce = bytes.fromhex(self.nonce.decode("ascii"))
        return hashlib.sha256(nonce + digest).hexdigest().encode() == self.code


_SEALS: Final = re.compile(rb'"code":"([0-9a-f]{64})",.*"nonce":"([0-9a-f]{64})",.*"seq":(\d+),')
"""In a line that the table wrote: read whole, thirty thousand of them take half a second."""

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

    def trusted(self, mark: HeadsMark) -> tuple[SealedHash, ...]:
        """What the heads say that were checked before; none where the file does not begin with them."""
        with suppress(OSError), self._path.open("rb") as file:
            front = file.read(mark.bytes)
            found = [SealedHash(int(seq), nonce, code) for code, nonce, seq in _SEALS.findall(front)]
            if hashlib.sha256(front).hexdigest() == mark.sha256 and len(found) == mark.lines:
                self._hash.update(front)
                self._bytes, self._count = mark.bytes, mark.lines
                return tuple(found)
        return ()

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
