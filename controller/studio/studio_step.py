"""One step of a file: a line of a closed round, the table before and after it, what followed."""

from typing import NamedTuple

from controller.engine.state import TableState
from controller.feed.replay import PlayedNotice
from controller.replay.played_rounds import TableStep
from controller.replay.told_troubles import ToldTrouble


class StudioStep(NamedTuple):
    """A step of a closed round; `secret`: its face-down card was never turned.

    `troubles` are what the table held or warned for by itself before the next line.
    """

    taken: TableStep
    round: int
    secret: bool
    troubles: tuple[ToldTrouble, ...] = ()

    @property
    def notices(self) -> tuple[PlayedNotice, ...]:
        """What followed from the line, and from those that it let go on."""
        return tuple(notice for played in self.taken.played for notice in played.notices)

    @property
    def state(self) -> TableState:
        """The table after the line."""
        return self.taken.after
