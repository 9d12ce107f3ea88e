"""The journals of a folder as days of tables: whose each is, how far it goes, which one it follows."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.checking.verify import VerifyReport, verify
from controller.journal.day_before import follows_of, is_kept, opened_of
from controller.journal.entry import Entry
from controller.journal.signed_heads import SignedHead, heads_beside
from controller.journal.store import JournalReader

Place = Literal["first", "follows", "missing", "unchained"]
"""The table's first journal · it follows the one before · that one is not here · nothing says which it is."""

GAPS: Final[tuple[Place, ...]] = ("missing", "unchained")


class ArchivedDay(NamedTuple):
    """An archived journal: its entries, the last one that the table's `key` has signed; "" where none is.

    `follows` is the file of the journal that it goes on from, "" for none.
    """

    journal: str
    table: str
    began_utc_us: int
    entries: int
    signed: int
    key: str
    follows: str
    place: Place


class _Read(NamedTuple):
    path: Path
    table: str
    began_utc_us: int
    entries: int
    follows: Mapping[str, Any] | None
    heads: tuple[SignedHead, ...]


def days_of(journals: Sequence[Path]) -> tuple[ArchivedDay, ...]:
    """Table by table, each table's days in order. Raises `JournalError` for a file that is no journal."""
    read = sorted((_read(path) for path in journals), key=lambda one: (one.table, one.began_utc_us))
    return tuple(_day(one, read) for one in read)


def faults_of(journal: Path) -> tuple[JournalError, ...]:
    """What is wrong with an archived journal by itself: chain, file, or a head that seals another entry."""
    return (*_of_file(verify(journal, _Unfolded(), lambda _: None)), *_of_heads(journal))


class _Unfolded:
    """The chain alone is walked: folding a shift takes seconds, and `stand17 verify` does it."""

    def __call__(self, entry: Entry) -> None:
        """Nothing is asked of an entry."""

    def end(self) -> None:
        """Nothing has to follow."""


def _of_file(found: VerifyReport) -> Iterable[JournalError]:
    if found.misfit is not None:
        yield JournalError("CHAIN_BROKEN", seq=found.misfit.seq, reason=found.misfit.code)
    if found.altered:
        yield JournalError("JOURNAL_ALTERED", path=found.path, name=found.altered)
    if not found.sound:
        yield JournalError("JOURNAL_DAMAGED", path=found.path, reason="integrity_check")


def _of_heads(journal: Path) -> Iterable[JournalError]:
    reader = JournalReader(journal)
    try:
        for head in heads_beside(journal):
            if head is None or not head.is_genuine or not head.seals(reader.hash_at(head.seq)):
                yield JournalError(
                    "ARCHIVE_FORGED", journal=journal.name, seq=0 if head is None else head.seq
                )
    finally:
        reader.close()


def _read(path: Path) -> _Read:
    reader = JournalReader(path)
    try:
        opened, first = reader.of_kind("opened"), next(reader.read(), None)
        entries, began = reader.last_seq(), first.at_utc_us if isinstance(first, Entry) else 0
    finally:
        reader.close()
    heads = tuple(head for head in heads_beside(path) if head is not None)
    return _Read(path, str(opened_of(opened).get("table", "")), began, entries, follows_of(opened), heads)


def _day(own: _Read, read: Sequence[_Read]) -> ArchivedDay:
    last = max(own.heads, key=lambda head: head.seq, default=None)
    return ArchivedDay(
        journal=own.path.name,
        table=own.table,
        began_utc_us=own.began_utc_us,
        entries=own.entries,
        signed=0 if last is None else last.seq,
        key="" if last is None else last.key,
        follows="" if own.follows is None else str(own.follows.get("journal", "")),
        place=_place(own, read),
    )


def _place(own: _Read, read: Sequence[_Read]) -> Place:
    """What is known of the day before; two that begin anew, or go on from one, leave it open."""
    if own.follows is None:
        earlier = any(one.table == own.table and one.began_utc_us < own.began_utc_us for one in read)
        return "unchained" if earlier else "first"
    others = [one for one in read if one is not own]
    if not is_kept(own.follows, chain.from_iterable(one.heads for one in others)):
        return "missing"
    twice = any(one.follows == own.follows and one.began_utc_us <= own.began_utc_us for one in others)
    return "unchained" if twice else "follows"
