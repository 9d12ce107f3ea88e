"""Brings the database to where the archive's folder is: away for days, or put back from an older backup."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.floor.database.connection import connected
from controller.floor.database.journals import DatabaseJournals, Figures, KeptJournal
from controller.floor.journal_archive import BATCH, Archive, Brought, journals_in
from controller.journal.entry import Entry, trusted
from controller.journal.head_file import Head
from controller.journal.heads import heads_beside, heads_path
from controller.journal.keeping import AppendedFile
from controller.journal.store import JournalReader

ARCHIVER: Final = "stand17_archiver"
"""May insert, and change nothing; see `migrations`."""

AGAIN_S: Final = 10.0
"""A connection to a machine that is gone takes five seconds to fail, in which the folder waits."""

EVERY_S: Final = 0.25
"""Time between two looks for what the archive has got."""

SHARE: Final = 2
"""So much longer than it works it rests: what comes meanwhile comes together."""

SLICE: Final = 4 * BATCH
"""Entries of one journal before the others have their turn: what comes back after days holds nobody up."""

_FIGURES_S: Final = 10.0
"""Time between two looks at the figures of a journal that is written."""

SOURCE: Final = "database"
"""What findings name as their source."""


class DatabaseKeeper:
    """Keeps the archive's journals in a database, whose own heads are the only record of progress."""

    def __init__(
        self,
        folder: Path,
        url: str,
        find: Callable[[str, str, JournalError], None],
        *,
        figures: Callable[[Path], Figures] | None = None,
        again_s: float = AGAIN_S,
        mono_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the archive's `folder`; `find` stores an entry that does not fit, with source and journal.

        `figures` returns the history's rows of an archived journal, which are kept beside its entries. A
        server that did not answer is asked again after `again_s` seconds.
        """
        self._folder, self._url, self._find = folder, url, find
        self._again_s, self._mono_s = again_s, mono_s
        self._away: tuple[float, JournalError] | None = None
        self._journals: DatabaseJournals | None = None
        self._stopped: set[str] = set()
        self._unfinished: set[str] = set()
        self._behind: set[str] = set()
        self._heads: dict[str, int] = {}
        self._figures, self._figured = figures, dict[str, float]()

    @property
    def is_done(self) -> bool:
        """Whether no journal has unsent entries that waited for their turn."""
        return not self._unfinished

    def keep(self, changed: Collection[str] = ()) -> tuple[Brought, ...]:
        """Store the new entries of the journals of these names; of all journals after an outage.

        Each call stores at most `SLICE` entries per journal; repeat it until `is_done`. Returned entries are
        on the server's disk. An unreachable or refusing server is one `Brought` with that error; the next
        call begins with all journals again. Raises `ConfigError` PSYCOPG_MISSING.
        """
        if self._away is not None and self._mono_s() < self._away[0]:
            return (Brought(SOURCE, "", 0, 0, self._away[1]),)
        done: list[Brought] = []
        self._away = None
        try:
            everything = self._journals is None
            journals = self._journals or DatabaseJournals(connected(self._url, ARCHIVER))
            self._journals = journals
            known, waiting = journals.all(), self._unfinished
            self._unfinished = set()
            for path in journals_in(self._folder):
                wanted = (
                    everything or path.name in changed or path.name in waiting or path.name in self._behind
                )
                if wanted and path.name not in self._stopped:
                    done += self._kept(journals, known, path)
        except JournalError as error:
            self.close()
            self._unfinished.clear()
            self._away = self._mono_s() + self._again_s, error
            done.append(Brought(SOURCE, "", 0, 0, error))
        return tuple(done)

    def close(self) -> None:
        """Close the connection."""
        if self._journals is not None:
            self._journals.close()
        self._journals = None
        self._heads.clear()
        self._figured.clear()

    def _kept(
        self, journals: DatabaseJournals, known: Mapping[bytes, KeptJournal], path: Path
    ) -> Iterator[Brought]:
        """A file that is no journal, or broken, holds the others up no more than in the folder."""
        try:
            with closing(JournalReader(path)) as reader:
                first = next(reader.read(), None)
                if isinstance(first, Entry):
                    yield from self._forward(journals, known.get(first.hash), reader, path)
        except JournalError as error:
            if error.code.startswith("DATABASE_"):
                raise
            yield Brought(SOURCE, path.name, 0, 0, error)

    def _forward(
        self, journals: DatabaseJournals, kept: KeptJournal | None, reader: JournalReader, path: Path
    ) -> Iterator[Brought]:
        begun = 0 if kept is None else kept.end.seq
        if kept is not None and not _agree(kept.end, reader):
            error = JournalError("ARCHIVE_REWRITTEN", journal=path.name, seq=min(begun, reader.last_seq()))
            self._stopped.add(path.name)
            self._find(SOURCE, path.name, error)
            yield Brought(SOURCE, path.name, 0, begun, error)
            return
        entries = map(trusted, islice(reader.read(begun + 1), SLICE))
        while batch := list(islice(entries, BATCH)):
            kept = journals.append(kept or journals.lay_out(batch[0], path.name), batch)
        if kept is not None:
            self._bring_heads(journals, kept, path)
            if kept.end.seq < reader.last_seq():
                self._unfinished.add(path.name)
                self._heads.pop(path.name, None)
            yield Brought(SOURCE, path.name, max(kept.end.seq - begun, 0), kept.end.seq, None)
            if kept.end.seq == reader.last_seq():
                self._bring_figures(journals, kept, path)

    def _bring_figures(self, journals: DatabaseJournals, kept: KeptJournal, path: Path) -> None:
        """A journal that is written gets its figures now and then."""
        self._behind.add(path.name)
        now_s = self._mono_s()
        if self._figures is None or now_s < self._figured.get(path.name, now_s - _FIGURES_S) + _FIGURES_S:
            return
        journals.keep_figures(kept, self._figures(path))
        self._figured[path.name] = now_s
        self._behind.discard(path.name)

    def _bring_heads(self, journals: DatabaseJournals, kept: KeptJournal, path: Path) -> None:
        """They are read where there are new ones: a day has a thousand, and an entry comes each second."""
        size = AppendedFile(heads_path(path)).size()
        if self._heads.get(path.name) != size:
            journals.append_heads(kept, heads_beside(path))
        self._heads[path.name] = size


async def keep_beside(
    archive: Archive,
    keeper_of: Callable[[Callable[[str, str, JournalError], None]], DatabaseKeeper],
    took: Callable[[Brought], None],
    every_s: float = EVERY_S,
) -> None:
    """Keep the database beside an archive that is written on this loop, until cancelled.

    It waits in a thread. Raises `JournalError` when a finding cannot be stored.
    """
    found: list[tuple[str, str, JournalError]] = []
    with closing(keeper_of(lambda *one: found.append(one))) as keeper:
        while True:
            began_s = time.monotonic()
            for one in await asyncio.to_thread(keeper.keep, archive.changed()):
                took(one)
            while found:
                archive.find(*found.pop(0))
            # The folder comes first: tables wait for its receipts.
            rest_s = SHARE * (time.monotonic() - began_s)
            await asyncio.sleep(max(every_s, rest_s) if keeper.is_done else rest_s)


def _agree(end: Head, reader: JournalReader) -> bool:
    """Whether the folder has the entry at the database's head; a restored folder may be behind it."""
    return not end.seq or end.seq > reader.last_seq() or reader.hash_at(end.seq) == end.hash
