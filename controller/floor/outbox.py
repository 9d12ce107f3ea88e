"""A table's journals as an outbox: the released entries that the archive lacks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from controller.domain import JournalError
from controller.floor.receipts import Receipt
from controller.journal.copying import NOTHING, Continued, lines_after
from controller.journal.heads import heads_beside, name_of, opened_of
from controller.journal.keeping import KeptDiffers
from controller.journal.store import JournalReader

RUN: Final = 256
"""Entries that go in one message: of a minute in a table's day, and of days for one that comes back."""


class OwnJournal:
    """One journal of a table; `id` is the hash of its first entry."""

    def __init__(self, path: Path) -> None:
        """Raises `JournalError` where it cannot be read."""
        self.path: Final = path
        reader = JournalReader(path)
        try:
            self.id: Final = reader.hash_at(1).hex()
            self.end: Final = reader.last_seq()
            opened = [body for _, body in reader.of_kind("opened")]
        finally:
            reader.close()
        follows = opened_of(opened[0]).get("follows") if opened else None
        self._follows: Mapping[str, Any] = follows if isinstance(follows, dict) else {}

    def require_same(self, receipt: Receipt) -> None:
        """Raise `KeptDiffers` when the archive's last entry differs from this journal's."""
        if receipt.end == NOTHING:
            return
        reader = JournalReader(self.path)
        try:
            if reader.hash_at(receipt.end.seq) != receipt.end.hash:
                raise KeptDiffers
        finally:
            reader.close()

    def lacking(self, receipt: Receipt, released: int) -> tuple[list[bytes], Continued]:
        """The next lines that the archive lacks; see `lines_after`."""
        return lines_after(self.path, receipt.continued, released, RUN)

    def before(self) -> "OwnJournal | None":
        """The same table's journal of the day before, where it lies beside this one."""
        if not self._follows:
            return None
        path = self.path.parent / Path(str(self._follows.get("journal", ""))).name
        wanted = name_of(self._follows)
        try:
            heads = (head for head in heads_beside(path) if head is not None)
            known = path != self.path and any(name_of(head._asdict()) == wanted for head in heads)
            return OwnJournal(path) if known else None
        except JournalError:
            return None


def days_back(journal: OwnJournal) -> Iterator[OwnJournal]:
    """The journals before this one, newest first: no more is played in any of them."""
    seen = {journal.path}
    while (before := journal.before()) is not None and before.path not in seen:
        seen.add(before.path)
        journal = before
        yield before
