"""Reports played round by round: the lines of each round, their effects, the state of the table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from controller.acts.catalogue import End, Observation
from controller.domain import RoundResult, RuleSet, Settled
from controller.engine.state import TableState, new_table
from controller.engine.table import step
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import FeedTable, Steps, TableStep, plainly
from controller.feed.replay import Played, PlayedNotice, left_open
from controller.policy import TableRun, new_run
from controller.replay.files.table_file import ReadFile


class RoundLine(NamedTuple):
    """One line of a round and its effects; `by` is the reporter of a line that the door refused.

    `came` is False for a line that stands elsewhere: it waited, or had later effects.
    """

    line: FeedLine
    notices: tuple[PlayedNotice, ...]
    by: str = ""
    came: bool = True


@dataclass(slots=True)
class PlayedRound:
    """One played round.

    `lines` are its own, `later` are the later rulings and payouts of it. `before` is the table before its
    first line, `state` the table at its end, `result` the last result.
    """

    number: int
    before: TableState
    state: TableState
    lines: list[RoundLine] = field(default_factory=list)
    later: list[RoundLine] = field(default_factory=list)
    beside: list[FeedLine] = field(default_factory=list)
    """Lines about earlier rounds that came in this one, or before it."""
    result: RoundResult | None = None

    @property
    def fed(self) -> tuple[FeedLine, ...]:
        """Everything that came in it, in order; a line that had to wait stands once, where it came."""
        lines = {recorded.line.number: recorded.line for recorded in self.lines}
        lines |= {line.number: line for line in self.beside}
        return tuple(lines[number] for number in sorted(lines)) if self.beside else tuple(lines.values())

    @property
    def notices(self) -> Iterator[tuple[RoundLine, PlayedNotice]]:
        """Everything that followed, with the line that it followed from."""
        for recorded in (*self.lines, *self.later):
            for notice in recorded.notices:
                yield recorded, notice


def steps(
    file: ReadFile, *, at_table: bool, before: TableState | None = None, way: Steps = plainly
) -> Iterator[TableStep]:
    """Play line by line; `at_table`: through a live table's door; `before`: from this table on.

    `way` is the behaviour at a held round: hold for good, or join again behind it.

    A journal played as recorded yields its own steps. Nothing is decided again.
    """
    if file.history is not None and before is None:
        return iter(file.history)
    table = before or file.before
    return _door_steps(file, table, way) if at_table else _rule_steps(file, table)


def door_rules(file: ReadFile, *, at_table: bool) -> RuleSet:
    """The rules that the lines are played by: a table's own option may ask for less than the house's."""
    stands = at_table and file.house.options.stand_on_21
    return file.rules._replace(hit_on_21=False) if stands else file.rules


def _rule_steps(file: ReadFile, before: TableState | None) -> Iterator[TableStep]:
    state = before or new_table(file.rules, watch=file.house.options.shuffle_watch)
    for line in file.lines:
        taken = step(state, line.obs)
        yield TableStep(line, state, taken.state, (Played(line, taken.notices),))
        state = taken.state


def _door_steps(file: ReadFile, table: TableState | None, way: Steps) -> Iterator[TableStep]:
    rules = door_rules(file, at_table=True)
    run = new_run(file.house, rules) if table is None else TableRun(table)
    return way(FeedTable(file.house, run), file.door)


def played_rounds(
    file: ReadFile, *, at_table: bool, before: TableState | None = None, way: Steps = plainly
) -> list[PlayedRound]:
    """Return every round of a file, in order, with the one left open at its end; arguments as for `steps`."""
    return rounds_of(steps(file, at_table=at_table, before=before, way=way))


def rounds_of(taken: Iterable[TableStep]) -> list[PlayedRound]:
    """The rounds that these steps belong to, in order."""
    book = _RoundBook()
    last: TableState | None = None
    for one in taken:
        book.take(one)
        last = one.after
    left = None if last is None else left_open(last)
    if left is not None:
        book.settle(left.result)
    return book.rounds()


def round_of(line: Observation, before: TableState, after: TableState) -> int:
    """The round that a line came in: clearing the table belongs to the round that it ends."""
    return before.book.number if type(line) is End else after.book.number


class _RoundBook:
    """Gathers rounds while they are played."""

    def __init__(self) -> None:
        self._rounds: dict[int, PlayedRound] = {}
        self._beside: list[FeedLine] = []
        """Lines about earlier rounds that came since the last line of a round."""

    def take(self, taken: TableStep) -> None:
        number = round_of(taken.line.obs, taken.before, taken.after)
        placed = self._placed(taken, number)
        if placed and number not in self._rounds:
            self._rounds[number] = PlayedRound(number, taken.before, taken.after)
        if placed:
            self._rounds[number].lines.extend(placed)
            self._rounds[number].beside.extend(self._beside)
            self._beside = []
        self._keep(taken.after)
        for played in taken.played:
            for notice in played.notices:
                if isinstance(notice, Settled):
                    self.settle(notice.result)

    def _placed(self, taken: TableStep, number: int) -> list[RoundLine]:
        """Return the line after those that waited; a line about an earlier round belongs to that round."""
        ruled = getattr(taken.line.obs, "round", None)
        mine = [played for played in taken.played if played.line is taken.line]
        found = RoundLine(taken.line, tuple(one for played in mine for one in played.notices), _by(mine))
        here = [found]
        if ruled is not None and ruled != number and ruled in self._rounds:
            self._rule(self._rounds[ruled], found, taken.after)
            self._beside.append(taken.line)
            here = []
        others = [played for played in taken.played if played.line is not taken.line]
        later = [
            RoundLine(played.line, played.notices, played.by, came=False) for played in others if played.line
        ]
        number_of_line = taken.line.number
        return [
            *(one for one in later if one.line.number != number_of_line),
            *here,
            *(one for one in later if one.line.number == number_of_line),
        ]

    def _rule(self, earlier: PlayedRound, one: RoundLine, after: TableState) -> None:
        """Note a ruling with the closed round that it is about, which may have changed by it."""
        earlier.later.append(one)
        states = (closed for closed in after.book.past if closed.book.number == earlier.number)
        earlier.state = next(states, earlier.state)

    def _keep(self, after: TableState) -> None:
        """Remember how the round stands, and how the newest closed one does."""
        if after.book.number in self._rounds:
            self._rounds[after.book.number].state = after
        for closed in after.book.past.last[-1:]:
            if closed.book.number in self._rounds:
                self._rounds[closed.book.number].state = closed

    def settle(self, result: RoundResult) -> None:
        if result.round in self._rounds:
            self._rounds[result.round].result = result

    def rounds(self) -> list[PlayedRound]:
        if self._rounds:
            self._rounds[max(self._rounds)].beside.extend(self._beside)
            self._beside = []
        return [self._rounds[number] for number in sorted(self._rounds)]


def _by(mine: Iterable[Played]) -> str:
    return next((played.by for played in mine if played.by), "")
