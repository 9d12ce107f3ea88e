"""What a table has done, as its journal has it: entries in, each line with what followed from it out.

Nothing is decided anew. The live table's own fold says how the table stood, and the entries say what held,
what was lifted, what was noticed: so every command tells the same rounds, holds and money as the table did.
"""

from collections.abc import Iterator
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.domain import Alert, Notice, Refused
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import TableStep
from controller.feed.replay import Played, PlayedNotice
from controller.journal.upcast import Body
from controller.policy.lines.desk import HOLDING
from controller.policy.state.effects import Held, Inferred, Released
from controller.replay.history.door_lines import DoorLines, HistoryEntry
from controller.runtime.ledger import Folded, Ledger

HEADER: Final = 1
"""The line by which is named what the table noticed before any line came."""

NOTHING: Final = CardSeen(None)
"""Stands on that line, which tells nothing."""


class HistorySteps:
    """Gathers the steps of entries given in order."""

    def __init__(self, first: int | None) -> None:
        """Begin without steps; lines are numbered from `first`, None: as their entries are."""
        self._door: Final = DoorLines(first)
        self._steps: list[TableStep] = []
        self._waiting: dict[int, FeedLine] = {}
        self._early: list[Played] = []

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        """The lines as they came to the table's door."""
        return tuple(self._door.lines)

    @property
    def steps(self) -> tuple[TableStep, ...]:
        """The steps so far."""
        return tuple(self._steps)

    @property
    def played(self) -> Iterator[Played]:
        """What followed, line by line; what was noticed before the first line comes first."""
        if not self._steps:
            yield from self._early
        for step in self._steps:
            yield from step.played

    def take(self, before: Ledger, entry: HistoryEntry, folded: Folded) -> tuple[Played, ...]:
        """Add an entry; what followed from it. `before` is the table before it.

        Raises `ConfigError` for an observation that cannot be read.
        """
        line = self._door.take(entry, folded.body, folded.observation)
        if line is not None:
            self._begin(line, before, entry)
        notices = tuple(_notices(before, entry, folded))
        if line is None and not notices:
            self._follow(folded.ledger, ())
            return ()
        named = self._named_by(line, entry)
        played = (Played(named, notices, _by(line, entry)),)
        self._follow(folded.ledger, played)
        return played

    def _begin(self, line: FeedLine, before: Ledger, entry: HistoryEntry) -> None:
        if entry.kind == "waiting":
            self._waiting[entry.seq] = line
        early, self._early = (self._early, []) if not self._steps else ([], self._early)
        self._steps.append(TableStep(line, before.state, before.state, tuple(early), entry=entry.seq))

    def _named_by(self, line: FeedLine | None, entry: HistoryEntry) -> FeedLine:
        """The line by which what follows from an entry is named."""
        waited = self._waiting.get(entry.caused_by or 0)
        if line is not None or waited is not None:
            return line or waited or self._steps[-1].line
        if not self._steps:
            return FeedLine(HEADER, entry.t, NOTHING)
        return self._steps[-1].line._replace(t=entry.t)

    def _follow(self, after: Ledger, played: tuple[Played, ...]) -> None:
        if not self._steps:
            self._early += played
            return
        last = self._steps[-1]
        self._steps[-1] = last._replace(
            after=after.state,
            played=(*last.played, *played),
            holds=after.holds,
            waiting=after.waiting_count,
        )


def _by(line: FeedLine | None, entry: HistoryEntry) -> str:
    """Who is behind what followed, where it is no fact: who was refused, or what noticed it."""
    if entry.kind == "fact":
        return ""
    return entry.actor if line is None else str(line.by)


def _notices(before: Ledger, entry: HistoryEntry, folded: Folded) -> Iterator[PlayedNotice]:
    """What an entry tells, as a replay prints it."""
    after, body = folded.ledger, folded.body
    match entry.kind:
        case "fact":
            yield from (_as_held(before, notice) for notice in folded.notices)
        case "refused":
            yield Refused(body["code"], _params(body))
        case "trouble":
            yield Alert(body["code"], body["severity"], body["round"], _params(body))
        case "inferred":
            yield Inferred(entry.seq, body["what"], body["box"], body["hand"])
        case "held":
            yield Held(entry.seq, after.holds[-1])
            return
    for hold in before.holds:
        if hold not in after.holds:
            yield Released(entry.seq, hold, resumed=entry.kind == "resumed")


def _as_held(before: Ledger, notice: Notice) -> Notice:
    """A notice of the engine as the table has it: what makes it wait is critical."""
    holds = before.opening.profiled and isinstance(notice, Alert) and notice.code in HOLDING
    return notice._replace(severity="critical") if holds and isinstance(notice, Alert) else notice


def _params(body: Body) -> tuple[tuple[str, int | str], ...]:
    return tuple(body.get("params", {}).items())
