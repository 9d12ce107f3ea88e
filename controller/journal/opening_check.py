"""The comparison before a journal is written to again, so that no evidence is overwritten.

A difference that a kill, a power cut or an older program cannot explain is refused, so that the files stay as
they are, or is a finding: then the table is held and the pit decides. The table of cases is in
docs/evidence.md.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from controller.domain import JournalError
from controller.journal.database import hash_at, last_seq, missing_triggers
from controller.journal.head_file import LOST, NO_HEADS, WITHDRAWN, Head, HeadNote, read_mark, read_note
from controller.journal.heads import SignedHead, heads_beside, heads_mark, heads_path
from controller.journal.table_key import TableKey
from controller.ports import Trouble

_STARTS: Final = """
SELECT CAST(body AS BLOB) FROM event
WHERE CAST(kind AS BLOB) = CAST('started' AS BLOB) ORDER BY seq
"""
_COMMITS: Final = "SELECT count(DISTINCT at_utc_us) FROM event"

_OPENING_COMMITS: Final = 2
"""The opening, and the first start."""


class OpeningCheck:
    """One journal, opened for reading, with its note, its end mark and its signed heads."""

    def __init__(self, path: Path, connection: apsw.Connection, key: TableKey | None) -> None:
        """Read the keys that the journal's starts name; nothing is compared yet."""
        self._path, self._connection, self._key = path, connection, key
        self._end = last_seq(connection)
        self._mark = None if key is None else read_mark(path, key.public)
        self._keys = tuple(self._started_with())

    def findings(self) -> tuple[Trouble, ...]:
        """Return the holds for the table; none when everything agrees.

        Raises `JournalError` JOURNAL_CUT_OFF, JOURNAL_REWRITTEN, OTHER_KEY, JOURNAL_ALTERED: this journal
        must not be written to.
        """
        if not self._end:
            require_nothing_noted(self._path)
            return ()
        self._require_own_key()
        note = read_note(self._path)
        found = [*self._of_note(note), *self._of_heads(note), *self._of_start(note), *self._of_mark()]
        if missing_triggers(self._connection, str(self._path)):
            found.append(Trouble("JOURNAL_UNGUARDED"))
        return tuple(found)

    def _started_with(self) -> Iterator[str]:
        """The keys that the journal's starts name, "" for a start of a program without one."""
        for (body,) in self._connection.execute(_STARTS):
            named = ""
            with suppress(RecursionError, TypeError, ValueError, AttributeError):
                named = str(json.loads(bytes(body)).get("key", ""))
            yield named

    def _require_own_key(self) -> None:
        named = [key for key in self._keys if key]
        if self._key is not None and named and named[-1] != self._key.public:
            raise JournalError("OTHER_KEY", path=str(self._path), key=named[-1], own=self._key.public)

    @property
    def _is_signed(self) -> bool:
        """Whether a key is known to have signed this journal: then an unsigned note is not ours."""
        return self._key is not None and any(self._keys)

    def _of_note(self, note: HeadNote | None) -> Iterator[Trouble]:
        if note is None:
            yield Trouble("JOURNAL_NOTE_MISSING")
        elif not note.genuine or (self._key is not None and self._is_signed and note.key != self._key.public):
            yield Trouble("JOURNAL_NOTE_FORGED")
        else:
            self._require(note.head)
            reached = hash_at(self._connection, note.following.seq) == note.following.hash
            last = note.following if reached else note.head
            # Without a key nothing is announced before a commit, and a kill may lose its note.
            if note.following == LOST:
                yield Trouble("REPORTS_LOST_AT_STOP")
            if note.following == WITHDRAWN and last.seq < self._end:
                yield Trouble("ENTRIES_UNCONFIRMED", (("seq", last.seq + 1), ("last", self._end)))
            elif note.key and last.seq < self._end:
                yield Trouble("JOURNAL_NOTE_BEHIND", (("noted", last.seq), ("found", self._end)))

    def _of_heads(self, note: HeadNote | None) -> Iterator[Trouble]:
        if self._key is None:
            return
        vouched = max(self._vouched(note), default=NO_HEADS)
        if not heads_path(self._path).exists():
            if vouched.seq or (self._is_signed and self._went_on()):
                yield Trouble("JOURNAL_HEADS_MISSING")
            return
        damaged = self._first_damaged(self._key.public)
        found = heads_mark(self._path, vouched.seq)
        if found != vouched:
            yield Trouble("JOURNAL_HEADS_CUT", (("found", found.seq), ("vouched", vouched.seq)))
        elif damaged:
            yield Trouble("JOURNAL_HEADS_DAMAGED", (("line", damaged),))

    def _vouched(self, note: HeadNote | None) -> Iterator[Head]:
        """The signed heads that this table says there were: in its note, in its end mark."""
        if note is not None and note.heads is not None and note.genuine and self._is_own(note):
            yield note.heads
        if self._mark is not None and self._has(self._mark.end):
            yield self._mark.heads

    def _is_own(self, note: HeadNote) -> bool:
        return self._key is not None and note.key == self._key.public

    def _first_damaged(self, public: str) -> int:
        """Compare heads with the journal up to a line that is not this table's: its number, 0 for none."""
        for number, head in enumerate(heads_beside(self._path), start=1):
            if head is None or (head.number, head.key) != (number, public) or not head.is_genuine:
                return number
            self._require_sealed(head)
        return 0

    def _of_mark(self) -> Iterator[Trouble]:
        """The table has signed that this journal went further once, or on otherwise."""
        if self._mark is not None and not self._has(self._mark.end):
            yield Trouble("JOURNAL_PUT_BACK", (("found", self._end), ("noted", self._mark.end.seq)))

    def _has(self, head: Head) -> bool:
        return hash_at(self._connection, head.seq) == head.hash

    def _went_on(self) -> bool:
        """Whether the table was more than opened: a program killed before that has signed no head."""
        commits: int = self._connection.execute(_COMMITS).get
        return len(self._keys) > 1 or commits > _OPENING_COMMITS

    def _of_start(self, note: HeadNote | None) -> Iterator[Trouble]:
        """A key that is older than the journal's starts would have been named by them.

        A program that is killed at its very first start may leave the opening alone, with a note that the key
        has signed.
        """
        if self._key is None or any(self._keys) or self._key.is_new:
            return
        if self._end > 1 or note is None or not self._is_own(note):
            yield Trouble("JOURNAL_UNSIGNED")

    def _require(self, head: Head) -> None:
        if head.seq > self._end:
            raise JournalError("JOURNAL_CUT_OFF", path=str(self._path), found=self._end, noted=head.seq)
        if head.seq and hash_at(self._connection, head.seq) != head.hash:
            raise JournalError("JOURNAL_REWRITTEN", path=str(self._path), seq=head.seq)

    def _require_sealed(self, head: SignedHead) -> None:
        if head.seq > self._end:
            raise JournalError("JOURNAL_CUT_OFF", path=str(self._path), found=self._end, noted=head.seq)
        if not head.seals(hash_at(self._connection, head.seq)):
            raise JournalError("JOURNAL_REWRITTEN", path=str(self._path), seq=head.seq)


def require_nothing_noted(path: Path) -> None:
    """Raise JOURNAL_CUT_OFF where a journal without entries, or none at all, is noted to have had some."""
    note = read_note(path)
    noted = [head.seq for head in heads_beside(path) if head is not None]
    noted += [note.head.seq] if note is not None and note.genuine else []
    if max(noted, default=0):
        raise JournalError("JOURNAL_CUT_OFF", path=str(path), found=0, noted=max(noted))
