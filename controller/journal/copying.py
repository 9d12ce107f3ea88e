"""The copy of a journal on another disk: its lines, the thread that writes it, and the way back from it."""

import errno
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import JournalError
from controller.journal.entry import (
    GENESIS,
    BadEntry,
    Entry,
    NewEntry,
    create_private,
    digest,
    linked,
    trusted,
)
from controller.journal.head_file import Head, TableKey
from controller.journal.heads import SignedHead, head_of, heads_beside, heads_in, heads_path, newest_of
from controller.journal.keeping import RETRY_S, AppendedFile, KeptDiffers, PlaceKeeper, reason_of
from controller.journal.store import Journal, JournalReader, require_place
from controller.outputs import open_regular
from controller.ports import (
    MACHINE_DISK,
    PRIVATE,
    Clock,
    Report,
    ReportSink,
    SideDisk,
    StartWork,
    Trouble,
    WorkThread,
)

INT_MAX: Final = 2**63 - 1
"""What a column of the journal holds."""


def write_entry(entry: Entry) -> bytes:
    """Write an entry; `body` stays the text that the journal holds, hashes are hexadecimal."""
    fields = entry._asdict() | {
        "body": entry.body.decode("utf-8", "surrogateescape"),
        "prev_hash": entry.prev_hash.hex(),
        "hash": entry.hash.hex(),
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def read_entry(data: bytes) -> Entry | None:
    """Read an entry without checking its place in the chain; None for anything else."""
    try:
        fields = json.loads(data)
        whole = fields | {
            "body": fields["body"].encode("utf-8", "surrogateescape"),
            "prev_hash": bytes.fromhex(fields["prev_hash"]),
            "hash": bytes.fromhex(fields["hash"]),
        }
        entry = Entry(**whole)
        return entry if _fits(entry) else None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None


def _fits(entry: Entry) -> bool:
    """Whether a journal can store the entry. Raises ValueError for half a character."""
    names = entry.kind.encode() + entry.actor.encode()
    numbers = (entry.seq, entry.version, entry.at_utc_us, entry.round_id, entry.caused_by)
    # A truth value is none, though Python counts with it.
    known = [number for number in numbers if number is not None]
    fit = all(type(number) is int and -INT_MAX <= number <= INT_MAX for number in known)
    return fit and None not in numbers[:3] and b"\n" not in names


NOTHING: Final = Head(0, GENESIS)
_ENTRY: Final = b'{"seq":'
_TORN_MAX: Final = 64
"""Lines at the end that kills may have torn, one each."""


class Continued(NamedTuple):
    """The end of a copy: its last entry, and the number of each key's last signed head."""

    end: Head
    heads: Mapping[str, int]


def copy_file(folder: Path, journal: Path) -> Path:
    """Return a journal's copy in a folder."""
    return folder / f"{journal.name}.copy"


def entries_of(copy: Path) -> Iterator[Entry]:
    """The entries of a copy, each checked against the one before.

    Raises `JournalError` CHAIN_BROKEN with the first that is missing or changed, COPY_UNREADABLE.
    """
    last = NOTHING
    for entry in _decoded(copy):
        yield trusted(linked(entry, last.seq + 1, last.hash))
        last = Head(entry.seq, entry.hash)


def line_of(line: bytes) -> Entry | SignedHead | None:
    """Return the content of a copy's line, unchecked; None for a torn line."""
    return read_entry(line) if line.startswith(_ENTRY) else head_of(line)


def heads_of(copy: Path) -> tuple[SignedHead, ...]:
    """The signed heads of a copy, in the order in which they were written."""
    return tuple(head for head in heads_in(copy) if head is not None)


def continued_by(copy: Path, journal: Path) -> Continued:
    """Return the end of a copy that this journal continues; the beginning for a missing copy.

    Raises `JournalError` NOT_CONTINUED when the journal ends before it, or has another entry there.
    """
    if not copy.exists():
        return Continued(NOTHING, {})
    end = _end(copy)
    if end.seq and _hash_in(journal, end.seq) != end.hash:
        raise JournalError("NOT_CONTINUED", path=str(journal), copy=str(copy), seq=end.seq)
    return Continued(end, newest_of(heads_of(copy)))


def _end(copy: Path) -> Head:
    """The last entry that is whole: its hash stands for all before it."""
    try:
        with os.fdopen(open_regular(copy), "rb") as file:
            tail = deque((line for line in file if line.startswith(_ENTRY)), _TORN_MAX)
    except OSError as error:
        raise _unreadable(copy, error) from error
    for line in reversed(tail):
        entry = read_entry(line)
        if entry is not None and digest(entry) == entry.hash:
            return Head(entry.seq, entry.hash)
    if tail:
        raise JournalError("COPY_UNREADABLE", path=str(copy), reason="no whole entry")
    return NOTHING


def _hash_in(journal: Path, seq: int) -> bytes:
    if not journal.exists() or not journal.stat().st_size:
        return b""
    reader = JournalReader(journal)
    try:
        return reader.hash_at(seq)
    finally:
        reader.close()


def _decoded(copy: Path) -> Iterator[Entry]:
    try:
        with os.fdopen(open_regular(copy), "rb") as file:
            for line in file:
                # A head is looked at where heads are asked for.
                entry = read_entry(line) if line.startswith(_ENTRY) else None
                if entry is not None:
                    yield entry
    except OSError as error:
        raise _unreadable(copy, error) from error


def _unreadable(copy: Path, error: OSError) -> JournalError:
    return JournalError("COPY_UNREADABLE", path=str(copy), reason=error.strerror or str(error))


def lines_after(
    journal: Path, known: Continued, released: int, limit: int | None = None
) -> tuple[list[bytes], Continued]:
    """Return the lines after `known`, up to entry `released`, and the end with them.

    At most `limit` entries. Raises `KeptDiffers` for a damaged journal, `JournalError` for an unreadable one.
    """
    end, heads, lines = known.end, dict(known.heads), list[bytes]()
    last = released if limit is None else min(released, end.seq + limit)
    for entry in _entries(journal, end.seq + 1):
        if entry.seq > last:
            break
        if isinstance(entry, BadEntry):
            raise KeptDiffers
        lines.append(write_entry(entry) + b"\n")
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


NAME: Final = "copy"


class CopyPlace:
    """One file, appended to: the journal's entries up to the one that was released last."""

    def __init__(self, folder: Path, journal: Path, disk: SideDisk = MACHINE_DISK) -> None:
        """The folder has to be there: where a disk is not mounted, nothing is written in its stead."""
        self.name = str(folder)
        self._file = AppendedFile(copy_file(folder, journal), PRIVATE, disk)
        self._journal = journal
        self._known = Continued(NOTHING, {})

    def keep(self, released: int) -> None:
        """Append the missing lines up to entry `released`; they are on the disk when this returns.

        Raises `KeptDiffers` when the journal does not continue the copy, OSError when the disk fails.
        """
        if not self._file.path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.name)
        try:
            self._file.look_again(self._find_end)
            lines, following = lines_after(self._journal, self._known, released)
        except JournalError as error:
            if error.code in ("NOT_CONTINUED", "COPY_UNREADABLE"):
                raise KeptDiffers from error
            raise OSError(errno.EIO, error.code) from error
        if lines:
            self._file.append(b"".join(lines))
            self._known = following

    def _find_end(self) -> None:
        self._known = continued_by(self._file.path, self._journal)


