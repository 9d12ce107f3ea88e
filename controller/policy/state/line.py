"""A line as it comes to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Observation
from controller.domain import Params
from controller.policy.state.line_person import Person


class TableLine(NamedTuple):
    """An observation with its person, an optional second person, and its time.

    `mark` names the line in all its effects: a feed's line number, a journal's sequence. `t_ms` counts
    milliseconds from the beginning. `named`: the line itself names its person. `shown`: a camera read it on
    the layout without a report; its decisions are marked as inferred. `unclear`: the reading has two
    meanings, and is asked. `without`: lost devices without which the table is resumed.
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
    """A contradiction of two witnesses: the code of the hold, both readings, and the place.

    `card` is the id of the card there, "" without one; `number` is the number of a card without an id.
    """

    code: str
    params: Params
    box: int = -1
    card: str = ""
    number: int = 0


class KeptCard(NamedTuple):
    """A card that waits for the end of a hold or for an answer. `gap_ms`: since the last card.

    `shown` and `unclear` as in `TableLine`. `ruled`: the pit placed it; no question follows.
    """

    card: CardSeen
    by: Person
    mark: int
    gap_ms: int | None = None
    shown: bool = False
    unclear: bool = False
    ruled: bool = False
