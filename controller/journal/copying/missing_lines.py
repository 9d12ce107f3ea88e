"""The lines of a journal that are missing elsewhere: entries that may leave, and heads that cover them."""

from collections.abc import Iterator
from pathlib import Path

from controller.journal.copying.content import Continued
from controller.journal.copying.entry_lines import encode
from controller.journal.entry import BadEntry, Entry
from controller.journal.head_file import Head
from controller.journal.keeping.keeper import KeptDiffers
from controller.journal.signed_heads import heads_beside
from controller.journal.store import JournalReader


def lines_after(
    journal: Path, known: Continued, released: int, limit: int | None = None
) -> tuple[list[bytes], Continued]:
    """The lines behind what is known elsewhere, and how far it goes with them: up to entry `released`.

    No more than `limit` entries. Raises `KeptDiffers` where the journal itself is damaged, `JournalError`
    where it cannot be read.
    """
    end, heads, lines = known.end, dict(known.heads), list[bytes]()
    last = released if limit is None else min(released, end.seq + limit)
    for entry in _entries(journal, end.seq + 1):
        if entry.seq > last:
            break
        if isinstance(entry, BadEntry):
            raise KeptDiffers
        lines.append(encode(entry) + b"\n")
        end = Head(entry.seq, entry.hash)
    for head in heads_beside(journal):
        if head is not None and head.number > heads.get(head.key, 0) and head.seq <= end.seq:
            lines.append(head.line(with_nonce=True).encode())
            heads[head.key] = head.number
    return lines, Continued(end, heads)


def _entries(journal: Path, first: int) -> Iterator[Entry | BadEntry]:
    reader = JournalReader(journal)
    try:
        yield from reader.read(first)
    finally:
        reader.close()
