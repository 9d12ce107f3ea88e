"""A feed made as small as it can be while a condition still holds: rounds first, then lines.

Delta debugging (Zeller and Hildebrandt 2002, "ddmin"): parts are left out, halves first, then smaller ones.
Conditions are a code, an amount, a difference, or the result of a command.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from controller.acts.catalogue import Observation
from controller.domain import ConfigError
from controller.engine.state import TableState
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json, between_rounds, round_json
from controller.i18n import digits_or_cents
from controller.replay.difference import FactKind, FactName, MoneyOfRounds, complaint_of, rounds_under
from controller.replay.journal_feed import carried
from controller.replay.played import PlayedRound, played_rounds
from controller.replay.table_file import ReadFile, under
from controller.rules import load_file

Part = TypeVar("Part")
FIRST_LINE = 2
"""The header is line 1."""


class Candidate(NamedTuple):
    """A smaller feed that is tried: played, with the number that each of its rounds had in the whole file."""

    file: ReadFile
    rounds: tuple[PlayedRound, ...]
    numbers: Mapping[int, int]


Condition = Callable[[Candidate], int | None]
"""The first round, by its number in the candidate, in which something is seen; None where it is not."""


class ShrunkFeed(NamedTuple):
    """The smallest feed found. `tries` is the number of played feeds."""

    candidate: Candidate
    round: int
    tries: int

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        """The lines that are left."""
        return self.candidate.file.lines


class RoundLines(NamedTuple):
    """The lines of one round of the whole file, in order."""

    number: int
    lines: tuple[FeedLine, ...]


class NothingReproduced(Exception):
    """The condition does not hold for the whole file."""


def shrink(file: ReadFile, condition: Condition, *, at_table: bool) -> ShrunkFeed:
    """Return the smallest feed found that satisfies the condition. Raises `NothingReproduced`.

    A smaller feed may have no refusal, alert, hold or dispute that the whole feed lacks: otherwise it would
    show another fault.
    """
    return _Shrinking(file, condition, at_table).run()


class _Shrinking:
    def __init__(self, file: ReadFile, condition: Condition, at_table: bool) -> None:
        self._file = file.again()
        self._condition = condition
        self._at_table = at_table
        self._tries = 0
        self._known: frozenset[FactName] = frozenset()

    def run(self) -> ShrunkFeed:
        lines = self._file.door if self._at_table else self._file.lines
        whole = tuple(played_rounds(self._file._replace(lines=lines, door=lines), at_table=self._at_table))
        candidate = Candidate(self._file, whole, {played.number: played.number for played in whole})
        shown = self._condition(candidate)
        if shown is None:
            raise NothingReproduced
        self._known = _complaints(whole)
        header, rounds = self._rounds(whole, shown)
        small = self._fewer_lines(header, self._fewer_boxes(header, rounds))
        found = self._try(header, small)
        assert found is not None, "what was found to show it still does"
        return ShrunkFeed(found[0], found[1], self._tries)

    def _rounds(self, whole: Sequence[PlayedRound], shown: int) -> tuple[FeedHeader, list[RoundLines]]:
        """The round alone, on a table as it stood; where that does not show it, as few rounds as do."""
        grouped = [RoundLines(played.number, played.fed) for played in whole]
        played = next(one for one in whole if one.number == shown)
        alone = RoundLines(shown, (*_set_up(played.before, played.fed[0].t), *played.fed))
        header = _ruled(self._file, played.before)
        if self._try(header, [alone]) is not None:
            return header, [alone]
        header = self._file.header
        until = [one for one in grouped if one.number <= shown]
        start = until if self._try(header, until) is not None else grouped
        return header, _ddmin(start, lambda rounds: self._try(header, rounds) is not None)

    def _fewer_boxes(self, header: FeedHeader, rounds: Sequence[RoundLines]) -> Sequence[RoundLines]:
        """Whole boxes are left out, stakes, cards and decisions at once: none of them can go alone."""
        found = self._try(header, rounds)
        assert found is not None, "these rounds show it"
        marked = list(_by_box(found[0], rounds))
        numbers = [one.number for one in rounds]
        boxes = sorted({box for box, _, _ in marked if box})

        def left(kept: Sequence[int]) -> list[RoundLines]:
            return _grouped(numbers, [(of, line) for box, of, line in marked if not box or box in kept])

        kept = _ddmin(boxes, lambda some: self._try(header, left(some)) is not None)
        return left(kept)

    def _fewer_lines(self, header: FeedHeader, rounds: Sequence[RoundLines]) -> list[RoundLines]:
        """Every line that can be left out is."""
        marked = [(one.number, line) for one in rounds for line in one.lines]
        numbers = [one.number for one in rounds]
        kept = _ddmin(marked, lambda some: self._try(header, _grouped(numbers, some)) is not None)
        return _grouped(numbers, kept)

    def _try(self, header: FeedHeader, rounds: Sequence[RoundLines]) -> tuple[Candidate, int] | None:
        self._tries += 1
        found = _feed_of(self._file, header, rounds)
        played = tuple(played_rounds(found, at_table=self._at_table))
        if self._known and not _complaints(played) <= self._known:
            return None
        numbers = dict(zip((one.number for one in played), (one.number for one in rounds), strict=False))
        candidate = Candidate(found, played, numbers)
        shown = self._condition(candidate)
        return None if shown is None else (candidate, shown)


def _complaints(rounds: Sequence[PlayedRound]) -> frozenset[FactName]:
    named = (complaint_of(notice) for played in rounds for _, notice in played.notices)
    return frozenset((*(name for name in named if name is not None), FactName("status")))


def _by_box(candidate: Candidate, rounds: Sequence[RoundLines]) -> Iterator[tuple[int, int, FeedLine]]:
    """Each line with the box that it is about, 0 for none, and its round."""
    # Identity, since two cards of one shoe can be reported in the same words.
    at = {
        id(card.obs): box.box
        for played in candidate.rounds
        for box in played.state.boxes
        for hand in box.hands
        for card in hand.cards
    }
    for one in rounds:
        for line in one.lines:
            found: int | None = getattr(line.obs, "box", None)
            yield found or at.get(id(line.obs), 0), one.number, line


def _set_up(before: TableState, t: float) -> Iterator[FeedLine]:
    """The lines that make a fresh table as this one was before the round."""
    state = between_rounds(before)
    lines = carried(state.shoe, state.book.chips, state.book.bank, shuffle_due=state.book.shuffle_due)
    return (FeedLine(0, t, line) for line in lines)


def _ruled(file: ReadFile, before: TableState) -> FeedHeader:
    """The header with the limits that were in force."""
    pairs = before.book.rules._asdict().items()
    own = file.rules._asdict()
    changed = {field: value for field, value in pairs if value != own[field] and field.startswith("stake_")}
    return file.header._replace(rule_overrides={**file.header.rule_overrides, **changed})


def _grouped(numbers: Sequence[int], marked: Sequence[tuple[int, FeedLine]]) -> list[RoundLines]:
    kept = [RoundLines(number, tuple(line for of, line in marked if of == number)) for number in numbers]
    return [one for one in kept if one.lines]


def _feed_of(file: ReadFile, header: FeedHeader, rounds: Sequence[RoundLines]) -> ReadFile:
    """Return a feed of these rounds, counted from 1, without later entries for the other rounds."""
    new = {one.number: at for at, one in enumerate(rounds, start=1)}
    lines: list[FeedLine] = []
    for one in rounds:
        for line in one.lines:
            obs = _renumbered(line.obs, new)
            if obs is not None:
                lines.append(line._replace(number=FIRST_LINE + len(lines), obs=obs))
    limits = {key: value for key, value in header.rule_overrides.items() if key.startswith("stake_")}
    rules = file.rules._replace(**limits)  # type: ignore[arg-type]  # read from a rule set
    lines_left = tuple(lines)
    return file._replace(header=header, rules=rules, lines=lines_left, door=lines_left, before=None)


def _renumbered(obs: Observation, new: Mapping[int, int]) -> Observation | None:
    number = getattr(obs, "round", None)
    if number is None:
        return obs
    if number not in new:
        return None
    changed: Observation = obs._replace(round=new[number])  # type: ignore[call-arg]  # it has the field
    return changed


def _ddmin(parts: Sequence[Part], holds: Callable[[list[Part]], bool]) -> list[Part]:
    """Return a minimal list of parts, in order, for which `holds` is true; it is true for all of them."""
    kept = list(parts)
    size = max(1, len(kept) // 2)
    while kept:
        smaller = _without_some(kept, size, holds)
        if smaller is None and size == 1:
            break
        if smaller is None:
            size = max(1, size // 2)
        else:
            kept = smaller
            size = min(size, max(1, len(kept) // 2))
    return kept


def _without_some(kept: list[Part], size: int, holds: Callable[[list[Part]], bool]) -> list[Part] | None:
    """Remove, from the end, each run of `size` parts that `holds` does not need; None when none can go."""
    rest, changed = kept, False
    for start in range((len(kept) - 1) // size * size, -1, -size):
        fewer = rest[:start] + rest[start + size :]
        if fewer and holds(fewer):
            rest, changed = fewer, True
    return rest if changed else None


CODES: Final[Mapping[str, FactKind]] = {
    "alert": "alert",
    "hold": "hold",
    "refused": "refused",
    "dispute": "dispute",
}
AMOUNTS: Final[Mapping[str, str]] = {"paid": "handed_back", "due": "returned", "difference": "difference"}
"""The amounts of a condition, as `RoundMoney` names them."""
DIFFERS: Final = "differs"
_CODE: Final = re.compile(rf"({'|'.join(CODES)})=([A-Z][A-Z0-9_]*)")
_AMOUNT: Final = re.compile(
    r"(paid|due|difference)\[([1-9][0-9]?)\](!=|==|<=|>=|<|>)(-?[0-9]{1,10}(?:\.[0-9]{2,4})?)"
)
_OPERATORS: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = {
    "!=": ne,
    "==": eq,
    "<=": le,
    ">=": ge,
    "<": lt,
    ">": gt,
}


def parse_condition(words: str, number: int | None) -> Condition:
    """Parse a code (`alert=`, `hold=`, `refused=`, `dispute=`) or a box's amount: `paid[3]!=30.00`.

    `paid` is the payout, `due` the settlement, `difference` the payout less the settlement; the operators are
    == != < > <= >=. `number` is the round of the whole file, None for any. Raises ConfigError
    CONDITION_UNKNOWN.
    """
    code = _CODE.fullmatch(words)
    if code is not None:
        kind, name = CODES[code[1]], code[2]
        return _any_round(lambda played: _reproduces(played, kind, name), number)
    found = _AMOUNT.fullmatch(words)
    if found is None:
        raise ConfigError("CONDITION_UNKNOWN", condition=words)
    field, box, holds = AMOUNTS[found[1]], int(found[2]), _OPERATORS[found[3]]
    amount, money = Decimal(found[4]), MoneyOfRounds()

    def condition(candidate: Candidate) -> int | None:
        wanted = amount.scaleb(digits_or_cents(candidate.file.header.currency))

        def amount_holds(played: PlayedRound) -> bool:
            """Whether the sum of the box's bettors satisfies the condition, in a settled round."""
            if played.result is None or played.result.status != "settled":
                return False
            amounts = [bet[field] for bet in money.of(played)[0] if bet["box"] == box]
            return bool(amounts) and holds(Decimal(sum(amounts)), wanted)

        return _any_round(amount_holds, number)(candidate)

    return condition


