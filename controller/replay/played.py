"""Reports played round by round: the lines of each round, their effects, the state, and odd lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from statistics import median_low
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, Close, DealerSeated, End, Observation, ShoeLoaded
from controller.domain import RANKS, SUITS, Params, RoundResult, RuleSet, Settled
from controller.engine.settle import SETTLED, VOIDED
from controller.engine.state import TableState, new_table
from controller.engine.table import step
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import FeedTable, Steps, TableStep, plainly
from controller.feed.replay import Json, Played, PlayedNotice, between_rounds, left_open
from controller.policy import TableRun, new_run
from controller.replay.table_file import ReadFile


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


OVER: Final = (SETTLED, VOIDED)
BETWEEN: Final = (Bet, Close)
"""What is reported of a round before its first card."""
FIRST: Final = (Bet, ShoeLoaded)
"""What a round begins with, once the table was said to be cleared."""


def with_rounds_behind(
    file: ReadFile, rounds: Sequence[PlayedRound], *, at_table: bool
) -> tuple[PlayedRound, ...]:
    """Return the played rounds; an unfinished last round is followed by those that its lines contain.

    They are counted on, from the table before the open round: its shoe lacks the cards of that round. A next
    round begins with stakes after the cleared table, or with stakes and "no more bets" after a card.
    """
    kept = list(rounds)
    if file.history is not None:
        return tuple(kept)
    while kept:
        left = kept[-1]
        if left.result is not None and left.result.status in OVER:
            break
        own = left.fed
        begin = _next_round_at([line.obs for line in own])
        if begin is None:
            break
        alone = _played(file, own[:begin], left.before, at_table=at_table)
        table = between_rounds(left.before)
        fresh = replace(table, book=replace(table.book, number=left.number + 1))
        behind = _played(file, own[begin:], fresh, at_table=at_table)
        kept[-1:] = [one for one in alone if one.number == left.number] + behind
    return tuple(kept)


def _played(
    file: ReadFile, lines: Sequence[FeedLine], before: TableState, *, at_table: bool
) -> list[PlayedRound]:
    script = file.again()._replace(lines=tuple(lines), door=tuple(lines))
    return played_rounds(script, at_table=at_table, before=before)


def _next_round_at(entered: Sequence[Observation]) -> int | None:
    """Return the index at which the next round begins, its fresh shoe included; None without one."""
    dealt = False
    for at, obs in enumerate(entered):
        if isinstance(obs, End) and isinstance(next(iter(entered[at + 1 :]), None), FIRST):
            return at + 1
        if isinstance(obs, Close):
            begin = _first_stake(entered, at)
            if dealt and begin < at:
                return _with_shoe(entered, begin)
        dealt = dealt or isinstance(obs, CardSeen)
    return None


def _first_stake(entered: Sequence[Observation], close: int) -> int:
    at = close
    while at > 0 and isinstance(entered[at - 1], BETWEEN):
        at -= 1
    return at


def _with_shoe(entered: Sequence[Observation], begin: int) -> int:
    """The fresh shoe and its burn cards, where they stand right before the stakes."""
    at = begin
    while at > 0 and isinstance(entered[at - 1], CardSeen):
        at -= 1
    return at - 1 if at > 0 and isinstance(entered[at - 1], ShoeLoaded) else begin


FindingCode = Literal["CLOCK_STEP", "ROUND_REPEATED", "STAKE_UNLIKE", "TWO_DEALERS"]

SHOE_CAUSES: Final = frozenset(("SHUFFLE_DUE", "SHOE_DUE"))
OF_A_SHOE: Final = SHOE_CAUSES | {"SHOE_OVERRUN", "TOO_MANY_OF_A_KIND"}
"""Alerts about the shoe as a whole. A shoe that was not reported raises them at one card after another."""

_REPEATED_BITS: Final = 40.0
"""A round with so much in its cards is no accident when it comes twice: in 480 rounds about one pair in
ten million shifts."""

STEP_S: Final = 1800.0
"""Seconds between two lines of a round: above it a clock was set, or the table stood still. Not measured."""

_UNLIKE_MOST: Final = 20
"""So many of the stakes that are least like their bettor's others are named."""


class FileFinding(NamedTuple):
    """A line that a person should check.

    `likely` is the likelihood that nothing is wrong, from 0 to 1.
    """

    round: int
    line: FeedLine
    code: FindingCode
    params: Params
    likely: float

    def to_json(self) -> Json:
        """The object that a report has of it."""
        where = {"round": self.round, "line": self.line.number, "t": self.line.t}
        return {"type": "finding", **where, "code": self.code, "params": dict(self.params)}


