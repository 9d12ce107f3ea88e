"""The table's books: what the float should hold at every moment, from the journal or a feed alone.

What the float should hold is the engine's (`controller.engine.settle.float_account`); here is what moved it,
line by line. All amounts are in minor units of the table's currency.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import Credit, Drop, Fill, FloatCounted, SlipVoided
from controller.domain.errors import TableError
from controller.engine.settle.float_account import float_due, sum_of
from controller.feed.feed_lines import FeedLine
from controller.feed.table_script import line_at_door
from controller.feed.table_step import TableStep
from controller.policy import TableRun, new_run
from controller.policy.allowed.roles import require_allowed
from controller.policy.allowed.second_person import require_second_person
from controller.policy.state.float_difference import Explanation, difference_of, explanations
from controller.policy.state.run import NO_SECOND
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.played import PlayedRound

MovedBy = Literal["open", "fill", "credit", "drop", "round", "check", "close"]
KINDS: Final[dict[type, MovedBy]] = {Fill: "fill", Credit: "credit", Drop: "drop"}


OF_THE_FLOAT: Final = (FloatCounted, SlipVoided, *KINDS)


class Movement(NamedTuple):
    """One thing that moved the float, or a count of it: `amount` is what came, or what was counted.

    `line` is the feed's, `round` 0 beside rounds, `expected` what the float should hold after it.
    """

    line: int
    t: float
    by: MovedBy
    round: int
    amount: int
    expected: int


class FloatAccount(NamedTuple):
    """The float from its opening to its closing; `counted` is None where it was not counted at closing.

    `difference` is what was counted too much then, negative where chips are missing; 0 without a count.
    """

    movements: tuple[Movement, ...]
    expected: int
    counted: int | None
    difference: int
    explanations: tuple[Explanation, ...]

    @property
    def opening(self) -> int:
        """What the first opening has counted; a later one adds by how much it found the float otherwise."""
        total, before = 0, None
        for one in self.movements:
            if one.by == "open":
                total += one.amount - (before or 0)
                before = one.expected
            elif before is not None:
                before = one.expected
        return total

    @property
    def counted_in(self) -> bool:
        """Whether somebody has counted the float at an opening."""
        return any(one.by == "open" for one in self.movements)

    def sum(self, by: MovedBy) -> int:
        """What all movements of a kind have brought."""
        return sum(one.amount for one in self.movements if one.by == by)


def taken_at_door(file: ReadFile) -> ReadFile:
    """The file without what moves the float, entered by somebody whom the table's door refuses."""
    run = new_run(file.house, file.rules)
    lines = [line for line in file.lines if not isinstance(line.obs, OF_THE_FLOAT) or _may_enter(run, line)]
    return file._replace(lines=tuple(lines))


def _may_enter(run: TableRun, line: FeedLine) -> bool:
    entered = line_at_door(line)
    try:
        require_allowed(run, entered)
        require_second_person(NO_SECOND, run, entered)
    except TableError:
        return False
    return True


def books_of(steps: Sequence[TableStep], rounds: Sequence[PlayedRound]) -> FloatAccount:
    """Keep the books of these lines, in the order in which the table took them; `rounds` are theirs."""
    movements = tuple(moved for step in steps for moved in _moved(step))
    closing = next((one for one in reversed(movements) if one.by == "close"), None)
    if not steps:
        return FloatAccount((), 0, None, 0, ())
    last = steps[-1].after
    counted = None if closing is None else closing.amount
    off = 0 if counted is None else difference_of(last, counted)
    found = explanations(last.book, (one.state for one in rounds), off) if off else ()
    return FloatAccount(movements, float_due(last), counted, off, found)


def _moved(step: TableStep) -> Iterator[Movement]:
    """What a line has moved, and what was counted."""
    line, before, after = step.line, step.before, step.after
    if before is after:
        return
    due = float_due(after)
    change = due - float_due(before)
    match line.obs:
        case FloatCounted(at=at) as count:
            yield Movement(line.number, line.t, at, 0, sum_of(count), due)
        case Fill() | Credit() | Drop():
            yield Movement(line.number, line.t, KINDS[type(line.obs)], 0, change, due)
        case SlipVoided(kind=kind):
            yield Movement(line.number, line.t, kind, 0, change, due)
        case obs if change:
            number = getattr(obs, "round", None) or before.book.number
            yield Movement(line.number, line.t, "round", number, change, due)
