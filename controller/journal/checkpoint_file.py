"""The file `<journal>.checkpoint`: what the table was at an entry, signed by the table, in parts.

It is never the record. It may be deleted at any time, and one that is not this table's, of this program and
of this very chain is not looked at: then the whole journal is folded. An SQLite file of its own, so that the
journal's is opened by older programs too; a kill while it is written leaves the checkpoint before.

    digest    = SHA-256 of, for each part by name: name LF SHA-256( body )
    signature = Ed25519 of "stand17 checkpoint" LF and the mark, JSON with the fields of `CheckpointMark`
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from controller.journal.database import last_seq, walk
from controller.journal.entry import Entry
from controller.journal.head_file import Head
from controller.journal.table_key import TableKey, is_signed_by
from controller.ports.side_disk import PRIVATE

FORM: Final = 2
"""Changes with the form of the parts; a checkpoint of another form is not read."""

_CREATE: Final = """
CREATE TABLE part (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE mark (id INTEGER PRIMARY KEY CHECK (id = 1), told BLOB NOT NULL, signature BLOB NOT NULL) STRICT;
"""
_PUT_PART: Final = "INSERT OR REPLACE INTO part VALUES (?, ?)"
_PUT_MARK: Final = "INSERT OR REPLACE INTO mark VALUES (1, ?, ?)"


class CheckpointMark(NamedTuple):
    """Which state the parts are, and of which journal.

    `program` names what has folded it, `seq` and `hash` the entry that it was folded up to, `opened` the hash
    of entry 1, `digest` the parts. Hashes in hexadecimal.
    """

    form: int
    program: str
    key: str
    seq: int
    hash: str
    opened: str
    digest: str


class Checkpoint(NamedTuple):
    """A checkpoint that this table has signed and that fits its journal; `hashes` are those of its parts."""

    mark: CheckpointMark
    parts: Mapping[str, bytes]
    hashes: Mapping[str, bytes]


class CheckpointPart(NamedTuple):
    """One part to keep. The same `source` object as the last time is not written again."""

    source: object
    write: Callable[[], bytes]


class CheckpointRefused(Exception):
    """`code` is why a checkpoint is not looked at: CHECKPOINT_DAMAGED, _FORGED, _MISFIT, or _OLD.

    Old is one of another program or key, and no reason to worry.
    """

    def __init__(self, code: str) -> None:
        """Say why."""
        super().__init__(code)
        self.code: Final = code


def checkpoint_path(journal: Path) -> Path:
    """Where the checkpoint of a journal is."""
    return Path(f"{journal}.checkpoint")


def read_checkpoint(
    journal: Path, connection: apsw.Connection, key: TableKey, program: str
) -> Checkpoint | None:
    """Read the checkpoint beside a journal that `connection` reads; None where there is none.

    Raises `CheckpointRefused`. Nothing is changed on the disk.
    """
    path = checkpoint_path(journal)
    if not path.is_file():
        return None
    try:
        with closing(_connected(path, apsw.SQLITE_OPEN_READONLY)) as file:
            if not _words(file):
                # A kill beside the very first one.
                return None
            return _genuine(file, connection, key, program)
    except apsw.Error as error:
        raise CheckpointRefused("CHECKPOINT_DAMAGED") from error


def _genuine(file: apsw.Connection, journal: apsw.Connection, key: TableKey, program: str) -> Checkpoint:
    """Read mark and parts; nothing in it is used before the signature is checked.

    Whatever program has written it, the journal has to be the one that it was folded from.
    """
    if _words(file) != _words(_blank()):
        raise CheckpointRefused("CHECKPOINT_DAMAGED")
    row: Any = file.execute("SELECT told, signature FROM mark").fetchone()
    if row is None:
        raise CheckpointRefused("CHECKPOINT_DAMAGED")
    mark_text, signature = row
    mark = _mark_of(mark_text)
    if mark.key != key.public:
        raise CheckpointRefused("CHECKPOINT_OLD")
    if not is_signed_by(key.public, _message(mark_text), signature):
        raise CheckpointRefused("CHECKPOINT_FORGED")
    _require_fit(mark, journal)
    if (mark.form, mark.program) != (FORM, program):
        raise CheckpointRefused("CHECKPOINT_OLD")
    parts: dict[str, bytes] = dict(file.execute("SELECT name, body FROM part"))
    hashes = {name: _hashed(body) for name, body in parts.items()}
    if digest_of(hashes) != mark.digest:
        raise CheckpointRefused("CHECKPOINT_DAMAGED")
    return Checkpoint(mark, parts, hashes)


def _require_fit(mark: CheckpointMark, journal: apsw.Connection) -> None:
    """Raise CHECKPOINT_MISFIT where the journal has another entry there, or none, or begins otherwise."""
    if not _has(journal, 1, mark.opened):
        raise CheckpointRefused("CHECKPOINT_MISFIT")
    if not 0 < mark.seq <= last_seq(journal) or not _has(journal, mark.seq, mark.hash):
        raise CheckpointRefused("CHECKPOINT_MISFIT")


def _has(journal: apsw.Connection, seq: int, hash_hex: str) -> bool:
    entry = next(walk(journal, seq), None)
    return isinstance(entry, Entry) and entry.hash.hex() == hash_hex


def _mark_of(text: bytes) -> CheckpointMark:
    try:
        return CheckpointMark(**json.loads(text))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise CheckpointRefused("CHECKPOINT_DAMAGED") from error


class CheckpointFile:
    """Writes the checkpoints of one journal; for one thread at a time."""

    def __init__(self, journal: Path, key: TableKey, program: str) -> None:
        """Open nothing yet. `program` names what folds: another one does not read what this one wrote."""
        self._path, self._key, self._program = checkpoint_path(journal), key, program
        self._file: apsw.Connection | None = None
        self._known: dict[str, tuple[object, bytes]] = {}

    def know(self, parts: Mapping[str, CheckpointPart], found: Checkpoint) -> None:
        """Go on from a checkpoint that was read: what has not changed since then is not written again."""
        self._known = {
            name: (parts[name].source, hashed) for name, hashed in found.hashes.items() if name in parts
        }

    def save(
        self,
        head: Head,
        opened: bytes,
        parts: Mapping[str, CheckpointPart],
    ) -> None:
        """Put a state in the place of the one before, whole or not at all. Raises OSError where it cannot."""
        try:
            file = self._opened()
            changed, now = self._compared(parts)
            digest = digest_of({name: hashed for name, (_, hashed) in now.items()})
            mark = CheckpointMark(
                FORM,
                self._program,
                self._key.public,
                head.seq,
                head.hash.hex(),
                opened.hex(),
                digest,
            )
            mark_text = json.dumps(mark._asdict()).encode()
            self._write(
                file,
                changed,
                self._known.keys() - now.keys(),
                (mark_text, self._key.sign(_message(mark_text))),
            )
        except apsw.Error as error:
            self.close()
            self._known = {}
            raise OSError(str(error)) from error
        self._known = now

    def close(self) -> None:
        """Fold the write-ahead log into the file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(apsw.Error):
                file.close()

    def discard(self) -> None:
        """Take the checkpoint away: the next start folds everything."""
        self.close()
        self._known = {}
        remove_checkpoint(self._path)

    def _compared(
        self, parts: Mapping[str, CheckpointPart]
    ) -> tuple[list[tuple[str, bytes]], dict[str, tuple[object, bytes]]]:
        """The parts to write, and what is known of all of them once they are written."""
        changed: list[tuple[str, bytes]] = []
        now: dict[str, tuple[object, bytes]] = {}
        for name, part in parts.items():
            known = self._known.get(name)
            if known is None or known[0] is not part.source:
                body = part.write()
                known = part.source, _hashed(body)
                changed.append((name, body))
            now[name] = known
        return changed, now

    def _write(
        self,
        file: apsw.Connection,
        changed: list[tuple[str, bytes]],
        gone: Iterable[str],
        mark: tuple[bytes, bytes],
    ) -> None:
        # As plain statements: see `controller.journal.store`.
        file.execute("BEGIN IMMEDIATE")
        try:
            if not self._known:
                file.execute(_CREATE)
            file.executemany("DELETE FROM part WHERE name = ?", [(name,) for name in gone])
            file.executemany(_PUT_PART, changed)
            file.execute(_PUT_MARK, mark)
            file.execute("COMMIT")
        except BaseException:
            if file.in_transaction:
                file.execute("ROLLBACK")
            raise

    def _opened(self) -> apsw.Connection:
        """The file, begun anew where nothing is known of what it holds."""
        if self._file is None:
            if not self._known:
                remove_checkpoint(self._path)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE))
            self._path.chmod(PRIVATE)
            self._file = _connected(self._path, apsw.SQLITE_OPEN_READWRITE)
            self._file.pragma("journal_mode", "WAL")
            # What a power cut takes back is an older checkpoint, which fits its journal as well.
            self._file.pragma("synchronous", "NORMAL")
        return self._file


def remove_checkpoint(path: Path) -> None:
    """Remove a checkpoint with what SQLite lays beside it."""
    for ending in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").unlink()


def digest_of(hashes: Mapping[str, bytes]) -> str:
    """The hash of all parts, from the hash of each."""
    parts = b"".join([name.encode() + b"\n" + hashes[name] for name in sorted(hashes)])
    return hashlib.sha256(parts).hexdigest()


def _hashed(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def _message(mark_text: bytes) -> bytes:
    return b"stand17 checkpoint\n" + mark_text


def _connected(path: Path, flags: int) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(2000)
    connection.pragma("trusted_schema", "OFF")
    connection.pragma("cell_size_check", "ON")
    return connection


def _blank() -> apsw.Connection:
    blank = apsw.Connection(":memory:")
    blank.execute(_CREATE)
    return blank


def _words(connection: apsw.Connection) -> list[tuple[object, ...]]:
    """Every table, index, view and trigger that has been laid out, with its words."""
    return list(connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name"))
