"""The history of archived journals, followed as they grow, for the pit's page and the archive's database."""

from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import JournalError
from controller.floor.postgresql import Figures
from controller.history.history import UNFIT, History, Row
from controller.history.kept import KeptHistories, KeptHistory
from controller.journal.copying import NOTHING
from controller.journal.entry import Entry, trusted
from controller.journal.head_file import Head
from controller.journal.heads import opened_of
from controller.journal.store import JournalReader
from controller.runtime.followed_table import files_state
from controller.runtime.restore import opened_by
from controller.runtime.snapshot import lines_without_cards
from controller.screens.dealt_rounds import LiveShift
from controller.software import check_software, root_of_this_program

VIEWS: Final = (
    *("shift", "round", "dealer", "ruling", "difference", "alert", "stop", "movement", "phase", "books"),
)
"""What the database has of the history, as `archive.history_NAME`."""

INSIDE: Final = frozenset({"params", "about"})
"""Columns of a stop that only tell one from another."""

SLICE: Final = 500
"""Entries that are read at once: between two slices a live table in this process goes on."""

KEEP_EVERY: Final = 2_000
"""New entries after which a history is kept again; so many are read in less than 0.1 s."""

FOLLOWED: Final = 256
"""Histories that are followed at once for the database; that of another journal is begun anew."""


def kept_histories() -> KeptHistories:
    """Return the histories in the account's cache folder, of this version of the program."""
    return KeptHistories(f"{version('stand17')} {check_software(root_of_this_program()).digest}")


class NewEntries(NamedTuple):
    """A slice of a journal's new entries, and the error that ended it."""

    entries: Sequence[Entry]
    error: JournalError | None = None
    replaced: bool = False
    """Another file was put there: all of it is read anew."""


class ArchivedHistory:
    """The shift of one archived journal, without the engine.

    `read` may be called in any thread. Selections from `shift` do not run during `take`.
    """

    shift: LiveShift
    end: Head
    """The last entry that was read."""

    def __init__(self, path: Path, kept: KeptHistories | None = None) -> None:
        """Begin with the history that is `kept` of this journal, else before its first entry.

        Raises `JournalError` for a file that is no journal of a table.
        """
        self.path: Final = path
        self.error: JournalError | None = None
        """Why no newer entry was read, None where all were."""
        self.rewritten: JournalError | None = None
        """That another file was put in the place of the one that was read; it stands until this ends."""
        self._kept: Final = kept
        self._aside: frozenset[range] = frozenset()
        self._state: object = None
        with closing(JournalReader(path)) as reader:
            found = next(reader.read(), None)
            if found is None:
                raise JournalError("NOT_OPENED", seq=1, kind="-")
            first = trusted(found)
            self.opening: Final = opened_by(first).opening
            self._first: Final = first.hash
            known = None if kept is None else kept.find(first.hash)
            self._begin(known if known is not None and _has(reader, known.end) else self._new())
        self._saved, self._is_new = self.end.seq, True

    def read(self) -> NewEntries | None:
        """Return the next entries, at most `SLICE`; None when nothing has changed since the last."""
        state = files_state(self.path)
        if state == self._state:
            return None
        new: list[Entry] = []
        try:
            with closing(JournalReader(self.path)) as reader:
                if not _has(reader, self.end):
                    return NewEntries((), replaced=True)
                for entry in islice(reader.read(self.end.seq + 1), SLICE):
                    new.append(trusted(entry))
        except JournalError as error:
            self._state = state
            return NewEntries(new, error)
        if len(new) < SLICE:
            self._state = state
        return NewEntries(new)

    def take(self, news: NewEntries) -> bool:
        """Add the result of `read`; return whether there may be more. Raises `UNFIT` for foreign entries."""
        self.error = news.error
        aside = frozenset(_aside(one) for one in news.entries if one.kind == "set_aside") - self._aside
        if news.replaced:
            self.rewritten = JournalError("ARCHIVE_REWRITTEN", journal=self.path.name, seq=self.end.seq)
        if aside or news.replaced:
            # Nothing followed from entries that were set aside: all is read again without them.
            self._aside = self._aside | aside if not news.replaced else frozenset()
            self._begin(self._new())
            self._state = None
            return True
        if news.entries:
            known = [one for one in news.entries if not any(one.seq in of for of in self._aside)]
            self.shift.take(lines_without_cards(known, self.opening.rules))
            self.end = Head(news.entries[-1].seq, news.entries[-1].hash)
        return len(news.entries) == SLICE and news.error is None

    def to_keep(self) -> Callable[[], None] | None:
        """Return the function that stores the history, at first and then every `KEEP_EVERY` entries."""
        behind, is_new, self._is_new = self.end.seq - self._saved, self._is_new, False
        if self._kept is None or not (behind >= KEEP_EVERY or (behind and is_new)):
            return None
        self._saved = self.end.seq
        return self._kept.keeping(self._first, KeptHistory(self.shift.history, self.end))

    def _new(self) -> KeptHistory:
        return KeptHistory(History(self.opening.rules), NOTHING)

    def _begin(self, found: KeptHistory) -> None:
        self.shift, self.end = LiveShift(found.history), found.end


def _has(reader: JournalReader, end: Head) -> bool:
    """Whether a journal contains the last entry of a history."""
    return end == NOTHING or reader.hash_at(end.seq) == end.hash


def _aside(entry: Entry) -> range:
    fields = opened_of(entry.body)
    first, last = fields.get("seq"), fields.get("last")
    return range(first, last + 1) if isinstance(first, int) and isinstance(last, int) else range(0)


class ArchivedFigures:
    """The rows of the history for the archive's database. For one thread at a time."""

    def __init__(self, kept: Callable[[], KeptHistories] = kept_histories) -> None:
        """Begin unread."""
        self._known: dict[Path, ArchivedHistory] = {}
        self._kept: KeptHistories | None = None
        self._kept_histories: Final = kept

    def __call__(self, path: Path) -> Figures:
        """The rows of each view up to the newest entry; none of a journal that cannot be read as a table."""
        try:
            history = self._followed(path)
            return {view: _rows(history, view) for view in VIEWS}
        except (*UNFIT, JournalError):
            # This table's journal is invalid; the figures of the others continue.
            self._known.pop(path, None)
            return {}

    def _followed(self, path: Path) -> History:
        self._kept = self._kept or self._kept_histories()
        found = self._known.pop(path, None) or ArchivedHistory(path, self._kept)
        more = True
        while more and (news := found.read()) is not None:
            more = found.take(news)
        if found.error is not None:
            raise found.error
        if (keep := found.to_keep()) is not None:
            keep()
        self._known[path] = found
        if len(self._known) > FOLLOWED:
            del self._known[next(iter(self._known))]
        return found.shift.history


def _rows(history: History, view: str) -> Sequence[Row]:
    rows = history.rows(f"SELECT * FROM {view}")
    return [{name: value for name, value in row.items() if name not in INSIDE} for row in rows]
