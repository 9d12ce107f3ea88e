"""A witness of heads: takes the signed heads of tables, and signs that each goes on from those before.

It holds a file of heads and a checkpoint for each table (`controller.journal.witnessed`), and no journal: it
cannot tell whether a head is true, but a table that has shown it one history can show nobody another one.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.keeping.appended_file import AppendedFile
from controller.journal.private_files import create_private
from controller.journal.signed_heads import SignedHead, head_of, heads_in
from controller.journal.table_key import TableKey
from controller.journal.witnessed import ENDING, HeadsCheckpoint, Tree
from controller.outputs import lock
from controller.ports.clock import Clock

KEY: Final = "witness.key"
SECOND_US: Final = 1_000_000

Verdict = Literal["witnessed", "no_head", "unknown_key", "two_histories"]
"""It is signed for · no head that its own key has signed · of no table that is witnessed here · what came
before says otherwise."""


class Answer(NamedTuple):
    """What became of a head: `note` is the signed checkpoint with it, `head` what it says; None for none."""

    verdict: Verdict
    head: SignedHead | None = None
    note: str = ""


class _Log:
    """The heads of one table's key, in the order in which they came."""

    def __init__(self, path: Path) -> None:
        create_private(path)
        self.file, self.tree = AppendedFile(path), Tree()
        self._known: dict[tuple[str, int], list[SignedHead]] = {}
        self.last: SignedHead | None = None
        for head in heads_in(path):
            if head is not None:
                self._take(head)

    def has(self, head: SignedHead) -> bool:
        return head in self._known.get((head.journal, head.number), ())

    def continues(self, head: SignedHead) -> bool:
        """Whether it is the next of the journal that is written, or begins another one."""
        last = self.last
        if last is None or head.number == 1:
            return True
        return head.journal == last.journal and head.number > last.number and head.seq >= last.seq

    def append(self, head: SignedHead) -> None:
        self.file.append(head.line(with_nonce=False).encode())
        self._take(head)

    def _take(self, head: SignedHead) -> None:
        self.tree.add(head.line(with_nonce=False).encode())
        self._known.setdefault((head.journal, head.number), []).append(head)
        self.last = head


class HeadsWitness:
    """Keeps what it witnesses in one folder, which no other program writes to; for one thread at a time."""

    def __init__(self, folder: Path, tables: Collection[str], clock: Clock) -> None:
        """`tables` are the public keys of those that are witnessed.

        Raises `JournalError` as `TableKey.load_or_make`, ARCHIVE_IN_USE where another program runs there.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._lock: Final = lock(folder / ".lock")
        except BlockingIOError as error:
            raise JournalError("ARCHIVE_IN_USE", path=str(folder)) from error
        self._folder, self._clock = folder, clock
        self._key = TableKey.load_or_make(folder / KEY, {})
        self.public: Final = self._key.public
        self._logs = {key: _Log(folder / f"{key}.signed") for key in tables}
        for key, log in self._logs.items():
            if log.tree.size:
                # It may have ended between the head and the signature.
                self._signed(key, log)

    def take(self, line: bytes) -> Answer:
        """Witness the line of a head; what contradicts an earlier one is never signed for. Raises OSError."""
        head = head_of(line)
        if head is None or not head.is_genuine:
            return Answer("no_head")
        log, head = self._logs.get(head.key), head._replace(nonce="")
        if log is None:
            return Answer("unknown_key", head)
        if log.has(head):
            return Answer("witnessed", head, self._note(head.key).read_text(encoding="utf-8"))
        if not log.continues(head):
            return Answer("two_histories", head)
        log.append(head)
        return Answer("witnessed", head, self._signed(head.key, log))

    def _note(self, key: str) -> Path:
        return self._folder / f"{key}{ENDING}"

    def _signed(self, key: str, log: _Log) -> str:
        """Sign for all heads of a table, and keep that in the place of what was signed before."""
        at_s = self._clock.utc_us() // SECOND_US
        note = HeadsCheckpoint(key, log.tree.size, log.tree.root).cosigned(self._key, at_s)
        draft = self._note(key).with_suffix(".new")
        with draft.open("wb") as file:
            file.write(note.encode())
            file.flush()
            # Whoever is answered may rely on it after a power cut.
            os.fsync(file.fileno())
        draft.replace(self._note(key))
        return note
