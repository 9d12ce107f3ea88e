"""How seldom chance alone makes a group differ so from all others."""

from math import exp, lgamma, log, log1p
from typing import Final

CHANCE: Final = 100
"""Said from 1 in CHANCE times the groups on: of a hundred shifts without a pattern one names a group."""


def one_in(tries: int, hits: int, others: int, other_hits: int, groups: int) -> int | None:
    """How seldom `hits` or more of `tries` come at the rate of the others; None where chance may make it.

    It is the binomial tail. The rate is that of the others with half a hit more, so that none among a few is
    not never.
    """
    if hits == 0 or others == 0:
        return None
    rate = min((other_hits + 0.5) / (others + 1), 0.5)
    tail = sum(
        exp(_log_choose(tries, k) + k * log(rate) + (tries - k) * log1p(-rate))
        for k in range(hits, tries + 1)
    )
    seldom = int(1 / max(tail, 1e-12))
    return seldom if seldom >= CHANCE * groups else None


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
