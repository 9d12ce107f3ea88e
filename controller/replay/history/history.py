"""The history of a table by its journal: each line with its effects.

Nothing is decided again. The live table's own fold gives the state of the table; the entries give its holds,
releases and alerts. So every command shows the same rounds, holds and money as the table did.

A feed for the plain replay contains the facts in the order of the engine. The lines of `replay --table` are
in the order of their arrival at the table's door: a card that waited stands where it came. A line that the
table could not take (the table cleared over an incomplete round, a card turned too early) stands at its hold.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Correct,
    Decision,
    DeviceSeen,
    End,
    Observation,
    RestCard,
    Reveal,
)
from controller.domain import Alert, Notice, Refused
from controller.feed.codec import parse
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import TableStep
from controller.feed.replay import Played, PlayedNotice
from controller.journal.entry import Body
from controller.policy.desk import HOLDING
from controller.policy.line import person_named
from controller.policy.run import Held, Inferred, Released
from controller.runtime.draft import Folded
from controller.runtime.ledger import Ledger

PEOPLE: Final = ("dealer", "pit")
SECOND: Final = "pit"
"""Who signs with somebody is of the pit."""


def signed(line: FeedLine, actor: str) -> FeedLine:
    """The line of an entry by this actor, with who reported it and who signed with him."""
    return line._replace(by=by_of(actor, line.obs), second=_second_of(line.obs))


def by_of(actor: str, observation: Observation) -> str:
    """Return the `by` of a line: for a card the source that it names, else the entry's actor.

    A journal's actor is `role:name`. A device counts as a camera when only the layout can show its report,
    else as the shoe, as at the live door. The system reports that a device came or went.
    """
    named = observation.by if isinstance(observation, CardSeen) else None
    if named is not None and person_named(named) is not None:
        return named
    if isinstance(observation, DeviceSeen):
        return "system"
    role, _, name = actor.partition(":")
    if role in PEOPLE:
        return f"{role}:{name}" if name else role
    if role != "device":
        return "system"
    return f"camera:{name}" if name and _is_seen_on_felt(observation) else "shoe"


def _is_seen_on_felt(observation: Observation) -> bool:
    """Whether a camera over the layout has reported this: no shoe knows the place of its card."""
    if isinstance(observation, CardSeen):
        return observation.to is not None
    return isinstance(observation, Decision | Reveal | End | Correct)


def _second_of(observation: Observation) -> str | None:
    """The second person of a ruling, with the role that he signs in."""
    second: str | None = getattr(observation, "second", None)
    if second is None or person_named(second) is not None:
        return second
    return f"{SECOND}:{second}"


DEALER: Final = "dealer:replay"
"""Of a line that was no fact the journal does not say who reported it."""

CLEARED: Final = frozenset({"ROUND_INCOMPLETE", "DEALER_STOOD_ON_16"})
"""Holds that the table's clearing over an incomplete round begins."""


class HistoryEntry(NamedTuple):
    """The fields of a journal entry that a history needs; `t` is seconds since the beginning."""

    seq: int
    kind: str
    actor: str
    caused_by: int | None
    t: float


class DoorLines:
    """Gathers the lines of entries given in order; `first` is the number of the first one.

    With `first` None a line has the number of its entry.
    """

    def __init__(self, first: int | None) -> None:
        """Begin without lines."""
        self._first = first
        self._waited: set[int] = set()
        self.lines: Final[list[FeedLine]] = []
        """The lines so far."""

    def take(self, entry: HistoryEntry, body: Body, observation: Observation | None) -> FeedLine | None:
        """Return the line that arrived with this entry; None without one.

        `observation` is that of a fact.
        """
        if entry.kind == "waiting":
            self._waited.add(entry.seq)
        elif entry.kind != "ruled" and entry.caused_by in self._waited:
            return None
        found = _came_as(observation) if observation is not None else _no_fact(entry.kind, body)
        if found is None:
            return None
        number = entry.seq if self._first is None else self._first + len(self.lines)
        line = signed(FeedLine(number, entry.t, found), DEALER if entry.kind == "held" else entry.actor)
        self.lines.append(line)
        return line


def _came_as(observation: Observation) -> Observation:
    """Return the report that led to this fact: a reader does not know of a count, and reports a card."""
    if isinstance(observation, RestCard) and not observation.out:
        return CardSeen(observation.rank, observation.suit)
    return observation


def _no_fact(kind: str, body: Body) -> Observation | None:
    """Return the report of an entry that is no fact; None for an entry without a report."""
    if kind == "waiting":
        return parse(body)
    if kind in ("refused", "ruled"):
        return parse(body["obs" if kind == "refused" else "ruling"])
    return _held_by(body) if kind == "held" and "about" in body else None


def _held_by(body: Body) -> Observation | None:
    """The line that the table was held over instead of taking it."""
    code, params = body["code"], body["params"]
    if code in CLEARED and not body["about"]["fault"]:
        return End()
    if code == "HOLE_CARD_EXPOSED" and params.get("turned"):
        return Reveal()
    if code == "STAKE_CHANGED":
        return Bet(params["box"], params["seat"], params["stake"])
    return None


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
        """Yield the effects, line by line; those before the first line come first."""
        if not self._steps:
            yield from self._early
        for step in self._steps:
            yield from step.played

    def take(self, before: Ledger, entry: HistoryEntry, folded: Folded) -> tuple[Played, ...]:
        """Add an entry; return its effects. `before` is the table before it.

        Raises `ConfigError` for an unreadable observation.
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
        """Return the line that names the effects of an entry."""
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
    """Return the author of an effect that is no fact: the refused person, or the device that noticed it."""
    if entry.kind == "fact":
        return ""
    return entry.actor if line is None else str(line.by)


def _notices(before: Ledger, entry: HistoryEntry, folded: Folded) -> Iterator[PlayedNotice]:
    """Yield the notices of an entry, as a replay prints them."""
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
        case _:
            pass
    for hold in before.holds:
        if hold not in after.holds:
            yield Released(entry.seq, hold, resumed=entry.kind == "resumed")


def _as_held(before: Ledger, notice: Notice) -> Notice:
    """Return the engine's notice as the table reports it: an alert that holds the table is critical."""
    holds = before.opening.profiled and isinstance(notice, Alert) and notice.code in HOLDING
    return notice._replace(severity="critical") if holds and isinstance(notice, Alert) else notice


def _params(body: Body) -> tuple[tuple[str, int | str], ...]:
    return tuple(body.get("params", {}).items())