class FileFindings:
    """Examines the lines of a file in order; iterate for the findings."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self._steps: list[FileFinding] = []
        self._stakes: list[tuple[FeedLine, int, Bet]] = []
        self._t = 0.0
        self._dealer = ""
        self._words: list[Observation] = []
        """What the running round says, word for word."""
        self._begins: tuple[FeedLine, int] | None = None
        self._rounds: dict[tuple[Observation, ...], int] = {}

    def take(self, line: FeedLine, number: int, *, in_round: bool) -> None:
        """Look at one line of the round of this number; `in_round`: its bets are laid, it is not over."""
        passed = line.t - self._t
        if in_round and passed >= STEP_S:
            params = (("seconds", round(passed)),)
            self._steps.append(FileFinding(number, line, "CLOCK_STEP", params, STEP_S / passed))
        self._t = line.t
        if isinstance(line.obs, Bet) and line.obs.stake > 0:
            self._stakes.append((line, number, line.obs))
        if isinstance(line.obs, DealerSeated):
            self._seat(line, number, line.obs)
        self._repeat(line, number)

    def _seat(self, line: FeedLine, number: int, seated: DealerSeated) -> None:
        """Note a dealer who comes while another one sits there."""
        if seated.at == "in" and self._dealer not in ("", seated.id):
            params = (("id", seated.id), ("before", self._dealer))
            self._steps.append(FileFinding(number, line, "TWO_DEALERS", params, 0.5))
        if seated.at == "in" or seated.id == self._dealer:
            self._dealer = seated.id if seated.at == "in" else ""

    def _repeat(self, line: FeedLine, number: int) -> None:
        """Note a round with the same lines as an earlier one; the cleared table ends it."""
        self._begins = self._begins or (line, number)
        self._words.append(line.obs)
        if not isinstance(line.obs, End):
            return
        said, (first, of_round) = tuple(self._words), self._begins
        before = self._rounds.setdefault(said, of_round)
        if before != of_round and _bits(said) >= _REPEATED_BITS:
            params = (("before", before),)
            self._steps.append(FileFinding(of_round, first, "ROUND_REPEATED", params, 0.1))
        self._words, self._begins = [], None

    def __iter__(self) -> Iterator[FileFinding]:
        """Clock, dealers and repeated rounds, then the stakes that are least like the bettor's others."""
        yield from self._steps
        yield from _unlike_stakes(self._stakes)[:_UNLIKE_MOST]


def _bits(said: Iterable[Observation]) -> float:
    """Return the information in the cards of a round: 52 kinds for a read suit, else 13."""
    cards = [one for one in said if isinstance(one, CardSeen) and one.rank is not None]
    return sum(log2(len(RANKS) * (len(SUITS) if card.suit else 1)) for card in cards)


TIMES: Final = 4
"""A stake is unlike from so many times the bettor's median on, or so small a part of it."""

SPREAD: Final = 2
"""And it lies beyond the bettor's own spread: so many times the next one in its direction. In 60 rounds of
stakes drawn from a lognormal distribution (sigma 0.2 to 0.8) 1 bettor in 20 has such a stake by chance."""

_STAKES_LEAST: Final = 8
"""With fewer stakes of a bettor nothing is usual yet."""


def _unlike_stakes(laid: Iterable[tuple[FeedLine, int, Bet]]) -> list[FileFinding]:
    """Every such stake of a file, the least like first; in a round a bettor's last one counts."""
    stakes: dict[tuple[int, int], dict[int, tuple[FeedLine, Bet]]] = {}
    for line, number, bet in laid:
        stakes.setdefault((bet.box, bet.seat), {})[number] = (line, bet)
    found: list[FileFinding] = []
    for by_round in stakes.values():
        if len(by_round) < _STAKES_LEAST:
            continue
        amounts = sorted(bet.stake for _, bet in by_round.values())
        usual = median_low(amounts)
        most, least = max(TIMES * usual, SPREAD * amounts[-2]), min(usual / TIMES, amounts[1] / SPREAD)
        for number, (line, bet) in by_round.items():
            if not least < bet.stake < most:
                params = (("box", bet.box), ("seat", bet.seat), ("stake", bet.stake), ("usual", usual))
                likely = min(bet.stake / usual, usual / bet.stake)
                found.append(FileFinding(number, line, "STAKE_UNLIKE", params, likely))
    return sorted(found, key=lambda one: (one.likely, one.line.number))
