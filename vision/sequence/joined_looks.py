"""Looks at one resting card, joined: uncertain reads count as well, but alike pictures count little more."""

import math
from collections import Counter, deque
from typing import Final, NamedTuple

from vision.acceptance import PROBABILITY_LIMITS, ink_colour_fits, least_p_suit
from vision.assembly import AssembledCard
from vision.reading import UnclearReason

Name = tuple[int, int]
"""Numbers of a rank and a suit (`vision.labels`)."""


class JoinRule(NamedTuple):
    """When looks together make a card certain.

    Source: `python -m models.measure.joined` counts what these numbers make right and wrong; docs/reader.md,
    Sequences, has its figures.
    """

    kept: int = 25
    """Older looks are forgotten: a second at 25 pictures."""

    rank_alike: float = 0.87
    suit_alike: float = 0.55
    """Correlation between two looks at one card, of the log odds of its rank and of its suit: n looks say as
    much as n / (1 + (n - 1) x this) independent ones, so never more than 1.2 and 1.8.

    Source: 97 cards of drawn 1080p sequences that nobody here drew, 13 looks each: variance within cards
    0.48 of 3.58 (rank) and 0.31 of 0.68 (suit).
    """

    looks: int = 3
    """Fewest looks of a card, and most of them certain each, that single pictures tell."""

    joined_looks: int = 6
    """Fewest looks of a card that no single picture tells: a quarter of a second."""

    held: float = 0.6
    """A name that was certain once stays so while this share of the looks gives it: looks come and go."""

    agreed: float = 0.85
    """Least share of the looks that name the same card, and against which nothing speaks, of such a card."""

    index_px: float = 9.5
    """Smallest index that joined looks tell, rank and pip together."""

    p_look_max: float = 0.9995
    """No single look counts for more, whatever the network says."""


JOIN_RULE: Final = JoinRule()


class LookedAt(NamedTuple):
    """One look: its name, log odds of rank and suit, and what else it showed.

    `sound`: nothing but probability or size speaks against it. `certain`: the picture alone tells the card.
    """

    name: Name
    rank_odds: float
    suit_odds: float
    p_index: float
    index_px: float
    sound: bool
    certain: bool


class JoinedName(NamedTuple):
    """What looks say together: a name and the probabilities of its rank, its suit and of being an index."""

    name: Name
    p_rank: float
    p_suit: float
    p_index: float


def _log_odds(p: float) -> float:
    p = min(max(p, 1 - JOIN_RULE.p_look_max), JOIN_RULE.p_look_max)
    return math.log(p / (1 - p))


def look_at(card: AssembledCard, reason: UnclearReason | None) -> LookedAt:
    """What one picture says of a card; `reason` is None where the picture alone makes it certain."""
    index = card.best
    sound = reason in {None, "uncertain"} and not card.odd_size and index.whole
    return LookedAt(
        (index.rank, index.suit),
        _log_odds(index.p_rank),
        _log_odds(index.p_suit),
        index.p_index,
        index.index_px,
        sound and index.agreed and ink_colour_fits(index),
        reason is None,
    )


def named(card: AssembledCard, name: JoinedName) -> AssembledCard:
    """The card with the name and the certainty of all looks at it."""
    rank, suit = name.name
    best = card.best._replace(
        rank=rank, suit=suit, p_rank=name.p_rank, p_suit=name.p_suit, p_index=name.p_index
    )
    indices = (best, *card.indices[1:])
    return card._replace(indices=indices, certain=max(card.certain, 1), joined=True)


class JoinedLooks:
    """The latest looks at one card."""

    def __init__(self) -> None:
        """Begin without any."""
        self._looks: deque[LookedAt] = deque(maxlen=JOIN_RULE.kept)
        self._held: Name | None = None

    def add(self, look: LookedAt) -> None:
        """Count a look."""
        self._looks.append(look)

    @property
    def best(self) -> Name:
        """The name that most looks give."""
        return Counter(look.name for look in self._looks).most_common(1)[0][0]

    def certain_name(self) -> JoinedName | None:
        """The card's name, where the looks together make it certain."""
        best = self.best
        joined = self._joined(best)
        self._held = best if self._holds(best) or self._proves(joined) else None
        return None if self._held is None else joined

    def _holds(self, name: Name) -> bool:
        """Whether a name that was certain before still is."""
        like = sum(look.name == name for look in self._looks)
        return name == self._held and like >= JOIN_RULE.held * len(self._looks)

    def _proves(self, joined: JoinedName) -> bool:
        """Whether the looks make the name that most of them give certain."""
        rule, name = JOIN_RULE, joined.name
        certain = [look for look in self._looks if look.certain]
        if any(look.name != name for look in certain):
            return False
        if 2 * len(certain) > len(self._looks) and len(certain) >= rule.looks:
            return True
        like = sum(look.name == name and look.sound for look in self._looks)
        enough = len(self._looks) >= rule.joined_looks and like >= rule.agreed * len(self._looks)
        return enough and self._within_limits(joined)

    def _joined(self, name: Name) -> JoinedName:
        """The mean log odds, times as many independent looks as these are worth."""
        rank = [look.rank_odds if look.name[0] == name[0] else -look.rank_odds for look in self._looks]
        suit = [look.suit_odds if look.name[1] == name[1] else -look.suit_odds for look in self._looks]
        index = math.exp(sum(math.log(max(look.p_index, 1e-9)) for look in self._looks) / len(self._looks))
        rule = JOIN_RULE
        return JoinedName(name, _joined_p(rank, rule.rank_alike), _joined_p(suit, rule.suit_alike), index)

    def _within_limits(self, joined: JoinedName) -> bool:
        """The limits of a single picture, but for the least size."""
        sizes = sorted(look.index_px for look in self._looks)
        index_px = sizes[len(sizes) // 2]
        if index_px < JOIN_RULE.index_px or joined.p_index < PROBABILITY_LIMITS.p_index:
            return False
        least_suit = least_p_suit(joined.name[1], index_px)
        return joined.p_rank >= PROBABILITY_LIMITS.p_rank and joined.p_suit >= least_suit


def _joined_p(odds: list[float], alike: float) -> float:
    """Probability by some log odds, of looks that are so much alike."""
    worth = len(odds) / (1 + (len(odds) - 1) * alike)
    return 1 / (1 + math.exp(-worth * sum(odds) / len(odds)))
