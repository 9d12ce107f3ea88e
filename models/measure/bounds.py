"""Bounds of an error rate from a count, and the effect of stricter thresholds."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scipy.special import betaincinv


class ThresholdStep(NamedTuple):
    """One threshold: its accepted share, and the wrong share of the accepted."""

    coverage: float
    risk: float


def upper_bound(errors: int, trials: int, level: float = 0.95) -> float:
    """One-sided exact upper bound of an error rate (Clopper and Pearson, 1934), 1 without trials.

    It is the rate at which at most `errors` errors occur with probability 1 - `level`.
    """
    return 1.0 if errors >= trials else float(betaincinv(errors + 1, trials - errors, level))


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
