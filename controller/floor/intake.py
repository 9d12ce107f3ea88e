"""The archive's intake of lines that tables send; the tables' keys; the members of the floor's network.

A file of the archive registers the first key of a table's name, as ssh's known hosts do. The house adds
another key of the same table, such as a spare machine's, as a line: `{"key": "64 digits", "table": "BJ1"}`.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from controller.domain import ConfigError, JournalError
from controller.floor.archive import (
    COPY,
    Archive,
    ArchivedJournal,
    Brought,
    file_state,
    plain_stem,
    read_once,
    sent_lines,
)
from controller.floor.messages import (
    SEAL_MAX,
    STATES,
    Receipt,
    nothing_of,
    opened,
    run_of,
    sealed,
    subject_of,
)
from controller.journal.copying import line_of
from controller.journal.entry import GENESIS, Entry, linked
from controller.journal.head_file import TableKey
from controller.journal.heads import opened_of
from controller.journal.keeping import AppendedFile
from controller.ports import PRIVATE

FILE: Final = "tables.jsonl"


class KnownTables:
    """The lines of one archive's file, or of several; they are read again once one has changed."""

    def __init__(self, archives: Collection[Path]) -> None:
        """Begin unread; a folder without the file has no keys."""
        self._files = tuple(archive / FILE for archive in archives)
        self._state: tuple[object, ...] = ()
        self._names: dict[str, str] = {}

    def table_of(self, key: str) -> str | None:
        """Return the table of this key; None for an unknown key."""
        return self._read().get(key)

    def enrol(self, key: str, table: str) -> bool:
        """Whether the key belongs to this table; the first key of a name is registered.

        Raises `JournalError` ARCHIVE_UNWRITABLE.
        """
        names = self._read()
        if key not in names and table not in names.values():
            line = json.dumps({"key": key, "table": table}).encode() + b"\n"
            try:
                AppendedFile(self._files[0], mode=PRIVATE).append(line)
            except OSError as error:
                reason = error.strerror or ""
                raise JournalError("ARCHIVE_UNWRITABLE", path=str(self._files[0]), reason=reason) from error
        return self._read().get(key) == table

    def _read(self) -> dict[str, str]:
        state = tuple(map(file_state, self._files))
        if state != self._state:
            self._names = {key: name for file in self._files for key, name in _lines_of(file)}
            self._state = state
        return self._names


def _lines_of(file: Path) -> list[tuple[str, str]]:
    """Return key and table of each line; an unreadable line registers no key."""
    found: list[tuple[str, str]] = []
    for line in file.read_bytes().split(b"\n") if file.exists() else ():
        try:
            fields = json.loads(line)
            found.append((str(fields["key"]), str(fields["table"])))
        except (KeyError, TypeError, ValueError):
            continue
    return found


HASH: Final = re.compile("[0-9a-f]{64}")

KEY: Final = "archive.key"
"""Name of the key's file in the archive."""


class SentRun(NamedTuple):
    """Lines of a table's journal, identified by the hash of its first entry; `name` is its file's name.

    `table` is the public key that must have signed `data` for this `attempt`.
    """

    table: str
    journal: str
    name: str
    attempt: str
    data: bytes

    def lines(self) -> bytes:
        """The lines. Raises `JournalError` RUN_NOT_SIGNED."""
        # A seal of another key is not looked into: the table's costs as long as its run is.
        own = f'"key": "{self.table}"'.encode() in self.data[:SEAL_MAX]
        found = opened("run", self.data, run_of(self.attempt, self.journal, self.name)) if own else None
        if found is None or found.key != self.table:
            raise JournalError("RUN_NOT_SIGNED", key=self.table)
        return found.body


