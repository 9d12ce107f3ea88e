"""A table that the lines of a feed come to: the live table's own door, with a journal that keeps nothing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from controller.feed.feed_lines import FeedLine
from controller.feed.replay import Played, left_open
from controller.feed.table_script import TableScript, effects_played, line_at_door
from controller.feed.table_step import TableStep
from controller.policy import Decided, Doubt, House, TableLine, TableRun, new_run
from controller.runtime.decision import enforcement
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.journal_opening import Opening

Steps = Callable[["FeedTable", Iterable[FeedLine]], Iterator[TableStep]]
"""Takes a table through lines: `plainly`, or as `controller.runtime.feeds.rejoin` does."""


def play_table(script: TableScript, way: Steps | None = None) -> Iterator[Played]:
    """Bring every line to the door; yields what follows from it, named by the line that it follows from."""
    table = FeedTable(script.house, new_run(script.house, script.rules))
    for taken in (way or plainly)(table, script.lines):
        yield from taken.played
    yield table.left()


class FeedTable:
    """A table to which the lines of a feed are brought, and what else happened between them."""

    def __init__(self, house: House, run: TableRun) -> None:
        """Begin before the first line, at a table that stands so."""
        self.ledger = Ledger(0, Opening("", run.state.book.rules, "", b"", house), run)
        self._lines: dict[int, FeedLine] = {}
        """The line with which each card came that waits, by the number of its entry."""

    @property
    def run(self) -> TableRun:
        """The table as it is now."""
        return self.ledger.run

    def step(self, line: FeedLine) -> TableStep:
        """Bring a line to the door."""
        before = self.run.state
        played = self.take(line_at_door(line), line)
        return TableStep(line, before, self.run.state, played, self.run.holds, len(self.run.kept))

    def take(self, entered: TableLine, line: FeedLine) -> tuple[Played, ...]:
        """Bring something to the door; `line` is what it, and whatever follows from it, is named by."""
        draft = self._draft(entered.t_ms)
        return self._adopt(draft, enforcement.answer(draft, entered, str(entered.by)), line)

    def hold_over(self, doubt: Doubt, line: FeedLine) -> tuple[Played, ...]:
        """Hold over what two witnesses say differently; named by `line`."""
        draft = self._draft(round(line.t * 1000))
        return self._adopt(draft, enforcement.hold_over(draft, doubt), line)

    def _draft(self, t_ms: int) -> Draft:
        return Draft(self.ledger, t_ms * 1000, written=False)

    def _adopt(self, draft: Draft, decided: Decided, line: FeedLine) -> tuple[Played, ...]:
        run = draft.ledger.run
        if run.unreported != decided.run.unreported:
            # No journal says it: a live table's settled entry stands whether it waits or not.
            run = replace(run, unreported=decided.run.unreported, reported=decided.run.reported)
        self.ledger = draft.ledger._replace(run=run)
        self._lines[0] = line
        played = tuple(effects_played(decided.effects, self._lines))
        self._lines = {kept.mark: self._lines.get(kept.mark, line) for kept in run.kept}
        return played

    def left(self) -> Played:
        """The round that is open when the feed ends."""
        left = left_open(self.run.state, unreported=bool(self.run.unreported))
        return Played(None, () if left is None else (left,))


def plainly(table: FeedTable, lines: Iterable[FeedLine]) -> Iterator[TableStep]:
    """Line by line; a hold that nobody rules on refuses all that comes after it."""
    return map(table.step, lines)