class JournalCopier:
    """The copy of a table's journal, and the thread that writes it."""

    def __init__(
        self,
        place: CopyPlace,
        post: ReportSink,
        clock: Clock,
        doubt: Callable[[], None],
        retry_s: float = RETRY_S,
    ) -> None:
        """Prepare the copy; a failure is an alert, a difference a hold by `post` and a call of `doubt`."""
        self._post, self._clock, self._doubt = post, clock, doubt
        self._keeper = PlaceKeeper[int](place, self._not_kept, self._differs, retry_s)

    def open(self, start: StartWork = WorkThread) -> None:
        """Start."""
        self._keeper.open(start)

    def release(self, seq: int) -> None:
        """Have the entries up to this one copied; returns at once."""
        self._keeper.offer(seq)

    def close(self) -> None:
        """Try once more to write the waiting lines, then stop."""
        self._keeper.close()

    def _not_kept(self, place: str, error: OSError) -> None:
        params = (("place", place), ("reason", reason_of(error)))
        self._warn(Trouble("COPY_NOT_WRITTEN", params, hold=False))

    def _differs(self, place: str) -> None:
        self._doubt()
        self._warn(Trouble("JOURNAL_KEPT_DIFFERS", (("place", place),), hold=True))

    def _warn(self, trouble: Trouble) -> None:
        self._post(Report(NAME, self._clock.mono_ns(), (), (trouble,)))


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
