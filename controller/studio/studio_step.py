"""One step of a file: a line, the table before and after it, what followed."""

from typing import NamedTuple

from controller.engine.state import TableState
from controller.feed.feed_table import TableStep
from controller.feed.replay import PlayedNotice


class StudioStep(NamedTuple):
    """A step; `secret`: the face-down card of its round was never turned, `over`: the round was paid."""

    taken: TableStep
    round: int
    secret: bool
    over: bool = True

    @property
    def notices(self) -> tuple[PlayedNotice, ...]:
        """What followed from the line, and from those that it let go on."""
        return tuple(notice for played in self.taken.played for notice in played.notices)

    @property
    def state(self) -> TableState:
        """The table after the line."""
        return self.taken.after
