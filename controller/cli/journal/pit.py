"""`stand17 pit`: the pit's page over many tables, from the folders to which their journals come."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.output import echo, print_error
from controller.domain import JournalError
from controller.floor.enrolment import PIT_KEY
from controller.i18n import text
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.floor.journal_archive import Archive
    from controller.floor.known_tables import KnownTables
    from controller.main.linked.pit import LinkedFloor
    from controller.main.pit_page import FoundJournal


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
    key: Annotated[Path, typer.Option(help="The key that signs; made if missing.")] = Path(PIT_KEY),
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
    from controller.floor.journal_archive import Archive
    from controller.floor.known_tables import KnownTables

    wanted = folders or []
    archives = KnownTables([*wanted, *([] if into is None else [into])])
    linked = _linked(server or [], network, None if people is None else key, archives)
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
    from controller.main.table_people import TablePeople
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
    from controller.main.linked.access import NetworkReport, floor_section

    if not servers and network is None:
        return None
    section = floor_section(servers, network)
    # Not above: folders need no network, and no package for it.
    link, pit_of = (
        import_module(f"controller.{name}") for name in ("floor.link.connection", "main.linked.pit")
    )
    signs = None if key is None else TableKey.load_or_make(key, {})
    if signs is not None:
        echo(text("floor.key", {"key": signs.public}), err=True)
    changed = NetworkReport(lambda words: echo(words, err=True)).changed
    found: LinkedFloor = pit_of.LinkedFloor(link.ServerAccess(section, "pit"), signs, changed, known.table_of)
    return found


def _archived(
    archive: "Archive", folders: Sequence[Path], into: Path
) -> "Callable[[], Iterable[FoundJournal]]":
    """Brings the archive forward, and gives its journals; why a copy gives nothing is printed once."""
    from controller.floor.sources import files_in
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
    from controller.floor.journal_archive import journals_in
    from controller.floor.sources import COPY

    for folder in folders:
        if not journals_in(folder) and next(folder.glob(f"*{COPY}"), None) is not None:
            raise JournalError("COPIES_NEED_ARCHIVE", path=str(folder))
    return lambda: chain(*map(_found, folders))


def _found(folder: Path) -> "Iterable[FoundJournal]":
    """Return the journals of a folder with their findings, which an archive never forgets."""
    from controller.floor.journal_archive import findings_in, journals_in
    from controller.main.pit_page import FoundJournal

    errors = {one.journal: JournalError(one.code, **one.params) for one in findings_in(folder)}
    return [FoundJournal(path, errors.get(path.name)) for path in journals_in(folder)]
