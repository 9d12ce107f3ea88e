"""One line as a table took it, with the table before and after it."""

from typing import Final, NamedTuple

from controller.domain.notices import Refused
from controller.engine.state import TableState
from controller.feed.feed_lines import FeedLine
from controller.feed.replay import Played
from controller.policy.state.effects import Held, Inferred, Released
from controller.policy.state.holds import Hold


class TableStep(NamedTuple):
    """One line taken: the table before and after it, what followed, and what holds after it.

    Something may follow later from a line that had to wait; it stands with the line that let it go on. What
    the table noticed by itself stands with the line before it, at its own time.
    """

    line: FeedLine
    before: TableState
    after: TableState
    played: tuple[Played, ...]
    holds: tuple[Hold, ...] = ()
    waiting: int = 0
    entry: int = 0
    """Of the journal, with which the line came; 0 where it stands in none."""


BESIDE: Final = (Held, Released, Inferred)
"""What a table's door says beside the rules."""


def from_rules(step: TableStep) -> TableStep:
    """The step with what the rules alone say; what the table noticed by itself has somebody behind it."""
    played = tuple(
        [
            one._replace(
                notices=tuple([entered for entered in one.notices if not isinstance(entered, BESIDE)])
            )
            for one in step.played
            if not one.by or any(isinstance(entered, Refused) for entered in one.notices)
        ]
    )
    return step._replace(played=played, holds=(), waiting=0)
