"""The house edge as the engine pays it when it plays the analyser's strategy.

The engine deals from a fresh shoe each round and its own settlements are counted. So that some ten thousand
rounds say as much as many millions, the luck of every card is taken off: what the card has made of the hand
by a table of values, less the mean of that over all cards that could have come. This is zero on average
whatever the table says, so no value of the analyser can hide a payout that differs.
"""

from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import Final, NamedTuple

from controller.domain import RANKS
from tests.analyser.luck import RoundLuck, Worth
from tests.analyser.single_round import play_round

CARDS_OF_A_ROUND: Final = 45
"""More than any hand of one box and the dealer take."""


class Simulated(NamedTuple):
    """House edge in percent as the engine has paid it, its standard error, and that without the luck off."""

    edge_percent: float
    error_percent: float
    plain_edge_percent: float
    plain_error_percent: float


def simulate(worth: Worth, rounds: int, random: Random) -> Simulated:
    """Play so many rounds of one box, each from a fresh shoe."""
    pack = RANKS * 4 * worth.rules.decks
    won, without_luck = [], []
    for _ in range(rounds):
        luck = RoundLuck(worth)
        paid = play_round(worth, luck, random.sample(pack, min(CARDS_OF_A_ROUND, len(pack))))
        won.append(paid)
        without_luck.append(paid - luck.total)
    mean, error = _mean_and_error(without_luck)
    plain, plain_error = _mean_and_error(won)
    return Simulated(-mean, error, -plain, plain_error)


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """In percent: the mean, and its standard error."""
    count = len(values)
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return 100.0 * mean, 100.0 * sqrt(variance / count)
