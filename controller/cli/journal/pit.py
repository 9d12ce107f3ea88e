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
from controller.journal.table_key import TableKey
from controller.main.checkpoints import program_id
from controller.main.floor import FloorTables, FoundJournal
from controller.main.pit_page import serve_pit
from controller.ports import SystemClock
from controller.runtime.checkpoint.followed import FollowedCheckpoint
from controller.software.check import check_software
from controller.software.files import root_of_this_program

ARCHIVE_KEY = "archive.key"
"""Name of the key's file in the archive."""


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
        kept = None if into is None else _kept(into)
        floor = FloorTables(journals, SystemClock(), lambda _path, error: print_error(error), kept)
        asyncio.run(serve_pit(floor, port, typer.echo))


def _archived(archive: Archive, folders: Sequence[Path], into: Path) -> Callable[[], Iterable[FoundJournal]]:
    """Brings the archive forward, and gives its journals; why a copy gives nothing is printed once."""
    printed: dict[Path, str] = {}

    def bring() -> Iterable[FoundJournal]:
        for path in files_in(folders):
            error = archive.bring(path).error
            if error is not None and printed.get(path) != str(error):
                print_error(error)
            printed[path] = str(error)
        return _found(into)

    return bring


def _kept(archive: Path) -> Callable[[Path], FollowedCheckpoint]:
    """Where states of archived journals are kept: beside them, signed with a key of the archive's own.

    Raises `JournalError` as `TableKey.load_or_make`.
    """
    key = TableKey.load_or_make(archive / ARCHIVE_KEY, {})
    program = program_id(check_software(root_of_this_program()).digest)
    return lambda path: FollowedCheckpoint(path, key, program)


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