def needs_table(words: str) -> bool:
    """Whether the condition needs a table's door."""
    return words.startswith("hold=")


def _any_round(holds: Callable[[PlayedRound], bool], number: int | None) -> Condition:
    def condition(candidate: Candidate) -> int | None:
        for played in candidate.rounds:
            if number in {None, candidate.numbers.get(played.number)} and holds(played):
                return played.number
        return None

    return condition


def _reproduces(played: PlayedRound, kind: FactKind, code: str) -> bool:
    names = (complaint_of(notice) for _, notice in played.notices)
    return any(name is not None and (name.kind, name.code) == (kind, code) for name in names)


class RoundValue(NamedTuple):
    """An amount, a hand's cards, or a status that differs from the expectation.

    `box` is 0 for the dealer and the status; for cards `seat` is the hand's number.
    """

    box: int
    seat: int
    field: str
    expected: object
    actual: object


Values = Mapping[tuple[int, int, str], object]


def _values_of(fields: Json) -> Values:
    """The amounts of a `round` object, its cards and its status; the amounts first."""
    found: dict[tuple[int, int, str], object] = {}
    for bet in fields.get("bets", []):
        for field in ("returned", "staked"):
            found[bet["box"], bet["seat"], field] = bet.get(field)
    for hand in fields.get("hands", []):
        found[hand["box"], hand["hand"], "cards"] = hand.get("cards")
    found[0, 0, "cards"] = fields.get("dealer", {}).get("cards")
    found[0, 0, "status"] = fields.get("status")
    return found


