"""Acts that take two people by the house's rule, with or without a hold."""

from controller.acts.catalogue import (
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    ChipReading,
    Correct,
    Credit,
    Drop,
    Fill,
    FloatCounted,
    Limits,
    MoneyAct,
    Move,
    Observation,
    Paid,
    Ruling,
    SlipVoided,
    Strike,
    Swap,
    Void,
    declared,
)
from controller.domain import TableError
from controller.engine.state import TableState
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import Person, person_named
from controller.policy.state.rounds import round_of
from controller.policy.state.run import SecondPerson, TableRun


def require_second_person(rules: SecondPerson, run: TableRun, line: TableLine) -> None:
    """Raise SECOND_FOR_ACT where the house wants another person beside the pit user, and there is none."""
    if line.by.role != "pit" or not takes_two(rules, run.state, line.observation):
        return
    if not is_other(line.by, line.second, dealer_may=declared(line.observation).dealer_signs):
        raise TableError("SECOND_FOR_ACT")


def is_other(by: Person, second: str | None, *, dealer_may: bool = False) -> bool:
    """Whether a second person of the pit signs, other than the first: `pit:P7` and `P7` are one person."""
    if not second:
        return False
    other = person_named(second) or Person("pit", second)
    fits = other.role == "pit" or (dealer_may and other.role == "dealer")
    return fits and other.id != by.id


def takes_two(rules: SecondPerson, state: TableState, observation: Observation) -> bool:
    """Whether the house lists this act."""
    listed = declared(observation).second
    listed = listed(observation) if callable(listed) else listed
    if listed == "always" or (listed and getattr(rules, listed)):
        return True
    number = getattr(observation, "round", None)
    if rules.ended_round and number is not None and number != state.book.number:
        return True
    changed = _changed_minor(state, observation)
    return rules.over_minor is not None and changed > rules.over_minor


def _changed_minor(state: TableState, observation: Observation) -> int:  # a case for each act
    """By how much a payout, a stake or an insurance bet is put right; 0 for an act that names no amount."""
    within = round_of(state, getattr(observation, "round", None) or state.book.number)
    if within is None or not isinstance(observation, MoneyAct | Ruling):
        return 0
    match observation:
        case Paid(box=box, seat=seat, amount=amount):
            result = within.settlement.result
            due = {(bet.box, bet.seat): bet.returned for bet in result.bets} if result is not None else {}
            return abs(amount - due.get((box, seat), 0))
        case AmendStake(box=box, seat=seat, stake=stake):
            laid = {(one.box, at): lying for one in within.boxes for at, lying in one.bets}
            return abs(stake - laid.get((box, seat), 0))
        case AmendInsurance(box=box, seat=seat, stake=stake):
            laid = {(one.box, at): lying for one in within.boxes for at, lying in one.insurance}
            return abs(stake - laid.get((box, seat), 0))
        case AmendDecision() | AmendEvenMoney() | AmendPeek() | AmendReveal() | AmendClose():
            return 0
        case Correct() | Strike() | Move() | Swap() | Void():
            return 0
        case ChipReading() | FloatCounted() | Fill() | Credit() | SlipVoided() | Drop() | Limits():
            return 0  # No payout or stake; `second` of the act says when it takes two people.
