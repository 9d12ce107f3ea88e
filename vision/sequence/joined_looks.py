"""Looks at one resting card, joined: uncertain reads count as well, but alike pictures count little more."""

import math
from collections import Counter, deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from vision.acceptance import is_sound, least_p_suit, least_score, rank_score
from vision.assembly import AssembledCard
from vision.reading import UnclearReason

RankAndSuit = tuple[int, int | None]
"""Numbers of a rank and a suit (`vision.labels`); the suit is None where it is open."""


class JoinRule(NamedTuple):
    """When looks together make a card certain.

    Source: `python -m tests.measures.joined` counts what these numbers make right and wrong; docs/reader.md,
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
    """Fewest looks that make a card certain each.

    Source: docs/reader.md, Sequences: where most looks had to be certain, 25 reported less than the best one.
    """

    joined_looks: int = 6
    """Fewest looks of a card that no single picture says: a quarter of a second."""

    held: float = 0.6
    """A name that was certain once, or that some looks make certain each, is so while this share of the looks
    gives it: looks come and go."""

    agreed: float = 0.85
    """Least share of the looks that name the same card, and against which nothing speaks, of such a card."""

    index_px: float = 9.5
    """Smallest index that joined looks say, rank and pip together."""

    p_look_max: float = 0.9995
    """No single look counts for more, whatever the network says."""


JOIN_RULE: Final = JoinRule()


class LookedAt(NamedTuple):
    """One look: its likeliest rank and suit, log odds of both, and what else it showed.

    `sound`: nothing but probability or size speaks against the rank, `suit_sound`: nor against the suit.
    `certain`: the picture alone says the rank, `suit_certain`: the suit, too.
    """

    rank: int
    suit: int
    rank_odds: float
    suit_odds: float
    p_index: float
    index_px: float
    sound: bool
    suit_sound: bool
    certain: bool
    suit_certain: bool


class JoinedName(NamedTuple):
    """What looks say together: a name and the probabilities of its rank, its suit and of being an index."""

    name: RankAndSuit
    p_rank: float
    p_suit: float
    p_index: float


def _log_odds(p: float) -> float:
    p = min(max(p, 1 - JOIN_RULE.p_look_max), JOIN_RULE.p_look_max)
    return math.log(p / (1 - p))


def look_at(card: AssembledCard, reason: UnclearReason | None) -> LookedAt:
    """What one picture says of a card; `reason` is None where the picture alone makes it certain."""
    index = card.best
    sound = reason in {None, "uncertain"} and not card.odd_size and is_sound(index)
    return LookedAt(
        index.rank,
        index.suit,
        _log_odds(index.p_rank),
        _log_odds(index.p_suit),
        index.p_index,
        index.index_px,
        sound,
        sound and index.agreed,
        reason is None,
        reason is None and not index.suit_open,
    )


def named(card: AssembledCard, name: JoinedName) -> AssembledCard:
    """The card with the name and the certainty of all looks at it."""
    rank, suit = name.name
    best = card.best._replace(
        rank=rank,
        suit=card.best.suit if suit is None else suit,
        p_rank=name.p_rank,
        p_suit=name.p_suit,
        p_index=name.p_index,
        suit_open=suit is None,
    )
    indices = (best, *card.indices[1:])
    return card._replace(indices=indices, certain=max(card.certain, 1), joined=True)


class JoinedLooks:
    """The latest looks at one card."""

    def __init__(self) -> None:
        """Begin without any."""
        self._looks: deque[LookedAt] = deque(maxlen=JOIN_RULE.kept)
        self._rank: int | None = None
        self._suit: int | None = None

    def add(self, look: LookedAt) -> None:
        """Count a look."""
        self._looks.append(look)

    def certain_name(self) -> JoinedName | None:
        """The card's name, where the looks together make it certain; its suit may stay open.

        What was certain once stays so while most of the looks give it.
        """
        rank = _most_common(look.rank for look in self._looks)
        suit = _most_common(look.suit for look in self._looks if look.rank == rank)
        joined = self._joined(rank, suit)
        named = [look.rank == rank and look.suit == suit for look in self._looks]
        held = suit == self._suit and rank == self._rank and _share(named) >= JOIN_RULE.held
        self._suit = suit if held or self._proves_suit(joined) else None
        alike = [look.rank == rank for look in self._looks]
        held = rank == self._rank and _share(alike) >= JOIN_RULE.held
        proven = held or self._proves_rank(joined)
        self._rank = rank if proven else None
        return joined._replace(name=(rank, self._suit)) if proven else None

    def _proves_rank(self, joined: JoinedName) -> bool:
        """Whether the looks make the rank that most of them give certain."""
        rank, _ = joined.name
        if any(look.rank != rank for look in self._looks if look.certain):
            return False
        if self._enough([look.certain for look in self._looks], [look.rank == rank for look in self._looks]):
            return True
        index_px = self._index_px()
        sure = rank_score(joined.p_rank, joined.p_index, index_px) >= least_score(joined.p_index, index_px)
        alike = [look.rank == rank and look.sound for look in self._looks]
        return sure and index_px >= JOIN_RULE.index_px and self._agree(alike)

    def _proves_suit(self, joined: JoinedName) -> bool:
        """Whether the looks make the suit that most of them give certain, if they do the rank."""
        rank, suit = joined.name
        if any((look.rank, look.suit) != (rank, suit) for look in self._looks if look.suit_certain):
            return False
        same = [(look.rank, look.suit) == (rank, suit) for look in self._looks]
        if self._enough([look.suit_certain for look in self._looks], same):
            return True
        alike = [(look.rank, look.suit) == (rank, suit) and look.suit_sound for look in self._looks]
        return joined.p_suit >= least_p_suit(suit or 0, self._index_px()) and self._agree(alike)

    def _enough(self, certain: list[bool], alike: list[bool]) -> bool:
        """Whether so many looks are certain each, and so many name the same, that the card is."""
        return sum(certain) >= JOIN_RULE.looks and _share(alike) >= JOIN_RULE.held

    def _agree(self, alike: list[bool]) -> bool:
        """Whether so many looks say the same that they count together."""
        return len(alike) >= JOIN_RULE.joined_looks and _share(alike) >= JOIN_RULE.agreed

    def _index_px(self) -> float:
        """The middle height of the index."""
        sizes = sorted(look.index_px for look in self._looks)
        return sizes[len(sizes) // 2]

    def _joined(self, rank: int, suit: int) -> JoinedName:
        """The mean log odds, times as many independent looks as these are worth."""
        rank_odds = [look.rank_odds if look.rank == rank else -look.rank_odds for look in self._looks]
        suit_odds = [look.suit_odds if look.suit == suit else -look.suit_odds for look in self._looks]
        index = math.exp(sum(math.log(max(look.p_index, 1e-9)) for look in self._looks) / len(self._looks))
        p_rank = _joined_p(rank_odds, JOIN_RULE.rank_alike)
        return JoinedName((rank, suit), p_rank, _joined_p(suit_odds, JOIN_RULE.suit_alike), index)


def _most_common(numbers: Iterable[int]) -> int:
    return Counter(numbers).most_common(1)[0][0]


def _share(ones: list[bool]) -> float:
    return sum(ones) / len(ones)


def _joined_p(odds: list[float], alike: float) -> float:
    """Probability by some log odds, of looks that are so much alike."""
    worth = len(odds) / (1 + (len(odds) - 1) * alike)
    return 1 / (1 + math.exp(-worth * sum(odds) / len(odds)))
