"""A feed at the live table's own door, without the entries of a journal.

Roles, holds, the house's profile and options count. With `replay --table --rejoin` a round that is held and
never ruled on is left, and play goes on behind it (feed format, section 8): at the first bet after the table
was cleared; where nothing says that it was, at the stakes that come after a card of the held round.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, Close, End
from controller.domain import Alert, ConfigError, Refused, RuleSet, Settled
from controller.engine.state import TableState
from controller.feed.feed_lines import (
    NO_HEADER,
    FeedHeader,
    FeedLine,
    MalformedFeed,
    RepeatedLines,
    in_header,
    parse_table_options,
    read_header,
)
from controller.feed.replay import Played, PlayedNotice, Skipped, left_open
from controller.policy import Doubt, House, Person, TableLine, TableRun, decide, hold_over, new_run
from controller.policy.allowed import default_person
from controller.policy.everyday import is_same_bet
from controller.policy.holds import TOO_MANY, Hold, names_unturned
from controller.policy.line import WANTED, KeptCard, person_named
from controller.policy.rulings import leave_held_round
from controller.policy.run import (
    CardKept,
    Effect,
    Held,
    Inferred,
    Noticed,
    PayoutNoted,
    Refusal,
    Released,
    Took,
)
from controller.rules import overridden_file


class TableStep(NamedTuple):
    """One line taken: the table before and after it, its effects, and the holds after it.

    A later effect of a line that waited belongs to the line that released it. An effect of the table itself
    belongs to the line before it, at its own time.
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
    """Return the step with the results of the rules alone, without the table's own effects."""
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


class TableScript(NamedTuple):
    """A feed opened for the table's door: its rules, the house's settings, its lines to be read."""

    rules: RuleSet
    house: House
    lines: Iterator[FeedLine]
    header: FeedHeader = NO_HEADER


def open_table_script(stream: BinaryIO, folder: Path) -> TableScript:
    """Header, rules, profile and options of a feed. Raises ConfigError."""
    header = read_header(stream)
    with in_header():
        file = overridden_file(header.rules, header.rule_overrides, header.irregularities, folder)
        rules = file.rules
        options = parse_table_options(header.table_options)
    if options.stand_on_21:
        rules = rules._replace(hit_on_21=False)
    return TableScript(rules, House(file.irregularities, options), iter(RepeatedLines(stream)), header)


def line_at_door(line: FeedLine) -> TableLine:
    """Return the line for the door. Raises MalformedFeed for an invalid `by` or `second`."""
    obs, by = line.obs, _person(line, "by", line.by)
    second = None if line.second is None else str(_person(line, "second", line.second))
    # Any report of a camera other than a card was seen on the felt.
    shown = by is not None and by.role == "camera" and not isinstance(obs, CardSeen)
    # The mark is 0, the line at the door; a card that has to wait is named by its entry.
    return TableLine(obs, by or default_person(obs), 0, round(line.t * 1000), second, by is not None, shown)


def _person(line: FeedLine, field: str, name: object) -> Person | None:
    if name is None:
        return None
    person = person_named(name) if isinstance(name, str) else None
    if person is None:
        wrong = ConfigError("FEED_FIELD_BAD", field=field, value=str(name)[:80], wanted=WANTED)
        raise MalformedFeed(line.number, wrong)
    return person


def _effects_played(effects: Iterable[Effect], lines: Mapping[int, FeedLine]) -> tuple[Played, ...]:
    """Return the effects of lines, each named by its mark in `lines`."""
    found: list[Played] = []
    for mark, same in groupby(effects, _MARK):
        notices: tuple[PlayedNotice, ...] = ()
        by = ""
        for effect in same:
            notices += _notices(effect)
            if isinstance(effect, Refusal):
                by = str(effect.by)
        found.append(Played(lines[mark], notices, by))
    return tuple(found)


def _notices(effect: Effect) -> tuple[PlayedNotice, ...]:
    match effect:
        case Took(notices=notices):
            return notices
        case Noticed(notice=notice):
            return (notice,)
        case Refusal(code=code, params=params):
            return (Refused(code, params),)
        case Held() | Released() | Inferred():
            return (effect,)
        case CardKept() | PayoutNoted():
            return ()


_MARK: Final = attrgetter("mark")


Steps = Callable[["FeedTable", Iterable[FeedLine]], Iterator[TableStep]]
"""Takes a table through lines: `plainly`, or as `rejoined` does."""


def play_table(script: TableScript, way: Steps | None = None) -> Iterator[Played]:
    """Bring every line to the door; yield its effects, each with its line."""
    table = FeedTable(script.house, new_run(script.house, script.rules))
    if way is not None:
        for taken in way(table, script.lines):
            yield from taken.played
    else:
        for line in script.lines:
            yield from table.take(line_at_door(line), line)
    yield table.left()


class FeedTable:
    """A table that takes the lines of a feed, and events between them."""

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
        """Bring an entry to the door; `line` names it and its effects."""
        decided = decide(self._house, self.run, entered)
        effects = decided.effects
        if effects and isinstance(effects[0], Refusal):
            effects = (effects[0], *[one for one in effects[1:] if self._is_news(one)])
        return self._adopt(decided.run, effects, line, entered.by)

    def hold_over(self, doubt: Doubt, line: FeedLine) -> tuple[Played, ...]:
        """Begin a hold for two contradicting witnesses; `line` names it."""
        decided = hold_over(self._house, self.run, doubt, 0)
        return self._adopt(decided.run, decided.effects, line, None)

    def _is_news(self, effect: Effect) -> bool:
        """Whether the alert of this late bet is new; then it is noted."""
        if not isinstance(effect, Noticed) or not isinstance(alert := effect.notice, Alert):
            return False
        if any(is_same_bet(alert, known) for known in self._late):
            return False
        self._late.append(alert)
        return True

    def _adopt(
        self, run: TableRun, effects: tuple[Effect, ...], line: FeedLine, by: Person | None
    ) -> tuple[Played, ...]:
        lines, lines[0] = self._lines, line
        played = _effects_played(effects, lines)
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
    """Whether a live table does not hold here, because a wait would reveal the face-down card."""
    return hold.code in TOO_MANY and names_unturned(run.state, hold.params)


def plainly(table: FeedTable, lines: Iterable[FeedLine]) -> Iterator[TableStep]:
    """Take line by line; a hold without a ruling refuses all later lines."""
    return map(table.step, lines)


def rejoined(table: FeedTable, lines: Iterable[FeedLine]) -> Iterator[TableStep]:
    """Take line by line; the lines of a held round wait until a ruling comes or the round is left."""
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
    """A place to continue: the table there, the number of steps before, the later lines."""

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
        """Return the place to continue before this line; None: the round continues. `line` None: the end."""
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
        """Yield the steps of the round without its refusals; the table continues without the round."""
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
    """Whether the table has stakes of an unfinished round, and whether that round has a card."""
    going_on = not state.settlement.ended
    staked = any(box.bets for box in state.boxes)
    return going_on and (staked or state.cards_seen > 0), going_on and state.cards_seen > 0


def _is_refused(played: Played) -> bool:
    return any(isinstance(notice, Refused) for notice in played.notices)


def _unrefused(step: TableStep) -> TableStep:
    return step._replace(played=tuple([one for one in step.played if not _is_refused(one)]))
