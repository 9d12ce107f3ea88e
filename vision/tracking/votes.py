"""Many reads of one card, one decision: sums of log-likelihoods, weighed down because pictures are alike."""

import math
from collections import deque
from typing import Final, NamedTuple

from vision.reading import CardName

OTHER_NAMES: Final = 51
"""Names that a card has when it is not what was read; a misread makes any of them as likely."""


class VoteRule(NamedTuple):
    """What reads of one card count, and when its name may be locked.

    Source: no measurement on record, except where a field names one.
    """

    p_max: float = 0.999
    """No single read counts for more, whatever the network says."""

    effective_max: float = 2.5
    """Pictures of a card at rest share their light, blur and glare: however many, they say no more than so
    many independent ones would. Assumed, not measured."""

    log_odds: float = 11.5
    """Natural logarithm of the odds, against all other names together, from which a card is certain: 1 in
    100,000."""

    margin: float = 9.0
    """Least distance to the runner-up, in the same unit."""

    reads_two_corners: int = 3
    reads_one_corner: int = 5
    """Fewest reads of a card with two corners that agree, and of one of which only one corner shows."""

    reads_joined: int = 2
    """Fewest reads of one that earlier looks helped to name: these are six by then (`sequence`)."""

    kept: int = 16
    """Older reads are forgotten: what was misread in a passing glare must not count for ever."""


VOTE_RULE: Final = VoteRule()


class _Vote(NamedTuple):
    """A read: its name, the logarithm of its odds against one other name, and how it was reported."""

    name: CardName
    weight: float
    two_corners: bool
    joined: bool


class Votes:
    """The latest reads of one card."""

    def __init__(self) -> None:
        """Begin without any."""
        self._kept: deque[_Vote] = deque(maxlen=VOTE_RULE.kept)
        self._sums: dict[CardName, float] = {}

    def add(self, name: CardName, p: float, corners: int, joined: bool = False) -> None:
        """Count a read of probability `p` (0..1) that so many corners of the card agreed on.

        `joined`: earlier looks helped to name it.
        """
        p = min(max(p, 1 / (OTHER_NAMES + 1)), VOTE_RULE.p_max)
        self._kept.append(_Vote(name, math.log(p * OTHER_NAMES / (1 - p)), corners >= 2, joined))
        self._sums = {}
        for vote in self._kept:
            self._sums[vote.name] = self._sums.get(vote.name, 0.0) + vote.weight

    @property
    def reads(self) -> int:
        """How many reads count."""
        return len(self._kept)

    @property
    def best(self) -> CardName | None:
        """The name with the most weight; None before the first read."""
        return max(self._sums, key=self._sums.__getitem__, default=None)

    @property
    def log_odds(self) -> float:
        """Natural logarithm of the best name's odds against all others together."""
        best = self.best
        if best is None:
            return -math.log(OTHER_NAMES)
        scale = self._scale
        rest = [weight for name, weight in self._sums.items() if name != best]
        against = sum(math.exp(weight * scale) for weight in rest) + OTHER_NAMES - len(rest)
        return self._sums[best] * scale - math.log(against)

    @property
    def p(self) -> float:
        """Probability of the best name."""
        return 1 / (1 + math.exp(-self.log_odds))

    @property
    def two_corners(self) -> bool:
        """Whether most reads had two corners that agree."""
        return 2 * sum(vote.two_corners for vote in self._kept) > self.reads

    @property
    def certain(self) -> bool:
        """Whether the best name may be locked, by as many reads as the corners in sight ask for."""
        rule = VOTE_RULE
        if any(vote.joined for vote in self._kept):
            return self.agreed(rule.reads_joined)
        return self.agreed(rule.reads_two_corners if self.two_corners else rule.reads_one_corner)

    def agreed(self, least: int) -> bool:
        """Whether at least so many reads make the best name certain: odds, margin, and most of the reads."""
        best = self.best
        if best is None or 2 * sum(vote.name == best for vote in self._kept) <= self.reads:
            return False
        runner_up = max((weight for name, weight in self._sums.items() if name != best), default=0.0)
        margin = (self._sums[best] - runner_up) * self._scale
        enough = self.log_odds > VOTE_RULE.log_odds and margin > VOTE_RULE.margin
        return self.reads >= least and enough

    @property
    def _scale(self) -> float:
        return min(1.0, VOTE_RULE.effective_max / self.reads)
