"""Commands on a floor: its network, its people, its tables, the pit's page."""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from controller.cli.application import AsJson, Config
from controller.cli.archive import Network, Server
from controller.cli.output import echo, echo_lines, print_answer, print_error
from controller.domain import ConfigError, JournalError
from controller.i18n import text
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.floor.archive import Archive
    from controller.floor.intake import KnownTables
    from controller.main.linked_pit import LinkedFloor
    from controller.main.pit_page import FoundJournal

_PASSWORD_BYTES: Final = 24

UNKNOWN: Final = "-"

_LOCAL: Final = ("127.0.0.1", "::1", "localhost")

app = typer.Typer(no_args_is_help=True, help="Let tables onto a floor's network, and see how they stand.")


@app.command("enroll")
def enroll(
    config: Config,
    *,
    server: Annotated[list[str], typer.Option(help="A server of the floor: nats://HOST:4222 or tls://…")],
    archive: Annotated[Path, typer.Option(help="The floor's archive: it knows the table's key then.")],
    into: Annotated[Path, typer.Option(help="The folder of the floor's members.")] = Path("floor"),
    certificate: Annotated[
        Path | None, typer.Option(help="The server's certificate, PEM, for a floor at tls://.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option("--key", help="Its private key, PEM.")] = None,
    authority: Annotated[
        Path | None, typer.Option(help="The house's authority that issued it; each member gets a copy.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a table onto the floor: its user and rights at the server, its `[floor]`, its password.

    The first table makes the server's configuration, the archive's user, the pit's user and key; at tls:// it
    names the server's certificate. Each member has a folder for its machine. A known table is refused.
    """
    from controller.config import load_config
    from controller.floor.intake import SECTION, SERVER, ServerTls, enrol
    from controller.main.trust import table_key

    key = table_key(loaded := load_config(config))
    tls = None if certificate is None or key_file is None else ServerTls(certificate, key_file, authority)
    member = (loaded.table.name, key.public)
    new_password = partial(secrets.token_urlsafe, _PASSWORD_BYTES)
    folder, commander = enrol(into, archive, *member, servers=server, tls=tls, new_password=new_password)
    if any(urlsplit(one).scheme != "tls" and urlsplit(one).hostname not in _LOCAL for one in server):
        echo(text("floor.enrolled_plain", {"server": server[0]}), err=True)
    if as_json:
        print_answer(
            "enrolled",
            table=loaded.table.name,
            key=key.public,
            commander=commander,
            folder=str(folder),
            server=str(into / SERVER),
        )
        return
    echo(text("floor.enrolled", {"table": loaded.table.name, "key": key.public}))
    echo(text("floor.enrolled_table", {"path": str(folder)}))
    echo_lines((folder / SECTION).read_text().splitlines())
    echo(text("floor.enrolled_server", {"path": str(into / SERVER)}))


@app.command("users")
def users(
    config: Config,
    *,
    write: Annotated[
        bool, typer.Option("--publish", help="Write the list for the other tables now.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the list of people that this table publishes for the floor (`[people] publish`), and list it.

    Exit status 1 when the published list differs from this table's.
    """
    from controller.config import load_config
    from controller.journal.head_file import is_signed_by
    from controller.main.trust import people_file, table_key
    from controller.people.store import BroughtPeople, publish

    loaded = load_config(config)
    to, file = loaded.people.publish, people_file(loaded.people, loaded.journal.file)
    if to is None:
        raise ConfigError("PEOPLE_NOT_PUBLISHED", path=str(config))
    key, register = table_key(loaded), file.register()
    if write:
        publish(file, to, key.sign)
    lies = BroughtPeople(
        file, to, lambda message, sign: is_signed_by(key.public, message, sign)
    ).signed_document()
    same = lies == file.document()
    if as_json:
        people = [
            {"id": one.id, "role": one.role, "disabled": one.disabled} for one in register.people.values()
        ]
        print_answer("floor_users", path=str(to), key=key.public, same=same, people=people)
    else:
        for one in register.people.values():
            mark = text("people.disabled_mark") if one.disabled else ""
            echo("\t".join((one.id, one.role, one.name, mark)).rstrip())
        said = "floor.users_same" if same else "floor.users_differ"
        echo(text(said, {"path": str(to), "key": key.public}), err=not same)
    raise typer.Exit(0 if same else 1)


@app.command("status")
def status(
    archive: Annotated[Path, typer.Argument(help="The floor's archive.")],
    server: Server = None,
    *,
    network: Network = None,
    as_json: AsJson = False,
) -> None:
    """List the floor's tables: reachable or not, archived entries, lag, the last receipt.

    Without --server or --network no table is asked.
    """
    # Not above: the other commands need no package for the network.
    import_module("controller.main.linked_table").require_extra()
    rows = import_module("controller.main.linked_pit").floor_status(archive, server or [], network)
    if as_json:
        print_answer("floor_status", archive=str(archive), tables=[row._asdict() for row in rows])
        return
    echo("\t".join(text(f"floor.status_{name}") for name in ("table", "live", "archived", "lag", "received")))
    for row in rows:
        live = UNKNOWN if row.live is None else text("floor.status_yes" if row.live else "floor.status_no")
        lag = UNKNOWN if row.lag is None else str(row.lag)
        echo("\t".join((row.table, live, str(row.archived), lag, _clock(row.received_utc_us))))


def _clock(at_utc_us: int) -> str:
    return f"{datetime.fromtimestamp(at_utc_us / 1e6, UTC):%Y-%m-%d %H:%M:%SZ}" if at_utc_us else UNKNOWN


def pit(
    folders: Annotated[list[Path] | None, typer.Argument(help="Folders of journals, or an archive.")] = None,
    *,
    into: Annotated[
        Path | None, typer.Option(help="Keep what the copies have new in this archive, and show that.")
    ] = None,
    server: Annotated[
        list[str] | None, typer.Option(help="A server of the floor's network: nats://HOST:4222 or tls://…")
    ] = None,
    network: Annotated[
        Path | None, typer.Option(help="A file with a [floor] section: servers, certificates, user.")
    ] = None,
    people: Annotated[
        Path | None, typer.Option(help="The people who sign in here and rule on tables of the network.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The key that signs, by default pit.key; made if missing.")
    ] = None,
    place: Annotated[
        list[str] | None, typer.Option(help="A table at the next place of the floor, '' for an empty place.")
    ] = None,
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8018,
) -> None:
    """Watch many tables on the pit's page: tiles, each table, its rounds, ledger, figures and record.

    Of each table the journal that was begun last is followed as it grows. Copies, which tables write
    themselves (`journal.copy_folder`), are checked and kept first: --into names the archive. With --server
    tables of the floor's network are there live, and with --people whoever signs in rules on those that
    have this key among their commanders; without, nothing can be ruled from here. The printed address works
    once, in one browser of this machine. Ends with Ctrl-C.
    """
    from controller.floor.archive import Archive
    from controller.floor.intake import PIT_KEY, KnownTables

    wanted = folders or []
    archives = KnownTables([*wanted, *([] if into is None else [into])])
    linked = _linked(server or [], network, None if people is None else key or Path(PIT_KEY), archives)
    with ExitStack() as opened:
        if into is None:
            journals = _journals(wanted)
        else:
            journals = _archived(opened.enter_context(Archive(into, SystemClock())), wanted, into)
        _serve(journals, linked, people, port, tuple(place or ()))


def _serve(
    journals: "Callable[[], Iterable[FoundJournal]]",
    linked: "LinkedFloor | None",
    people: Path | None,
    port: int,
    places: tuple[str, ...],
) -> None:
    """Serve the page until Ctrl-C; the printed address is its own."""
    from controller.main.archived_history import kept_histories
    from controller.main.pit_page import FloorTables, serve_pit
    from controller.main.trust import TablePeople
    from controller.people.access import AccessSettings
    from controller.people.store import PeopleFile

    floor = FloorTables(
        journals,
        SystemClock(),
        lambda _path, error: print_error(error),
        kept_histories(),
        (lambda _name: None) if linked is None else linked.remote,
    )
    signs_in = None if people is None else TablePeople(PeopleFile(people), AccessSettings())
    asyncio.run(serve_pit(floor, port, echo, linked, signs_in, places=places))


def _linked(
    servers: Sequence[str], network: Path | None, key: Path | None, known: "KnownTables"
) -> "LinkedFloor | None":
    """Return the tables of a network, None without one; `key` is that of a server that commands.

    Raises `ConfigError` as `floor_section`, `JournalError` as `TableKey.load_or_make`.
    """
    from controller.journal.head_file import TableKey
    from controller.main.linked_table import NetworkReport, floor_section

    if not servers and network is None:
        return None
    section = floor_section(servers, network)
    # Not above: folders need no network, and no package for it.
    from controller.floor.table_link import ServerAccess
    from controller.main.linked_pit import LinkedFloor

    signs = None if key is None else TableKey.load_or_make(key, {})
    if signs is not None:
        echo(text("floor.key", {"key": signs.public}), err=True)
    changed = NetworkReport(lambda words: echo(words, err=True)).changed
    return LinkedFloor(ServerAccess(section, "pit"), signs, changed, known.table_of)


def _archived(
    archive: "Archive", folders: Sequence[Path], into: Path
) -> "Callable[[], Iterable[FoundJournal]]":
    """Brings the archive forward, and gives its journals; why a copy gives nothing is printed once."""
    from controller.floor.archive import files_in
    from controller.main.pit_page import FoundJournal

    printed: dict[Path, str] = {}

    def bring() -> Iterable[FoundJournal]:
        for path in files_in(folders):
            error = archive.bring(path).error
            if error is not None and printed.get(path) != str(error):
                print_error(error)
            printed[path] = str(error)
        return _found(into)

    return bring


def _journals(folders: Sequence[Path]) -> "Callable[[], Iterable[FoundJournal]]":
    """Finds the journals. Raises `JournalError` ARCHIVE_NO_FOLDER, COPIES_NEED_ARCHIVE."""
    from controller.floor.archive import COPY, journals_in

    for folder in folders:
        if not journals_in(folder) and next(folder.glob(f"*{COPY}"), None) is not None:
            raise JournalError("COPIES_NEED_ARCHIVE", path=str(folder))
    return lambda: chain(*map(_found, folders))


def _found(folder: Path) -> "Iterable[FoundJournal]":
    """Return the journals of a folder with their findings, which an archive never forgets."""
    from controller.floor.archive import findings_in, journals_in
    from controller.main.pit_page import FoundJournal

    errors = {one.journal: JournalError(one.code, **one.params) for one in findings_in(folder)}
    return [FoundJournal(path, errors.get(path.name)) for path in journals_in(folder)]
