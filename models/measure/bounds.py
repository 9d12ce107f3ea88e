"""How sure a count of errors is, and what a stricter threshold would have bought."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

HALVINGS = 60
"""Bisection steps: more than a float's digits."""


class ThresholdStep(NamedTuple):
    """One threshold: share of what was offered that it accepts, and the share of that which was wrong."""

    coverage: float
    risk: float


def upper_bound(errors: int, trials: int, level: float = 0.95) -> float:
    """One-sided exact upper bound of an error rate (Clopper and Pearson, 1934), 1 without trials.

    The rate at which so few errors would come with probability 1 - level.
    """
    if errors >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(errors, trials, middle) > 1 - level else (low, middle)
    return high


def _at_most(errors: int, trials: int, rate: float) -> float:
    """Probability of no more errors than that; in logarithms, for millions of trials."""
    yes, no = math.log(rate), math.log1p(-rate)
    total = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(total - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * yes + (trials - k) * no)
        for k in range(errors + 1)
    )


def risk_coverage(scores: Iterable[tuple[float, bool]], offered: int) -> list[ThresholdStep]:
    """The curve of all thresholds, from the strictest: scores with right or wrong, of `offered` in all."""
    steps: list[ThresholdStep] = []
    wrong = 0
    ranked: Sequence[tuple[float, bool]] = sorted(scores, key=lambda pair: -pair[0])
    for accepted, (score, right) in enumerate(ranked, start=1):
        wrong += not right
        if accepted == len(ranked) or ranked[accepted][0] < score:
            steps.append(ThresholdStep(accepted / max(offered, 1), wrong / accepted))
    return steps