class Intake:
    """Takes runs for one archive, each from the table that owns the journal."""

    def __init__(self, archive: Archive) -> None:
        """Open the intake; make the archive's key when there is none.

        Raises `JournalError` as `TableKey.load_or_make`.
        """
        self._archive, self._known = archive, KnownTables((archive.folder,))
        self.key: Final = TableKey.load_or_make(archive.folder / KEY, {})

    def receipt(self, journal: str, attempt: str) -> bytes:
        """Return the archive's position in a journal, signed for this question. Raises `JournalError`."""
        return sealed("receipt", self.position(journal).encode(), self.key, attempt)

    def position(self, journal: str) -> Receipt:
        """Return the archive's position in a journal, 0 for an unknown one. Raises `JournalError`."""
        if not HASH.fullmatch(journal):
            return nothing_of("")
        found = self._archive.journal_of(journal)
        return nothing_of(journal) if found is None else Receipt(journal, found.end, found.heads)

    def take(self, run: SentRun) -> Brought | None:
        """Store the new entries; None when the run does not begin at the archive's position and was not read.

        A run signed by another key, or of another table's journal, is an error in `Brought`; the second is
        also a finding. Raises `JournalError` ARCHIVE_UNWRITABLE as `Archive.bring`.
        """
        try:
            lines = run.lines()
            first = _first(lines)
            kept = self._kept(run, first)
        except JournalError as error:
            if error.code == "ARCHIVE_UNWRITABLE":
                raise
            return Brought(run.table, run.journal, 0, 0, error)
        last = None if kept is None else kept.end if first is None else kept.before(first.seq)
        if kept is None or last is None:
            return None
        source = Path(run.table) / f"{kept.path.stem}{COPY}"
        return self._archive.take_run(source, read_once(sent_lines(lines, last)), kept)

    def _kept(self, run: SentRun, first: Entry | None) -> ArchivedJournal | None:
        """The journal of a run; it is laid out for its first entry alone."""
        if not HASH.fullmatch(run.journal):
            return None
        # Nothing is created for an entry that does not have the hash that it says.
        begins = first is not None and first == linked(first, 1, GENESIS) and first.hash.hex() == run.journal
        stem = plain_stem(run.name)
        try:
            known = self._archive.journal_of(run.journal)
            if known is not None:
                self._require_own(run, known.table or stem)
            elif first is not None and begins:
                self._require_own(run, str(opened_of(first.body).get("table", "")) or stem)
                known = self._archive.journal_of(run.journal, stem)
            return known
        except OSError as error:
            raise JournalError("ARCHIVE_UNWRITABLE", path=stem, reason=error.strerror or "") from error

    def _require_own(self, run: SentRun, table: str) -> None:
        """Record and raise `JournalError` ARCHIVE_FOREIGN when a key sends another table's journal."""
        if not self._known.enrol(run.table, table):
            error = JournalError("ARCHIVE_FOREIGN", table=table, key=run.table)
            self._archive.find(run.table, run.journal, error)
            raise error


def _first(data: bytes) -> Entry | None:
    """The first entry of a run, not checked yet."""
    found = map(line_of, data.splitlines(keepends=True))
    return next((one for one in found if isinstance(one, Entry)), None)


SECTION: Final = "floor.toml"
"""In a member's folder: its `[floor]`, for a table's configuration or `--network`."""

_PASSWORD: Final = "floor.password"
_USER: Final = "user.json"
SERVER: Final = "server.conf"
_USERS: Final = "users.conf"
PIT_KEY: Final = "pit.key"
"""Name of the key's file of a pit's server."""
PORT: Final = 4222
_MONITOR_ABOVE: Final = 4000
"""The server's monitoring port above its own: 8222 beside 4222, as everywhere."""

_AUTHORITY: Final = "floor-ca.crt"
"""In a member's folder, and in the floor's: the certificate by which the server is known."""


class ServerTls(NamedTuple):
    """The house's own PEM files for the floor's server: certificate, its key, and the authority of both.

    Without an authority the server is known by those of each member's machine.
    """

    certificate: Path
    key: Path
    authority: Path | None = None


