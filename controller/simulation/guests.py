"""What the simulated guests do: they bet, and play simple basic strategy within what the table allows."""

from collections.abc import Iterable
from random import Random
from typing import Final

from controller.acts.catalogue import Bet, Close, Decision, EvenMoney, Insurance, InsuranceClosed, Observation
from controller.acts.round import Action
from controller.domain import POINTS, RuleSet
from controller.engine import OfferedAct, TableState
from controller.engine.state import Hand

STEPS_MAX: Final = 10
"""Guests bet at most so many times the minimum."""

BOXES_A_DECK: Final = 5
"""More boxes than that could use up a single pack within a round."""

SPLIT_PAIRS: Final = frozenset({"A", "8", "9", "7", "3", "2"})


def bets(rules: RuleSet, chance: Random) -> tuple[Observation, ...]:
    """Place the stakes of a round, with somebody behind the box now and then, and close the bets."""
    most = min(rules.boxes, BOXES_A_DECK * rules.decks)
    boxes = sorted(chance.sample(range(1, rules.boxes + 1), chance.randint(min(3, most), most)))
    placed: list[Observation] = [Bet(box, 0, _stake(rules, chance)) for box in boxes]
    if rules.back_bets and not rules.box_max:
        placed += [Bet(box, 1, _stake(rules, chance)) for box in boxes if chance.random() < 0.2]
    return (*placed, Close())


def insurance(acts: Iterable[OfferedAct], chance: Random) -> Observation:
    """Take even money or insurance now and then; else decline for everybody who has not answered."""
    for act in acts:
        if act.code is None and act.action == "even_money" and chance.random() < 0.5:
            return EvenMoney(act.box, act.seat)
        if act.code is None and act.action == "insurance" and chance.random() < 0.15:
            return Insurance(act.box, act.seat, act.amount_minor)
    return InsuranceClosed()


def decision(state: TableState, acts: Iterable[OfferedAct]) -> Decision:
    """Decide for the hand to act."""
    allowed = {act.action for act in acts if act.code is None}
    current = state.current
    assert current is not None, "asked without a hand to act"
    box, hand = current
    wanted = _wanted(hand, _up_card(state))
    action = next(choice for choice in (*wanted, "stand") if choice in allowed or choice == "stand")
    return Decision(box.box, hand.number, action)


def _stake(rules: RuleSet, chance: Random) -> int:
    step = rules.stake_step or rules.stake_min or 500
    least = rules.stake_min or step
    most = min(rules.stake_max or least * STEPS_MAX, least * STEPS_MAX)
    return least + step * chance.randint(0, (most - least) // step)


def _up_card(state: TableState) -> int:
    """Points of the dealer's open card, the ace counted 11."""
    dealer = state.dealer
    points = [
        POINTS[seen.obs.rank]
        for place, seen in enumerate(dealer.cards)
        if seen.obs.rank is not None and place != dealer.hole
    ]
    return 11 if points and points[0] == 1 else (points or [10])[0]


def _wanted(hand: Hand, up: int) -> tuple[Action, ...]:
    """List the actions that basic strategy would take, best first."""
    ranks = [seen.obs.rank for seen in hand.cards]
    if len(ranks) == 2 and ranks[0] == ranks[1] and ranks[0] in SPLIT_PAIRS and up <= 7:
        return ("split", *_by_total(hand, up))
    return _by_total(hand, up)


def _by_total(hand: Hand, up: int) -> tuple[Action, ...]:
    soft = hand.total != hand.hard
    if hand.total == 16 and not soft and up >= 10:
        return ("surrender", "hit")
    if hand.total in (10, 11) and up < hand.total:
        return ("double", "hit")
    if soft:
        return ("hit",) if hand.total < 18 else ("stand",)
    stands = hand.total >= 17 or (hand.total >= 12 and up <= 6)
    return ("stand",) if stands else ("hit",)
