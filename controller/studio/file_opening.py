"""A file on its way into the tester's screen: how far it is played, and its first picture at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.domain import TableError
from controller.feed.feed_table import rejoined
from controller.replay.files.devices_alone import require_turned
from controller.replay.files.file_kind import kind_of
from controller.replay.files.table_file import read_table_file
from controller.replay.rounds.played import round_of, steps
from controller.studio.bodies import OpeningView, StepView
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile
from controller.studio.studio_step import StudioStep

FIRST: Final = 40
"""Lines, entries or messages that are played before all others: a round at seven boxes has as many."""


@dataclass(slots=True)
class FileOpening:
    """One file being opened in a thread of its own, with its progress in `view`.

    `done` of `of` lines are played; `of` is 0 while the file is read. `now_utc_us` and `face_down`: see
    `require_turned`.
    """

    path: Path
    at_table: bool
    now_utc_us: int
    face_down: bool
    first: StepView | None = None
    done: int = 0
    of: int = 0

    def load(self) -> StudioFile:
        """Open the file whole; raises `TableError`."""
        if kind_of(str(self.path)) == "recording":
            require_turned(self.path, self.now_utc_us, face_down=self.face_down)
        self.first = self._first()
        file = read_table_file(str(self.path), devices=True)
        self.of = len(file.lines)
        return StudioFile(file, at_table=self.at_table or file.at_table, progress=self._played)

    def _first(self) -> StepView | None:
        """Return the first step; None without one near the beginning: the whole file reports the reason.

        Whether its round is ever over is not known yet, so none of its cards is named.
        """
        try:
            file = read_table_file(str(self.path), FIRST, devices=True)
            begun = next(steps(file, at_table=self.at_table or file.at_table, way=rejoined), None)
        except TableError:
            return None
        if begun is None:
            return None
        number = round_of(begun.line.obs, begun.before, begun.after)
        return step_view(file, StudioStep(begun, number, secret=True, over=False), 0)

    def _played(self, lines: int) -> None:
        self.done = lines

    def view(self) -> OpeningView:
        """Return the progress."""
        return OpeningView(done=self.done, of=self.of, first=self.first)
