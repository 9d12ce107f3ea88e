"""Conditions of a shrunken feed: a code, an amount, a difference, the result of a command."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import ConfigError
from controller.feed.replay import Json, round_json
from controller.i18n import digits_or_cents
from controller.replay.cases.shrinking import Candidate, Condition
from controller.replay.files.table_file import under
from controller.replay.rounds.compared_facts import FactKind, MoneyOfRounds, complaint_of
from controller.replay.rounds.other_rules import rounds_under
from controller.replay.rounds.played import PlayedRound
from controller.rules import load_file

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
            amounts = [bet[field] for bet in money.of(played).bets if bet["box"] == box]
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
