"""Differences of two files, or of one file under two rule sets, the first difference first."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from controller.feed.replay import Json
from controller.replay.rounds.card_order import order_of
from controller.replay.rounds.compared_facts import (
    KINDS,
    MONEY,
    FactKind,
    FactName,
    FactsByName,
    MoneyOfRounds,
    RoundFact,
    cards_in_order,
    facts_dealt,
    facts_of,
    same_suits,
)
from controller.replay.rounds.played import PlayedRound, RoundLine

DifferenceKind = Literal["only_expected", "only_actual", "time"]
"""A round that only one of the two has; a line that came at another time of its round."""

SUITS: Final[frozenset[FactKind]] = frozenset(("suits", "dealer_suits"))


class RoundDifference(NamedTuple):
    """One difference.

    `round` is the number in the expected file, for a surplus round that in the other file. `line` is the line
    in the other file, else in the expected one. `expected` and `actual` are None without a value; amounts are
    in minor units. `by` is the reporter of that line, if named.
    """

    round: int
    what: FactName | DifferenceKind
    expected: int | tuple[str, ...] | None
    actual: int | tuple[str, ...] | None
    line: int | None = None
    t: float | None = None
    by: str | None = None

    @property
    def is_money(self) -> bool:
        """Whether the values are amounts."""
        return isinstance(self.what, FactName) and self.what.kind in MONEY

    def to_json(self) -> Json:
        """Return the object for `--json`, without empty fields."""
        about = self.what._asdict() if isinstance(self.what, FactName) else {"kind": self.what}
        names = {
            "what" if key == "kind" else key: value for key, value in about.items() if value or key == "kind"
        }
        if isinstance(self.what, FactName) and self.what.box:
            names["seat"] = self.what.seat
        found = self._asdict() | {"what": None}
        values = {key: value for key, value in found.items() if value is not None}
        return {"type": "difference", "round": self.round, **names, **values}


def diff_rounds(expected: Sequence[PlayedRound], actual: Sequence[PlayedRound]) -> Iterator[RoundDifference]:
    """Yield the differences, round by round in order, causes before consequences."""
    money = MoneyOfRounds()
    for one, other in paired(expected, actual):
        if one is None or other is None:
            yield _alone(one, other)
        else:
            yield from _in_order(one, other)
            yield from _diff_facts(one.number, facts_of(one, money), facts_of(other, money))


def timed(
    expected: Sequence[PlayedRound], actual: Sequence[PlayedRound], within_s: float
) -> Iterator[RoundDifference]:
    """Yield, for each round with as many lines, the first line with another time within the round.

    Values are seconds as text. The clocks of two files need not agree, so the time since the round's first
    line is compared; a difference of `within_s` or less is none.
    """
    for one, other in paired(expected, actual):
        if one is None or other is None or len(one.lines) != len(other.lines):
            continue
        for left, right in zip(one.lines, other.lines, strict=True):
            times = (left.line.t - one.lines[0].line.t, right.line.t - other.lines[0].line.t)
            if abs(times[0] - times[1]) > within_s:
                want, got = ((f"{round(t, 3):g}",) for t in times)
                yield RoundDifference(one.number, "time", want, got, right.line.number, right.line.t)
                break


def _in_order(one: PlayedRound, other: PlayedRound) -> Iterator[RoundDifference]:
    """Yield the card after which one is missing, surplus or misplaced: all later cards shift."""
    expected, actual = cards_in_order(one), cards_in_order(other)
    found = order_of(expected, actual)
    if found is not None:
        line = _at(actual, found.at) or _at(expected, found.after)
        name = FactName(found.kind, code=str(found.after))
        where = (None, None) if line is None else (line.line.number, line.line.t)
        yield RoundDifference(one.number, name, found.expected or None, found.actual or None, *where)


def _alone(one: PlayedRound | None, other: PlayedRound | None) -> RoundDifference:
    found = one or other
    assert found is not None, "a pair has one round at least"
    line = found.lines[0].line
    kind: DifferenceKind = "only_actual" if one is None else "only_expected"
    return RoundDifference(found.number, kind, None, None, line.number, line.t)


def paired(
    expected: Sequence[PlayedRound], actual: Sequence[PlayedRound]
) -> Iterator[tuple[PlayedRound | None, PlayedRound | None]]:
    """Yield the pairs of equal rounds: by number in files of equal length, else by their cards."""
    if len(expected) == len(actual):
        yield from zip(expected, actual, strict=True)
        return
    matcher = SequenceMatcher(None, _signatures(expected), _signatures(actual), autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        yield from zip_longest(expected[start:end], actual[other_start:other_end])


def _signatures(rounds: Sequence[PlayedRound]) -> list[str]:
    """Return the stakes and cards that identify each round in two files."""
    wanted = ("stake", "cards", "dealer")
    return [
        repr([(name, fact.value) for name, fact in facts_dealt(one).items() if name.kind in wanted])
        for one in rounds
    ]


def _diff_facts(number: int, want: FactsByName, got: FactsByName) -> Iterator[RoundDifference]:
    """Yield the differing facts of one round, causes before consequences."""
    names = [*want, *(name for name in got if name not in want)]
    nothing = RoundFact(())
    for name in sorted(names, key=lambda name: KINDS.index(name.kind)):
        one, other = want.get(name), got.get(name)
        if name.kind in SUITS and (one is None or other is None or same_suits(one, other)):
            continue
        if one is None or other is None or one.value != other.value:
            yield _difference(number, name, one or nothing, other or nothing)


def _difference(number: int, name: FactName, one: RoundFact, other: RoundFact) -> RoundDifference:
    at = _first_unequal(one, other)
    found = _at(other, at) or _at(one, at)
    line = None if found is None else found.line
    return RoundDifference(
        number,
        name,
        None if one.value == () else one.value,
        None if other.value == () else other.value,
        None if line is None else line.number,
        None if line is None else line.t,
        None if line is None or line.by is None else str(line.by),
    )


def _first_unequal(one: RoundFact, other: RoundFact) -> int:
    if not isinstance(one.value, tuple) or not isinstance(other.value, tuple):
        return 0
    pairs = enumerate(zip_longest(one.value, other.value))
    return next((at for at, (left, right) in pairs if left != right), 0)


def _at(fact: RoundFact, at: int) -> RoundLine | None:
    return fact.lines[at] if at < len(fact.lines) else None