class ExpectedRounds:
    """Holds when an amount, a card or the status differs from an expectation; `found` is the first.

    A smaller feed must show the same difference in that round, with the same status. Otherwise a missing line
    that keeps the round from settling would pass for it.
    """

    def __init__(self, expected: list[Json], number: int | None) -> None:
        """`expected` are `round` objects; `number` the round that is meant, None for any."""
        self._expected = {recorded["round"]: recorded for recorded in expected}
        self._number = number
        self.found: RoundValue | None = None
        self.round = 0
        self.status: object = None

    def __call__(self, candidate: Candidate) -> int | None:
        """Return the first round that differs from its expectation; None without one."""
        for played in candidate.rounds:
            number = candidate.numbers.get(played.number, 0)
            want = self._expected.get(number)
            meant = self.round or self._number
            if want is None or played.result is None or meant not in {None, number}:
                continue
            if self._shows(_values_of(want), _values_of(round_json(played.result)), number):
                return played.number
        return None

    def _shows(self, want: Values, got: Values, number: int) -> bool:
        found = [RoundValue(*key, value, got.get(key)) for key, value in want.items()]
        wrong = [one for one in found if one.expected is not None and one.expected != one.actual]
        status = got[0, 0, "status"]
        if self.found is not None:
            return self.found in wrong and status == self.status
        if not wrong:
            return False
        self.found, self.round = wrong[0], number
        self.status = status
        return True


class OtherRules:
    """Holds where another rule file settles a round otherwise; then as `ExpectedRounds`."""

    def __init__(self, rules: str, number: int | None, *, at_table: bool) -> None:
        """Expect the results by `rules`, a house or the path of a rule file.

        Raises `ConfigError` as `controller.rules.load_file`.
        """
        self._rules = load_file(rules, Path())
        self._at_table = at_table
        self._number = number
        self.found: RoundValue | None = None
        self.status: object = None

    def __call__(self, candidate: Candidate) -> int | None:
        """Return the first round with another result under the other rules; None without one."""
        ruled = under(candidate.file, self._rules)
        other = rounds_under(candidate.file, candidate.rounds, ruled, at_table=self._at_table)
        expected = [
            {**round_json(played.result), "round": candidate.numbers[played.number]}
            for played in other
            if played.result is not None and played.number in candidate.numbers
        ]
        rounds = ExpectedRounds(expected, self._number)
        rounds.found, rounds.status = self.found, self.status
        shown = rounds(candidate)
        if shown is not None:
            self.found, self.status = rounds.found, rounds.status
        return shown
