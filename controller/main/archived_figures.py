"""The history of archived journals for the archive's database: rows of its views, followed as they grow."""

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from controller.domain.errors import JournalError
from controller.floor.database.journals import Figures
from controller.history.history import UNFIT, History, Row
from controller.journal.entry import trusted
from controller.journal.store import JournalReader
from controller.runtime.ledger.restore import opened_by
from controller.runtime.snapshot.audit import lines_without_cards

VIEWS: Final = (
    *("shift", "round", "dealer", "ruling", "difference", "alert", "stop", "movement", "phase", "books"),
)
"""What the database has of the history, as `archive.history_NAME`."""

PARAMS: Final = "params"
"""The column of a stop that can name a card."""

SLICE: Final = 500
FOLLOWED: Final = 256
"""Histories that are followed at once; that of another journal is begun anew."""


class ArchivedFigures:
    """For one thread at a time."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._known: dict[Path, History] = {}

    def __call__(self, path: Path) -> Figures:
        """The rows of each view up to the newest entry; none of a journal that cannot be read as a table."""
        try:
            history = self.followed(path)
            return {view: _rows(history, view) for view in VIEWS}
        except (*UNFIT, JournalError):
            # Its table has written what no table writes; the others' figures go on.
            self._known.pop(path, None)
            return {}

    def followed(self, path: Path) -> History:
        """The history of a journal up to its newest entry. Raises `JournalError`, or one of `UNFIT`."""
        history = self._known.pop(path, None)
        with closing(JournalReader(path)) as reader:
            if history is None:
                first = next(reader.read(), None)
                if first is None:
                    raise JournalError("NOT_OPENED", seq=1, kind="-")
                history = History(opened_by(trusted(first)).opening.rules)
            lines = lines_without_cards(map(trusted, reader.read(history.seq + 1)))
            while some := list(islice(lines, SLICE)):
                history.take(some)
        self._known[path] = history
        if len(self._known) > FOLLOWED:
            del self._known[next(iter(self._known))]
        return history


def _rows(history: History, view: str) -> Sequence[Row]:
    rows = history.rows(f"SELECT * FROM {view}")
    return [{name: value for name, value in row.items() if name != PARAMS} for row in rows]
