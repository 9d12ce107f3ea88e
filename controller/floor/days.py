"""The journals of a folder as days of tables: the table, the last entry, and the preceding journal."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.domain import JournalError
from controller.floor.archive import journals_in
from controller.journal.checking import VerifyReport, verify
from controller.journal.entry import Entry, trusted
from controller.journal.heads import SignedHead, heads_beside, name_of, opened_of
from controller.journal.store import JournalReader

Place = Literal["first", "follows", "missing", "unchained"]
"""The table's first journal · it follows the one before · that one is not here · nothing says which it is."""

GAPS: Final[tuple[Place, ...]] = ("missing", "unchained")


class ArchivedDay(NamedTuple):
    """An archived journal: its entries, and the last one signed by the table's `key`; "" without a signature.

    `follows` is the file of the preceding journal, "" for none.
    """

    journal: str
    table: str
    began_utc_us: int
    entries: int
    signed: int
    key: str
    follows: str
    place: Place


class ArchiveDays(NamedTuple):
    """The days of an archive, table by table, each table's in order; and why a file is none, by its name."""

    days: tuple[ArchivedDay, ...]
    unread: Mapping[str, JournalError]


_EPOCH: Final = date(1970, 1, 1)
DAY_US: Final = 86_400_000_000
_DAYS_MAX: Final = 200 * 366

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
    return _EPOCH + timedelta(days=min(max(at_utc_us // DAY_US, 0), _DAYS_MAX))


def days_of(archive: Path) -> ArchiveDays:
    """Read the first entry of each journal; an unreadable one does not stop the others.

    Raises `JournalError` ARCHIVE_NO_FOLDER, and ARCHIVE_EMPTY, since an empty archive proves nothing.
    """
    read, unread = list[_Read](), dict[str, JournalError]()
    for path in journals_in(archive):
        try:
            read.append(_read(path))
        except JournalError as error:
            unread[path.name] = error
    if not read and not unread:
        raise JournalError("ARCHIVE_EMPTY", path=str(archive))
    read.sort(key=lambda one: (one.table, one.began_utc_us))
    last, found = _heads(read, unread)
    read = [one for one in read if one.path.name not in unread]
    begun: set[str] = set()
    followed: set[Named | None] = set()
    days: list[ArchivedDay] = []
    for one in read:
        is_here = found.get(one.follows, one.path) != one.path
        # Two journals that begin a chain, or follow the same one, leave a gap of unknown content.
        is_second = one.table in begun if one.follows is None else one.follows in followed
        place: Place = "first" if one.follows is None else "follows" if is_here else "missing"
        days.append(_day(one, last.get(one.path), "unchained" if is_second and place != "missing" else place))
        followed.add(one.follows)
        begun.add(one.table)
    return ArchiveDays(tuple(days), unread)


def _heads(
    read: Sequence[_Read], unread: dict[str, JournalError]
) -> tuple[dict[Path, SignedHead], dict[Named | None, Path]]:
    """Return the last head of each journal, and the journal of each head that another journal names.

    A journal with unreadable heads goes to `unread`.
    """
    wanted = {one.follows for one in read}
    last: dict[Path, SignedHead] = {}
    found: dict[Named | None, Path] = {}
    for one in read:
        try:
            for head in filter(None, heads_beside(one.path)):
                if one.path not in last or head.seq >= last[one.path].seq:
                    last[one.path] = head
                if name_of(head._asdict()) in wanted:
                    found[name_of(head._asdict())] = one.path
        except JournalError as error:
            unread[one.path.name] = error
    return last, found


def faults_of(journal: Path) -> tuple[JournalError, ...]:
    """Return the faults of an archived journal: its chain, its file, or a head that signs another entry."""
    try:
        return (*_of_file(verify(journal, _Unfolded(), lambda _: None)), *_of_heads(journal))
    except JournalError as error:
        return (error,)


class _Unfolded:
    """The chain alone is walked: folding a shift takes seconds, and `stand17 verify` does it."""

    def __call__(self, entry: Entry) -> None:
        """Accept every entry."""

    def end(self) -> None:
        """Require no further entry."""


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
        found, entries = next(reader.read(), None), reader.last_seq()
    finally:
        reader.close()
    if found is None:
        raise JournalError("NOT_OPENED", seq=1, kind="-")
    first = trusted(found)
    opened = opened_of(first.body)
    follows = opened.get("follows")
    return _Read(
        path=path,
        table=str(opened.get("table", "")),
        began_utc_us=first.at_utc_us,
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
