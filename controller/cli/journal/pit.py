"""`stand17 pit`: the pit's page over many tables, from the folders to which their journals come."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.output import print_error
from controller.domain.errors import JournalError
from controller.floor.journal_archive import Archive, findings_in, journals_in
from controller.floor.sources import COPY, files_in
from controller.main.floor import FloorTables, FoundJournal
from controller.main.pit_page import serve_pit
from controller.ports import SystemClock


def pit(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of journals or their copies, or an archive.")
    ],
    *,
    into: Annotated[
        Path | None, typer.Option(help="Keep what the copies have new in this archive, and show that.")
    ] = None,
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8018,
) -> None:
    """Watch many tables on the pit's page: tiles, each table, its rounds, ledger, figures and record.

    Of each table the journal that was begun last is followed as it grows. Copies, which tables write
    themselves (`journal.copy_folder`), are checked and kept first: --into names the archive. Nothing can be
    ruled from here; that is done at the table. The printed address works once, in one browser of this
    machine. Ends with Ctrl-C.
    """
    with ExitStack() as opened:
        if into is None:
            journals = _journals(folders)
        else:
            journals = _archived(opened.enter_context(Archive(into, SystemClock())), folders, into)
        floor = FloorTables(journals, SystemClock(), lambda _path, error: print_error(error))
        asyncio.run(serve_pit(floor, port, typer.echo))


def _archived(archive: Archive, folders: Sequence[Path], into: Path) -> Callable[[], Iterable[FoundJournal]]:
    """Brings the archive forward, and gives its journals."""

    def bring() -> Iterable[FoundJournal]:
        for path in files_in(folders):
            archive.bring(path)
        return _found(into)

    return bring


def _journals(folders: Sequence[Path]) -> Callable[[], Iterable[FoundJournal]]:
    """Finds the journals. Raises `JournalError` ARCHIVE_NO_FOLDER, COPIES_NEED_ARCHIVE."""
    for folder in folders:
        if not journals_in(folder) and next(folder.glob(f"*{COPY}"), None) is not None:
            raise JournalError("COPIES_NEED_ARCHIVE", path=str(folder))
    return lambda: chain(*map(_found, folders))


def _found(folder: Path) -> Iterable[FoundJournal]:
    """The journals of a folder, and what did ever not fit: an archive forgets no finding."""
    errors = {one.journal: JournalError(one.code, **one.params) for one in findings_in(folder)}
    return [FoundJournal(path, errors.get(path.name)) for path in journals_in(folder)]
