"""Random rounds with a random mistake and its ruling, beside the plain settlement of the clean round.

`python tests/oracle/ruled_rounds.py ROUNDS [SEED]` plays that many rounds, shared among the five houses, and
prints what came out: how many rounds of each kind were mended, and how many could not be compared because a
true fact was refused while the wrong one stood. Exit status 1 where a mended round pays anything else.
"""

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from deal import Dealt, deal_round
from mistakes import Mistake, mistakes

from controller.domain import Adjusted, Alert, Notice, Refused, RoundResult, RuleSet, Settled
from controller.engine import new_table
from controller.engine.table import step
from controller.feed.codec import parse
from controller.rules import HOUSES, load_rules
from tests.whole.settlement import Rules, settle

RARE = {"answer": 8, "peek": 4, "double": 2}
"""Kinds of mistakes that few rounds leave room for, and how much more often they are chosen."""
Amounts = dict[tuple[int, int], tuple[int, int]]
"""(staked, returned) of each bettor."""


class Outcome(NamedTuple):
    """How a mistaken round ended; not `compared` where a true fact was refused or set aside meanwhile."""

    kind: str
    compared: bool
    wrong: str


def play(rules: RuleSet, lines: list[dict[str, Any]]) -> list[Notice] | None:
    """Everything the engine says; None when a line was refused, so that a true fact is missing."""
    state = new_table(rules)
    said: list[Notice] = []
    for line in lines:
        state, notices = step(state, parse(line))
        if any(isinstance(notice, Refused) for notice in notices):
            return None
        said += notices
    return said


def ruled_round(rules: RuleSet, plain: Rules, seed: int) -> Outcome | None:
    """Play one clean round with one mistake and its ruling; None where it leaves no room for one."""
    rng = random.Random(seed)
    dealt = deal_round(plain, seed, places=1.0)
    found = list(mistakes(dealt, plain, rng))
    if not found:
        return None
    (mistake,) = rng.choices(found, [RARE.get(mistake.kind, 1) for mistake in found])
    return outcome(rules, dealt, mistake, plain)


def outcome(rules: RuleSet, dealt: Dealt, mistake: Mistake, plain: Rules) -> Outcome:
    """Compare a mistaken round with the plain settlement of what was in truth dealt and decided."""
    said = play(rules, mistake.lines)
    if said is None or (mistake.kind == "swap" and any(isinstance(notice, Alert) for notice in said)):
        # A card that was set aside by the exchanged ones lies at no hand, so it was not swapped back.
        return Outcome(mistake.kind, False, "")
    results = [notice.result for notice in said if isinstance(notice, Settled)]
    if not results or results[-1].status != "settled":
        return Outcome(mistake.kind, True, f"not settled: {said[-3:]}")
    true = sorted(tuple(part) for part in settle(dealt.played, plain))
    if parts_of(results[-1]) != true:
        return Outcome(mistake.kind, True, f"{parts_of(results[-1])} instead of {true}")
    if paid(said) != amounts(results[-1]):
        return Outcome(mistake.kind, True, f"told {paid(said)} in all instead of {amounts(results[-1])}")
    return Outcome(mistake.kind, True, "")


def parts_of(result: RoundResult) -> list[tuple[object, ...]]:
    """The parts of a result in the order of the plain settlement's; hand 0 stands for an insurance."""
    return sorted(
        (bet.box, bet.seat, part.hand * (part.kind == "main"), part.stake, part.outcome, part.returned)
        for bet in result.bets
        for part in bet.parts
    )


def amounts(result: RoundResult) -> Amounts:
    """What each bettor put up and got back by a result."""
    return {(bet.box, bet.seat): (bet.staked, bet.returned) for bet in result.bets}


def paid(said: list[Notice]) -> Amounts:
    """What each bettor put up and got back by the first settlement and every adjustment after it."""
    lying: Amounts = {}
    for notice in said:
        if isinstance(notice, Settled) and notice.result.status == "settled" and not lying:
            lying = amounts(notice.result)
        if isinstance(notice, Adjusted):
            for bettor in notice.bets:
                before = lying.get((bettor.box, bettor.seat), (0, 0))
                assert before == (bettor.staked_before, bettor.returned_before), notice
                lying[bettor.box, bettor.seat] = (bettor.staked_after, bettor.returned_after)
    return {who: what for who, what in lying.items() if what != (0, 0)}


def main() -> int:
    """Play the rounds that the command line asks for."""
    rounds, seed = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0
    mended: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    wrong = 0
    for house in HOUSES:
        rules = load_rules(house, {}, Path())
        plain = rules._asdict()
        for number in range(seed, seed + rounds // len(HOUSES)):
            played = ruled_round(rules, plain, number)
            if played is None:
                continue
            (mended if played.compared else left_out)[played.kind] += 1
            if played.wrong:
                wrong += 1
                sys.stdout.write(f"{house} seed {number} {played.kind}: {played.wrong}\n")
    sys.stdout.write(
        f"{sum(mended.values())} rounds mended, {wrong} of them wrong: {dict(sorted(mended.items()))}\n"
    )
    sys.stdout.write(f"{sum(left_out.values())} not compared: {dict(sorted(left_out.items()))}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
