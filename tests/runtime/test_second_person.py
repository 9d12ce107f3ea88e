"""What takes two people by the house's own rule: amounts that are put right by more than its limit."""

from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import (
    AmendInsurance,
    AmendStake,
    Bet,
    CardSeen,
    Close,
    Insurance,
    Observation,
)
from controller.engine import TableState, new_table, step
from controller.policy import SecondPerson
from controller.policy.allowed import takes_two
from controller.rules import load_rules

LIMIT: Final = 400


def insured() -> TableState:
    """A round with a stake of 2000 and an insurance bet of 1000."""
    state = new_table(load_rules("fr", {}, Path()))
    cards = [CardSeen(rank) for rank in ("10", "A", "9")]
    acts: list[Observation] = [Bet(1, 0, 2000), Close(), *cards, Insurance(1, 0, 1000)]
    for act in acts:
        state = step(state, act).state
    return state


@pytest.mark.parametrize(
    ("act", "two"),
    [
        (AmendStake(1, 0, 2000 + LIMIT, "P1", "seen"), False),
        (AmendStake(1, 0, 2001 + LIMIT, "P1", "seen"), True),
        (AmendInsurance(1, 0, 1000 - LIMIT, "P1", "seen"), False),
        (AmendInsurance(1, 0, 999 - LIMIT, "P1", "seen"), True),
        (AmendInsurance(1, 0, 0, "P1", "seen"), True),
    ],
)
def test_a_stake_and_an_insurance_bet_put_right_by_more_than_the_limit_take_two(
    act: Observation, two: bool
) -> None:
    assert takes_two(SecondPerson(over_minor=LIMIT), insured(), act) is two
