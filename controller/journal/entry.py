"""An entry of the journal, entries of earlier versions, and the names of the files.

The hash of an entry covers the stored bytes, never a re-encoding of them:

    SHA-256( prev_hash || header || body )
    header = seq, kind, version, at_utc_us, round_id, actor, caused_by, len(body); each followed by a
             line feed, numbers in decimal, "-" where a value is absent

`kind` and `actor` hold no line feed, so the header can be read in one way only. The first entry follows
thirty-two zero bytes.

Stored bytes are never rewritten. When the body of a kind changes its shape, its number in `VERSIONS` goes
up and `STEPS` gets the function that makes the new shape from the old one. So does a field that a released
program refuses: it then says that a later program wrote the entry, and not that the entry is damaged.

The files of a journal contain cards that lie face down. Other users may not even read their hashes: where
all but one card is known, 52 guesses find it.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.domain import JournalError
from controller.ports import MACHINE_DISK, PRIVATE, SideDisk

GENESIS: Final = bytes(32)
"""The hash before the first entry."""


class NewEntry(NamedTuple):
    """An entry to write. `body` is UTF-8 JSON; the journal assigns sequence, time and hashes."""

    kind: str
    body: bytes
    actor: str
    round_id: int | None = None
    caused_by: int | None = None
    version: int = 1


class Entry(NamedTuple):
    """A written entry with a verified place in the chain."""

    seq: int
    kind: str
    version: int
    at_utc_us: int
    round_id: int | None
    actor: str
    caused_by: int | None
    body: bytes
    prev_hash: bytes
    hash: bytes


class BadEntry(NamedTuple):
    """An entry that cannot be trusted: `code` is GAP, LINK, HASH, FORM or UNREADABLE."""

    seq: int
    code: str


def require_writable(new: NewEntry) -> None:
    """Raise `JournalError` ENTRY_UNWRITABLE where the header could be read in two ways, or not be written."""
    names = new.kind + new.actor
    try:
        names.encode()
    except UnicodeEncodeError as error:
        raise JournalError("ENTRY_UNWRITABLE", kind=new.kind) from error
    if "\n" in names:
        raise JournalError("ENTRY_UNWRITABLE", kind=new.kind)


def digest(entry: Entry) -> bytes:
    """Compute the hash of this entry, independent of `entry.hash`."""
    seq, kind, version, at_utc_us, round_id, actor, caused_by, body, prev_hash, _ = entry
    within, cause = "-" if round_id is None else round_id, "-" if caused_by is None else caused_by
    header = f"{seq}\n{kind}\n{version}\n{at_utc_us}\n{within}\n{actor}\n{cause}\n{len(body)}\n"
    return hashlib.sha256(prev_hash + header.encode() + body).digest()


def trusted(entry: Entry | BadEntry) -> Entry:
    """Return the entry itself. Raises `JournalError` CHAIN_BROKEN where it cannot be trusted."""
    if isinstance(entry, BadEntry):
        raise JournalError("CHAIN_BROKEN", seq=entry.seq, reason=entry.code)
    return entry


def linked(entry: Entry, seq: int, prev_hash: bytes | None) -> Entry | BadEntry:
    """Check an entry's place in the chain: it has to be number `seq` and to follow `prev_hash`.

    `prev_hash` is None when the entry before cannot be trusted: then only the entry itself is checked.
    """
    if entry.seq != seq:
        return BadEntry(seq, "GAP")
    if prev_hash is not None and entry.prev_hash != prev_hash:
        return BadEntry(seq, "LINK")
    return entry if digest(entry) == entry.hash else BadEntry(seq, "HASH")


Body = dict[str, Any]
Upcast = Callable[[Body], Body]

KINDS: Final = (
    "opened",
    "adopted",
    "started",
    "fact",
    "refused",
    "alert",
    "settled",
    "adjusted",
    "disputed",
    "trouble",
    "held",
    "resumed",
    "released",
    "inferred",
    "payout",
    "waiting",
    "ruled",
    "handled",
    "alert_step",
    "ordered",
    "answered",
    "named",
    "set_aside",
    "commanded",
    "signed_in",
    "signed_out",
    "pin_refused",
    "denied",
    "people",
    "people_changed",
    "carried",
    "day_ended",
)

VERSIONS: Final[Mapping[str, int]] = {**dict.fromkeys(KINDS, 1), "opened": 2}
"""The version of each kind that this program writes. `opened` 2 has the rules since 0.3.0."""


def _opened_1(body: Body) -> Body:
    """Name the options that came later: a table without them had no entries of theirs."""
    options = body.get("table_options")
    later = {"payouts": None, "shuffle_watch": False, "float_check": False}
    return body if options is None else {**body, "table_options": later | options}


STEPS: Final[Mapping[tuple[str, int], Upcast]] = {("opened", 1): _opened_1}
"""(kind, version) to the function that lifts a body to version + 1."""


def body_of(
    entry: Entry,
    versions: Mapping[str, int] = VERSIONS,
    steps: Mapping[tuple[str, int], Upcast] = STEPS,
) -> Body:
    """Lift the body to the present version of its kind.

    Raises `JournalError` ENTRY_TOO_NEW for a kind or version of a later program, ENTRY_UNREADABLE for a
    body that is not a JSON object.
    """
    known = versions.get(entry.kind)
    if known is None or entry.version > known:
        raise JournalError("ENTRY_TOO_NEW", seq=entry.seq, kind=entry.kind, version=entry.version)
    body = _parsed(entry)
    for version in range(entry.version, known):
        body = steps[entry.kind, version](body)
    return body


def _parsed(entry: Entry) -> Body:
    try:
        # As text: of bytes `json` first finds out which encoding they have.
        body = json.loads(entry.body.decode())
    except (ValueError, RecursionError) as error:
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind) from error
    if not isinstance(body, dict):
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind)
    return body


BESIDE: Final = ("", "-wal", "-shm", ".head", ".mark", ".signed", ".reserve")
"""What a journal's files add to its name."""


