"""The members of a floor's network: a folder for each, and the server's configuration."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from controller.domain import ConfigError, JournalError
from controller.floor.intake import KEY
from controller.floor.known_tables import KnownTables
from controller.floor.link.subjects import (
    STATES,
    commands_of,
    entries_of,
    receipts_of,
    state_of,
    views_of,
)
from controller.journal.head_file import TableKey
from controller.ports import PRIVATE

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


class FloorServers(NamedTuple):
    """Addresses of the floor's servers; `tls` is for the first one's configuration."""

    urls: tuple[str, ...]
    tls: ServerTls | None = None


class Newcomer(NamedTuple):
    """A table by its name, and its public key."""

    table: str
    public: str


class Enrolled(NamedTuple):
    """The written files: the member's folder, the server's configuration; and the pit's public key."""

    folder: Path
    server: Path
    commander: str


def enrol(
    floor: Path,
    archive: Path,
    newcomer: Newcomer,
    servers: FloorServers,
    new_password: Callable[[], str],
) -> Enrolled:
    """Add a table to the floor whose members are kept in this folder; the first one makes archive and pit.

    The table's key is registered in `archive`. Only the server's list of users is replaced. Raises
    `ConfigError` FLOOR_ENROLLED for an enrolled table, FLOOR_CERTIFICATE, FLOOR_UNWRITABLE; `JournalError`
    ARCHIVE_FOREIGN when another key has its name in the archive, ARCHIVE_UNWRITABLE, KEY_UNREADABLE.
    """
    table, public = newcomer
    name = re.sub(r"[^\w.-]", "_", table)
    folder = floor / "tables" / name
    if folder.exists():
        raise ConfigError("FLOOR_ENROLLED", table=table, path=str(folder))
    if not (floor / SERVER).exists():
        _require_certificate(servers)
    try:
        for path in (floor, archive):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not KnownTables((archive,)).enrol(public, table):
            raise JournalError("ARCHIVE_FOREIGN", table=table, key=public)
        keeper = TableKey.load_or_make(archive / KEY, {})
        key = _members(floor, servers, new_password)
        member = {"servers": list(servers.urls), "user": f"table-{name}", "inbox": f"_INBOX_{public}"}
        member |= {"commanders": [key.public], "archives": [keeper.public]}
        _member(floor, folder, member, _table(public), new_password())
        _write_users(floor)
    except OSError as error:
        raise ConfigError("FLOOR_UNWRITABLE", path=str(floor), reason=error.strerror or "") from error
    return Enrolled(folder, floor / SERVER, key.public)


def _require_certificate(servers: FloorServers) -> None:
    """Raise `ConfigError` FLOOR_CERTIFICATE where a server at tls:// has none, or its files are not there."""
    first, files = servers.urls[0], servers.tls
    missing = next((path for path in files or () if path is not None and not path.is_file()), None)
    if (files is None and first.startswith("tls:")) or missing is not None:
        raise ConfigError("FLOOR_CERTIFICATE", server=first, path=str(missing or "-"))


def _members(floor: Path, servers: FloorServers, new_password: Callable[[], str]) -> TableKey:
    """Archive, pit and server, where they are not there; the pit's key."""
    tls = servers.tls
    if tls is not None and tls.authority is not None and not (floor / _AUTHORITY).exists():
        _write(floor / _AUTHORITY, tls.authority.read_text())
    for name, rights in (("archive", _ARCHIVE), ("pit", _PIT)):
        if not (floor / name).exists():
            section = {"servers": list(servers.urls), "user": name, "inbox": f"_INBOX_{name}"}
            _member(floor, floor / name, section, rights, new_password())
    if not (floor / SERVER).exists():
        _write(floor / SERVER, _server(floor, urlsplit(servers.urls[0]).port or PORT, tls))
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


def _write_users(floor: Path) -> None:
    """The server's list, whole: of all members that are in the folder."""
    members = [json.loads(path.read_text()) for path in sorted(floor.glob(f"**/{_USER}"))]
    new = floor / f"{_USERS}.new"
    new.unlink(missing_ok=True)
    _write(new, f"authorization {{ users = {json.dumps(members, indent=1)} }}\n")
    new.replace(floor / _USERS)


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
    own = [receipts_of(public), commands_of(public), views_of(public)]
    return _rights([state_of(public), entries_of(public)], own, answers=True)


_ARCHIVE: Final = _rights([receipts_of("*"), "$JS.API.>", "$JS.ACK.>"], [], answers=True)
_PIT: Final = _rights([commands_of("*"), views_of("*")], [STATES], answers=False)
