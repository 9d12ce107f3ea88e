"""A file on its way into the tester's screen: how far it is played, and a feed's first picture at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.replay.files.file_kind import kind_of
from controller.replay.files.table_file import open_told
from controller.studio.bodies import OpeningView, StepView
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile

FIRST_LINES: Final = 40
"""Lines of a feed that are played before all others: a round at seven boxes has as many."""


@dataclass(slots=True)
class Opening:
    """One file being opened, in a thread of its own; `view` is asked for meanwhile.

    `done` of `of` lines are played; `of` is 0 while the file is read.
    """

    path: Path
    at_table: bool
    first: StepView | None = None
    done: int = 0
    of: int = 0

    def load(self) -> StudioFile:
        """Open the file whole; raises `TableError`."""
        self.first = self._first()
        told = open_told(str(self.path), devices=True)
        self.of = len(told.lines)
        return StudioFile(told, at_table=self.at_table or told.at_table, progress=self._played)

    def _first(self) -> StepView | None:
        """The first step of a feed, None of other files: what they say has to be checked whole."""
        if kind_of(str(self.path)) != "feed":
            return None
        told = open_told(str(self.path), FIRST_LINES)
        begun = StudioFile(told, at_table=self.at_table)
        return step_view(told, begun.steps[0], 0) if begun.steps else None

    def _played(self, lines: int) -> None:
        self.done = lines

    def view(self) -> OpeningView:
        """How far it is."""
        return OpeningView(done=self.done, of=self.of, first=self.first)
