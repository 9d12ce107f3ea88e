"""A table that the lines of a feed come to: the live table's policy, without the entries of a journal."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from controller.domain.notices import Alert
from controller.feed.feed_lines import FeedLine
from controller.feed.replay import Played, left_open
from controller.feed.table_script import TableScript, effects_played, line_at_door
from controller.feed.table_step import TableStep
from controller.policy import Doubt, House, Person, TableLine, TableRun, decide, hold_over, new_run
from controller.policy.lines.late_bets import is_same_bet
from controller.policy.state.effects import Alerted, Effect, Held, Refusal
from controller.policy.state.holds import Hold
from controller.policy.state.line import KeptCard
from controller.policy.state.rounds import TOO_MANY, names_unturned

Steps = Callable[["FeedTable", Iterable[FeedLine]], Iterator[TableStep]]
"""Takes a table through lines: `plainly`, or as `controller.feed.rejoin` does."""


def play_table(script: TableScript, way: Steps | None = None) -> Iterator[Played]:
    """Bring every line to the door; yields what follows from it, named by the line that it follows from."""
    table = FeedTable(script.house, new_run(script.house, script.rules))
    if way is not None:
        for taken in way(table, script.lines):
            yield from taken.played
    else:
        for line in script.lines:
            yield from table.take(line_at_door(line), line)
    yield table.left()


class FeedTable:
    """A table to which the lines of a feed are brought, and what else happened between them."""

    def __init__(self, house: House, run: TableRun) -> None:
        """Begin before the first line, at a table that stands so."""
        self._house = house
        self.run = run
        """The table as it is now."""
        self._late: list[Alert] = []
        """The alerts of late bets that the pit has."""
        self._lines: dict[int, FeedLine] = {}
        """The line with which each card came that waits, by the card's mark."""
        self._marks = 0
        """Marks that waiting cards have got; 0 is the line at the door."""

    def step(self, line: FeedLine) -> TableStep:
        """Bring a line to the door."""
        before = self.run.state
        played = self.take(line_at_door(line), line)
        return TableStep(line, before, self.run.state, played, self.run.holds, len(self.run.kept))

    def take(self, entered: TableLine, line: FeedLine) -> tuple[Played, ...]:
        """Bring something to the door; `line` is what it, and whatever follows from it, is named by."""
        decided = decide(self._house, self.run, entered)
        effects = decided.effects
        if effects and isinstance(effects[0], Refusal):
            effects = (effects[0], *[one for one in effects[1:] if self._is_news(one)])
        return self._adopt(decided.run, effects, line, entered.by)

    def hold_over(self, doubt: Doubt, line: FeedLine) -> tuple[Played, ...]:
        """Hold over what two witnesses say differently; named by `line`."""
        decided = hold_over(self._house, self.run, doubt, 0)
        return self._adopt(decided.run, decided.effects, line, None)

    def _is_news(self, effect: Effect) -> bool:
        """Whether the pit does not have the alert of this late bet yet; it is noted then."""
        if not isinstance(effect, Alerted) or any(is_same_bet(effect.alert, known) for known in self._late):
            return False
        self._late.append(effect.alert)
        return True

    def _adopt(
        self, run: TableRun, effects: tuple[Effect, ...], line: FeedLine, by: Person | None
    ) -> tuple[Played, ...]:
        lines, lines[0] = self._lines, line
        played = effects_played(effects, lines)
        if run.kept or len(lines) > 1:
            run = replace(run, kept=tuple([self._marked(kept, line, by) for kept in run.kept]))
            marks = [0, *[kept.mark for kept in run.kept]]
            self._lines = {mark: lines[mark] for mark in marks}
        for effect in effects:
            if isinstance(effect, Held) and _tells_unturned(effect.hold, run):
                run = replace(run, holds=tuple([hold for hold in run.holds if hold is not effect.hold]))
        self.run = run
        return played

    def _marked(self, kept: KeptCard, line: FeedLine, by: Person | None) -> KeptCard:
        """A card that begins to wait, as the journal of a live table would name it."""
        if kept.mark:
            return kept
        self._marks += 1
        self._lines[self._marks] = line
        brought = Person("shoe", "" if by is None else str(by))
        return KeptCard(kept.card, brought, self._marks, kept.gap_ms, unclear=kept.unclear, ruled=kept.ruled)

    def left(self) -> Played:
        """The round that is open when the feed ends."""
        left = left_open(self.run.state, unreported=bool(self.run.unreported))
        return Played(None, () if left is None else (left,))


def _tells_unturned(hold: Hold, run: TableRun) -> bool:
    """Whether a live table does not hold here: waiting would tell what lay face down."""
    return hold.code in TOO_MANY and names_unturned(run.state, hold.params)


def plainly(table: FeedTable, lines: Iterable[FeedLine]) -> Iterator[TableStep]:
    """Line by line; a hold that nobody rules on refuses all that comes after it."""
    return map(table.step, lines)
