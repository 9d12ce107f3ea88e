"""From the copy of a journal to a journal that goes on with its chain, on a spare machine."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controller.domain.errors import JournalError
from controller.journal.copying.content import entries_of, heads_of
from controller.journal.entry import Entry, NewEntry
from controller.journal.private_files import PRIVATE, create_private
from controller.journal.signed_heads import SignedHead, heads_path
from controller.journal.store import Journal, require_place
from controller.journal.table_key import TableKey
from controller.ports.clock import Clock


class CopiedJournal(NamedTuple):
    """A copy that fits itself. `vouched` is the last entry that a signed head of the copy covers."""

    entries: tuple[Entry, ...]
    heads: tuple[SignedHead, ...]
    vouched: int


def checked_copy(copy: Path, public: str = "") -> CopiedJournal:
    """Read a copy whole; `public` is the key that has to have signed it, whichever it names when left out.

    Raises `JournalError` COPY_UNREADABLE, CHAIN_BROKEN, COPY_NOT_SIGNED, JOURNAL_REWRITTEN.
    """
    entries, heads = tuple(entries_of(copy)), heads_of(copy)
    if not entries:
        raise JournalError("COPY_UNREADABLE", path=str(copy), reason="no entry")
    for head in heads:
        if not head.is_genuine or (public and head.key != public):
            raise JournalError("COPY_NOT_SIGNED", path=str(copy))
        if head.seq > len(entries) or not head.seals(entries[head.seq - 1].hash):
            raise JournalError("JOURNAL_REWRITTEN", path=str(copy), seq=head.seq)
    if not heads:
        raise JournalError("COPY_NOT_SIGNED", path=str(copy))
    return CopiedJournal(entries, heads, max(head.seq for head in heads))


def take_over(
    path: Path, copied: CopiedJournal, key: TableKey, clock: Clock, news: Sequence[NewEntry]
) -> Journal:
    """Lay a journal that is not there yet out of a copy, and write `news` behind it.

    The heads of the same key come along. Another key signs from the first of the news on. Raises
    `JournalError` JOURNAL_TAKEN where a journal, or a part of one, is there.
    """
    path = require_place(path)
    for beside in (path, Path(f"{path}.head"), heads_path(path), Path(f"{path}-wal")):
        if beside.exists():
            raise JournalError("JOURNAL_TAKEN", path=str(beside))
    own = [head for head in copied.heads if head.key == key.public]
    if own:
        _write_heads(heads_path(path), own)
    create_private(path)
    return Journal.continued(path, clock, key, copied.entries, news)


def _write_heads(path: Path, heads: Sequence[SignedHead]) -> None:
    path.touch(PRIVATE)
    path.write_text("".join(head.line(with_nonce=True) for head in heads), encoding="ascii")
