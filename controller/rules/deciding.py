"""The requirement of a house that decided a stake, for a comparison with the house's own text."""

from collections.abc import Mapping
from typing import Final

from controller.domain import DealerResult, Outcome

_AGAINST_BLACKJACK: Final[Mapping[Outcome, str]] = {"push": "push_blackjack", "lose": "lose_to_blackjack"}
"""Outcomes that another requirement decides where the dealer has a blackjack."""


def deciding_rules(
    outcomes: Mapping[str, tuple[str, ...]], outcome: Outcome, dealer: DealerResult
) -> tuple[str, ...]:
    """Return the numbers of the deciding requirements, such as `("DE-13",)`; none when the house names none.

    `outcomes` are those of `RuleFile`.
    """
    name: str = outcome
    if dealer.blackjack:
        name = _AGAINST_BLACKJACK.get(outcome, outcome)
    elif dealer.bust and outcome == "win":
        name = "win_dealer_bust"
    return outcomes.get(name, ())
