"""A line as it comes to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Observation
from controller.domain import Params
from controller.policy.state.line_person import Person


class TableLine(NamedTuple):
    """An observation, who tells it, a second person where one signs with him, and when.

    `mark` names the line in everything that follows from it: a feed's line number, a journal's sequence.
    `t_ms` counts from the beginning, in milliseconds. `named` says that the line itself names who tells it.
    `shown`: nobody reported it, a camera read it on the felt; decisions that follow are marked as inferred.
    `unclear`: what was seen so could be two things, and is asked. `without`: lost devices without which a
    table is resumed by somebody who may.
    """

    observation: Observation
    by: Person
    mark: int
    t_ms: int = 0
    second: str | None = None
    named: bool = True
    shown: bool = False
    unclear: bool = False
    without: tuple[str, ...] = ()


class Doubt(NamedTuple):
    """Two witnesses that say different things: the code of the hold, both pieces of evidence, and where.

    `card` is the id of the card that lies there, "" where none does; `number` its number where it has no id.
    """

    code: str
    params: Params
    box: int = -1
    card: str = ""
    number: int = 0


class KeptCard(NamedTuple):
    """A card that came while the table was held, or that is asked about. `gap_ms`: since the card before.

    `shown` and `unclear` as `TableLine` has them. `ruled`: the pit has said where it lies; nobody is asked.
    """

    card: CardSeen
    by: Person
    mark: int
    gap_ms: int | None = None
    shown: bool = False
    unclear: bool = False
    ruled: bool = False