def create_private(journal: Path, disk: SideDisk = MACHINE_DISK) -> None:
    """Create the file where there is none; SQLite gives its write-ahead log the same rights.

    A folder that cannot be written is left for SQLite to name.
    """
    with suppress(OSError):
        os.close(disk.open(journal, os.O_RDWR | os.O_CREAT | os.O_EXCL))


def keep_private(journal: Path) -> None:
    """Remove other accounts' rights from files that an earlier program or a person has left.

    Only the owner can do this; another account is responsible for its own file.
    """
    for ending in BESIDE:
        with suppress(OSError):
            Path(f"{journal}{ending}").chmod(PRIVATE)


_RESERVE_BYTES: Final = 1 << 20
"""Room for what comes last: a batch as large as the inbox takes, with SQLite's pages around it."""


def require_one_name(path: Path) -> None:
    """Raise JOURNAL_LINKED for a file with a second name: SQLite would give each name a log of its own."""
    try:
        names = path.stat().st_nlink
    except OSError:
        return
    if names > 1:
        raise JournalError("JOURNAL_LINKED", path=str(path))


class JournalFiles:
    """The journal's file and the note of its head, as they lay on the disk when it was opened."""

    def __init__(self, path: Path) -> None:
        """Remember which files these are."""
        self._path = path
        self._files = (path, Path(f"{path}.head"))
        self._known = self._identities()

    def require_unmoved(self) -> None:
        """Raise `JournalError` JOURNAL_GONE or JOURNAL_LINKED when a write would be lost or torn."""
        if self._identities() != self._known:
            raise JournalError("JOURNAL_GONE", path=str(self._path))
        require_one_name(self._path)

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_identity(path) for path in self._files)


class DiskReserve:
    """Room on the disk beside a journal that nothing else can take: cards reported last are written there."""

    def __init__(self, journal: Path, disk: SideDisk) -> None:
        """Take the room; on a disk that is full already there is none, which the next entry says."""
        self._path, self._disk = Path(f"{journal}.reserve"), disk
        with suppress(OSError):
            handle = disk.open(self._path, os.O_RDWR | os.O_CREAT)
            try:
                disk.reserve(self._path, handle, _RESERVE_BYTES)
            finally:
                os.close(handle)

    def give_up(self) -> bool:
        """Let the journal have it; False where there was none."""
        try:
            self._disk.remove(self._path)
        except OSError:
            return False
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
