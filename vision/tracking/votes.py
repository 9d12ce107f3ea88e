"""Many reads of one card, one verdict: sums of log-likelihoods, weighed down because pictures are alike."""

import math
from typing import Final

from vision.tracking.events import CardName

OTHERS: Final = 51
"""Names that a card has when it is not what was read; a misread makes any of them as likely."""

P_MOST: Final = 0.999
"""No single read counts for more, whatever the network says."""

EFFECTIVE_MOST: Final = 2.5
"""Pictures of a card at rest share their light, blur and glare: however many, they say no more than so many
independent ones would."""

ODDS_LEAST: Final = 11.5
"""Natural log of the odds, against all other names together, from which a card is certain: one in 100,000."""

MARGIN_LEAST: Final = 9.0
"""Least distance to the runner-up, in the same unit."""

READS_TWO_CORNERS: Final = 3
READS_ONE_CORNER: Final = 5
"""Fewest reads of a card with two corners that agree, and of one of which only one corner shows."""


class Votes:
    """The reads of one card since it was last seen to be another one."""

    def __init__(self) -> None:
        """Begin without any."""
        self.reads = 0
        self._two_corners = 0
        self._sums: dict[CardName, float] = {}
        self._counts: dict[CardName, int] = {}

    def add(self, name: CardName, p: float, corners: int) -> None:
        """Count a read of probability `p` that so many corners of the card agreed on."""
        p = min(max(p, 1 / (OTHERS + 1)), P_MOST)
        self.reads += 1
        self._two_corners += corners >= 2
        self._sums[name] = self._sums.get(name, 0.0) + math.log(p * OTHERS / (1 - p))
        self._counts[name] = self._counts.get(name, 0) + 1

    @property
    def best(self) -> CardName | None:
        """The name with the most weight; None before the first read."""
        return max(self._sums, key=self._sums.__getitem__, default=None)

    @property
    def odds(self) -> float:
        """Natural log of the best name's odds against all others together."""
        best = self.best
        if best is None:
            return -math.log(OTHERS)
        rest = [weight for name, weight in self._sums.items() if name != best]
        unread = OTHERS - len(rest)
        scale = self._scale
        against = sum(math.exp(weight * scale) for weight in rest) + unread
        return self._sums[best] * scale - math.log(against)

    @property
    def p(self) -> float:
        """Probability of the best name."""
        return 1 / (1 + math.exp(-self.odds))

    @property
    def two_corners(self) -> bool:
        """Whether most reads had two corners that agree."""
        return 2 * self._two_corners > self.reads

    @property
    def certain(self) -> bool:
        """Whether the best name may be locked: odds, margin, most of the reads, and enough of them."""
        best = self.best
        if best is None or 2 * self._counts[best] <= self.reads:
            return False
        least = READS_TWO_CORNERS if self.two_corners else READS_ONE_CORNER
        runner_up = max((weight for name, weight in self._sums.items() if name != best), default=0.0)
        margin = (self._sums[best] - runner_up) * self._scale
        return self.reads >= least and self.odds > ODDS_LEAST and margin > MARGIN_LEAST

    @property
    def _scale(self) -> float:
        return min(1.0, EFFECTIVE_MOST / self.reads)
