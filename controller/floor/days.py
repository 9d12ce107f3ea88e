"""The journals of a folder as days of tables: whose each is, how far it goes, which one it follows."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.domain.errors import JournalError
from controller.floor.journal_archive import journals_in
from controller.journal.checking.verify import VerifyReport, verify
from controller.journal.day_before import name_of, opened_of
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


EPOCH: Final = date(1970, 1, 1)
DAY_US: Final = 86_400_000_000
DAYS_MAX: Final = 200 * 366

Named = tuple[str, ...]
"""A signed head as the next journal's first entry names it: table, key, number, code."""


class _Read(NamedTuple):
    path: Path
    table: str
    began_utc_us: int
    entries: int
    follows: Named | None
    before: str


def day_of(at_utc_us: int) -> date:
    """The day of a moment, UTC; one before 1970 or after two centuries counts as the first or the last."""
    return EPOCH + timedelta(days=min(max(at_utc_us // DAY_US, 0), DAYS_MAX))


def days_of(archive: Path) -> tuple[ArchivedDay, ...]:
    """Table by table, each table's days in order.

    Raises `JournalError` for a file that is no journal, ARCHIVE_NO_FOLDER, ARCHIVE_EMPTY: of nothing nothing
    is proved.
    """
    read = sorted(map(_read, journals_in(archive)), key=lambda one: (one.table, one.began_utc_us))
    if not read:
        raise JournalError("ARCHIVE_EMPTY", path=str(archive))
    last, found = _heads(read)
    begun: set[str] = set()
    followed: set[Named | None] = set()
    days: list[ArchivedDay] = []
    for one in read:
        is_here = found.get(one.follows, one.path) != one.path
        # Two that begin anew, or go on from one, leave open what lies between.
        is_second = one.table in begun if one.follows is None else one.follows in followed
        place: Place = "first" if one.follows is None else "follows" if is_here else "missing"
        days.append(_day(one, last.get(one.path), "unchained" if is_second and place != "missing" else place))
        followed.add(one.follows)
        begun.add(one.table)
    return tuple(days)


def _heads(read: Sequence[_Read]) -> tuple[dict[Path, SignedHead], dict[Named | None, Path]]:
    """The last head of each journal, and in which journal a head lies that another one names."""
    wanted = {one.follows for one in read}
    last: dict[Path, SignedHead] = {}
    found: dict[Named | None, Path] = {}
    for one in read:
        for head in filter(None, heads_beside(one.path)):
            if one.path not in last or head.seq >= last[one.path].seq:
                last[one.path] = head
            if name_of(head._asdict()) in wanted:
                found[name_of(head._asdict())] = one.path
    return last, found


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
        first, entries = next(reader.read(), None), reader.last_seq()
    finally:
        reader.close()
    opened = opened_of(first.body) if isinstance(first, Entry) else {}
    follows = opened.get("follows")
    return _Read(
        path=path,
        table=str(opened.get("table", "")),
        began_utc_us=first.at_utc_us if isinstance(first, Entry) else 0,
        entries=entries,
        follows=name_of(follows) if isinstance(follows, dict) else None,
        before=str(follows.get("journal", "")) if isinstance(follows, dict) else "",
    )


def _day(own: _Read, last: SignedHead | None, place: Place) -> ArchivedDay:
    return ArchivedDay(
        journal=own.path.name,
        table=own.table,
        began_utc_us=own.began_utc_us,
        entries=own.entries,
        signed=0 if last is None else last.seq,
        key="" if last is None else last.key,
        follows=own.before,
        place=place,
    )
