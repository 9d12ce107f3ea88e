"""`replay --table --rejoin`: a round that is held and never ruled on is left, and play goes on behind it.

Where it goes on (feed format, section 8): at the first bet after the table was cleared; where nothing says
that it was, at the stakes that come after a card of the held round.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from controller.acts.catalogue import Bet, CardSeen, Close, End
from controller.domain.notices import Refused, Settled
from controller.engine.state import TableState
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import FeedTable
from controller.feed.replay import Played, Skipped
from controller.feed.table_step import TableStep
from controller.policy import TableRun
from controller.policy.rejoin import leave_held_round


def rejoined(table: FeedTable, lines: Iterable[FeedLine]) -> Iterator[TableStep]:
    """Line by line, the lines of a held round kept back until it is known whether somebody rules on it."""
    again: list[FeedLine] = []
    source = iter(lines)
    held: _HeldRound | None = None
    while (line := again.pop(0) if again else next(source, None)) is not None or held is not None:
        if held is None:
            assert line is not None, "a line, or a round that is held"
            taken = table.step(line)
            if not table.run.holds:
                yield taken
                continue
            held = _HeldRound([taken], *_begun(table.run.state), isinstance(line.obs, End))
            continue
        place = held.joins_before(line, table.run)
        if place is not None:
            again[:0] = [*place.lines, *(() if line is None else (line,))]
            table.run = place.run
            yield from held.left(table, place)
            held = None
            continue
        assert line is not None, "without lines a held round is left"
        held.steps.append(table.step(line))
        if not table.run.holds:
            yield from held.steps
            held = None


@dataclass(slots=True)
class _JoinPlace:
    """Where play may go on: the table there, how many steps came before, the lines from there on."""

    run: TableRun
    steps: int
    lines: list[FeedLine] = field(default_factory=list)


@dataclass(slots=True)
class _HeldRound:
    """The steps since a hold began. `ended`: the table was cleared; `dealt`: the round has a card.

    `staked`: the round has stakes; a card that comes between rounds, before any, is burned.

    `stakes` is where the newest run of stakes after a card began, `first` where the first one did.
    """

    steps: list[TableStep]
    staked: bool
    dealt: bool
    ended: bool = False
    stakes: _JoinPlace | None = None
    first: _JoinPlace | None = None

    def joins_before(self, line: FeedLine | None, run: TableRun) -> _JoinPlace | None:
        """Where play goes on, now that this line comes; None: the round goes on. `line` None: the end."""
        if line is None:
            return (None if self.ended else self.first) or _JoinPlace(run, len(self.steps))
        match line.obs:
            case Bet() if self.ended:
                return _JoinPlace(run, len(self.steps))
            case Bet() if self.dealt:
                self.stakes = self.stakes or _JoinPlace(run, len(self.steps))
                self.first = self.first or self.stakes
            case Close() if self.stakes is not None:
                return self.stakes
            case _:
                self.ended |= isinstance(line.obs, End)
                self.staked |= isinstance(line.obs, Bet | Close)
                self.dealt |= self.staked and isinstance(line.obs, CardSeen)
                self.stakes = None
        for place in {id(one): one for one in (self.stakes, self.first) if one is not None}.values():
            place.lines.append(line)
        return None

    def left(self, table: FeedTable, place: _JoinPlace) -> Iterator[TableStep]:
        """The steps of the round, without what was refused in it; the table goes on without it."""
        steps = self.steps[: place.steps]
        because = place.run.holds[0].code
        refused = [step.line.number for step in steps[1:] if any(map(_is_refused, step.played))]
        table.run, closed, result = leave_held_round(place.run)
        skipped = (Skipped(refused[0], refused[-1], because),) if refused else ()
        *others, last = (steps[0], *(_unrefused(one) for one in steps[1:]))
        yield from others
        ends = Played(last.line, (*skipped, Settled(result)))
        yield last._replace(after=closed, played=(*last.played, ends))


def _begun(state: TableState) -> tuple[bool, bool]:
    """Whether there are stakes on the table for a round that is not over, and whether it has a card."""
    going_on = not state.settlement.ended
    staked = any(box.bets for box in state.boxes)
    return going_on and (staked or state.cards_seen > 0), going_on and state.cards_seen > 0


def _is_refused(played: Played) -> bool:
    return any(isinstance(notice, Refused) for notice in played.notices)


def _unrefused(step: TableStep) -> TableStep:
    return step._replace(played=tuple([one for one in step.played if not _is_refused(one)]))