def enrol(
    floor: Path,
    archive: Path,
    table: str,
    public: str,
    *,
    servers: Sequence[str],
    tls: ServerTls | None = None,
    new_password: Callable[[], str],
) -> tuple[Path, str]:
    """Add a table to the floor whose members are kept in this folder; the first one makes archive and pit.

    Return the folder of the table, and the pit's public key. `public` is the table's key, which is registered
    in `archive`. `servers` are addresses; `tls` is for the configuration of the first of them. Only the
    server's list of users is replaced. Raises `ConfigError` FLOOR_ENROLLED for an enrolled table,
    FLOOR_CERTIFICATE, FLOOR_UNWRITABLE; `JournalError` ARCHIVE_FOREIGN when another key has its name in the
    archive, ARCHIVE_UNWRITABLE, KEY_UNREADABLE.
    """
    name = re.sub(r"[^\w.-]", "_", table)
    folder = floor / "tables" / name
    if folder.exists():
        raise ConfigError("FLOOR_ENROLLED", table=table, path=str(folder))
    if not (floor / SERVER).exists():
        first = servers[0]
        missing = next((path for path in tls or () if path is not None and not path.is_file()), None)
        if (tls is None and first.startswith("tls:")) or missing is not None:
            raise ConfigError("FLOOR_CERTIFICATE", server=first, path=str(missing or "-"))
    try:
        for path in (floor, archive):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not KnownTables((archive,)).enrol(public, table):
            raise JournalError("ARCHIVE_FOREIGN", table=table, key=public)
        keeper = TableKey.load_or_make(archive / KEY, {})
        key = _members(floor, servers, tls, new_password)
        member = {"servers": list(servers), "user": f"table-{name}", "inbox": f"_INBOX_{public}"}
        member |= {"commanders": [key.public], "archives": [keeper.public]}
        _member(floor, folder, member, _table(public), new_password())
        members = [json.loads(path.read_text()) for path in sorted(floor.glob(f"**/{_USER}"))]
        new = floor / f"{_USERS}.new"
        new.unlink(missing_ok=True)
        _write(new, f"authorization {{ users = {json.dumps(members, indent=1)} }}\n")
        new.replace(floor / _USERS)
    except OSError as error:
        raise ConfigError("FLOOR_UNWRITABLE", path=str(floor), reason=error.strerror or "") from error
    return folder, key.public


def _members(
    floor: Path, servers: Sequence[str], tls: ServerTls | None, new_password: Callable[[], str]
) -> TableKey:
    """Archive, pit and server, where they are not there; the pit's key."""
    if tls is not None and tls.authority is not None and not (floor / _AUTHORITY).exists():
        _write(floor / _AUTHORITY, tls.authority.read_text())
    for name, rights in (("archive", _ARCHIVE), ("pit", _PIT)):
        if not (floor / name).exists():
            section = {"servers": list(servers), "user": name, "inbox": f"_INBOX_{name}"}
            _member(floor, floor / name, section, rights, new_password())
    if not (floor / SERVER).exists():
        _write(floor / SERVER, _server(floor, urlsplit(servers[0]).port or PORT, tls))
    return TableKey.load_or_make(floor / "pit" / PIT_KEY, {})


def _member(
    floor: Path, folder: Path, section: Mapping[str, Any], rights: Mapping[str, Any], password: str
) -> None:
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, exist_ok=True)
    files = {"password_file": _PASSWORD}
    if (floor / _AUTHORITY).exists():
        files["authority"] = _AUTHORITY
        _write(folder / _AUTHORITY, (floor / _AUTHORITY).read_text())
    lines = [f"{name} = {json.dumps(value)}" for name, value in {**section, **files}.items()]
    _write(folder / _PASSWORD, f"{password}\n")
    _write(folder / SECTION, "\n".join(["[floor]", *lines, ""]))
    own = {**rights, "subscribe": {"allow": [*rights["subscribe"]["allow"], f"{section['inbox']}.>"]}}
    known = {"user": section["user"], "password": password, "permissions": own}
    _write(folder / _USER, json.dumps(known))


def _server(floor: Path, port: int, tls: ServerTls | None) -> str:
    files = {} if tls is None else {"cert_file": tls.certificate, "key_file": tls.key}
    named = ", ".join(f"{name}: {json.dumps(str(path.resolve()))}" for name, path in files.items())
    lines = (
        f"port: {port}",
        f'http: "127.0.0.1:{port + _MONITOR_ABOVE}"',
        f"jetstream {{ store_dir: {json.dumps(str(floor.resolve() / 'stream'))}, sync_interval: always }}",
        *([f"tls {{ {named} }}"] if named else []),
        f'include "{_USERS}"',
        "",
    )
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w") as file:
        file.write(text)


def _rights(publish: list[str], subscribe: list[str], *, answers: bool) -> dict[str, Any]:
    """Return a member's rights; its inbox is added with the member."""
    rights = {"publish": {"allow": publish}, "subscribe": {"allow": subscribe}}
    return rights | ({"allow_responses": True} if answers else {})


def _table(public: str) -> dict[str, Any]:
    """Its own state and entries out; its receipts, commands and questions in."""
    own = [subject_of("receipt", public), subject_of("command", public), subject_of("view", public)]
    return _rights([subject_of("state", public), subject_of("entries", public)], own, answers=True)


_ARCHIVE: Final = _rights([subject_of("receipt", "*"), "$JS.API.>", "$JS.ACK.>"], [], answers=True)
_PIT: Final = _rights([subject_of("command", "*"), subject_of("view", "*")], [STATES], answers=False)
