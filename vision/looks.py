"""Looks at one card, joined in a table of log odds: of ranks, and of ranks with their suits. Imports reading.

Pictures of a card at rest share light, blur and glare, so many of them say little more than one.
"""

import math
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from vision.reading import CardName

_OTHER_NAMES: Final = 51
"""Names that a card has when it is not what was read; a misread makes any of them as likely."""


class LookRule(NamedTuple):
    """When several looks together make a card certain.

    Source: `python -m tests.measures.joined` counts right and wrong cards for these numbers; the section
    Sequences of the measurements (docs/measurements/reader.md) has its figures.
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

    log_odds: float = 3.2
    margin: float = 4.2
    """Least joined log odds of a name against all others, and against the next one, of looks that are certain
    each. Source: no measurement on record; three looks of 0.93 are enough."""

    two_corners: int = 3
    one_corner: int = 5
    """Fewest looks, certain each, at a card with two corners that agree, and with one in sight.

    Source: the section Sequences: where most looks had to be certain, 25 reported less than the best one.
    """

    once_joined: int = 2
    """Fewest of those that earlier looks helped to name: these are six by then."""

    joined: int = 6
    """Fewest looks of a card that no single picture says: a quarter of a second."""

    held: float = 0.6
    """Least share of the looks that give a name that some of them make certain, or that was certain once."""

    agreed: float = 0.85
    """Least share of the looks that name the same card, and against which nothing speaks, where none is
    certain."""

    index_px: float = 9.5
    """Smallest index that joined looks say, rank and pip together."""

    p_most: float = 0.9995
    """No single look counts for more, whatever the network says."""


LOOK_RULE: Final = LookRule()


class Look(NamedTuple):
    """One look at a card: its likeliest name and the log odds of rank and suit.

    `certain`: the picture alone makes the rank certain; `suit_certain`: also the suit; `least` such looks
    make the card certain. `sound`: only probability or size speaks against the rank; `suit_sound`: the same
    for the suit. `two_corners`: two corners of the card agreed.
    """

    name: CardName
    rank_odds: float
    suit_odds: float
    certain: bool = True
    suit_certain: bool = True
    sound: bool = False
    suit_sound: bool = False
    p_index: float = 1.0
    index_px: float = 0.0
    least: int = LOOK_RULE.two_corners
    two_corners: bool = False


class JoinedName(NamedTuple):
    """The joint result of looks: a name, the probabilities of its rank and suit and of being an index."""

    name: CardName
    p_rank: float
    p_suit: float
    p_index: float
    index_px: float


Limits = Callable[[JoinedName], tuple[bool, bool]]
"""Whether the rank of joined looks, and its suit, are within the limits of one picture."""


class _Row(NamedTuple):
    """A look in one of the tables."""

    name: CardName
    odds: float
    certain: bool
    sound: bool
    least: int


def log_odds(p: float) -> float:
    """Return the log odds of a probability, limited to the weight of a single look."""
    p = min(max(p, 1 - LOOK_RULE.p_most), LOOK_RULE.p_most)
    return math.log(p / (1 - p))


def look_of_read(name: CardName, p: float, corners: int, joined: bool = False) -> Look:
    """The look of a card that a picture reports with probability `p` by so many corners.

    `joined`: earlier looks helped to name it.
    """
    rule = LOOK_RULE
    least = rule.once_joined if joined else rule.two_corners if corners >= 2 else rule.one_corner
    odds, suited = log_odds(p), name.suit is not None
    return Look(name, odds, odds, suit_certain=suited, least=least, two_corners=corners >= 2)


class Looks:
    """The latest looks at one card."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Start without looks.

        With the `limits` of one picture, uncertain looks count together, a certain look of another name
        leaves the card open, and a certain card stays so while most looks confirm it.
        """
        self._looks: deque[Look] = deque(maxlen=LOOK_RULE.kept)
        self._limits = limits
        self._held: CardName | None = None

    def add(self, look: Look) -> None:
        """Count a look."""
        self._looks.append(look)

    @property
    def reads(self) -> int:
        """Return the number of looks that count."""
        return len(self._looks)

    @property
    def best(self) -> CardName | None:
        """The rank with the most weight, and its suit with the most where a look gave one."""
        rank = _heaviest(self._rows(suits=False))
        name = _heaviest([row for row in self._rows(suits=True) if rank and row.name.rank == rank.rank])
        return name or rank

    @property
    def two_corners(self) -> bool:
        """Whether in most looks two corners agreed."""
        return 2 * sum(look.two_corners for look in self._looks) > self.reads

    @property
    def certain(self) -> bool:
        """Whether at least the rank is certain."""
        return self.certain_name() is not None

    def p_of(self, name: CardName | None) -> float:
        """Probability of the best rank, or of the best rank and suit where the name has a suit."""
        return 1 / (1 + math.exp(-self._odds(suits=name is not None and name.suit is not None)[0]))

    def agreed(self, least: int) -> bool:
        """Whether `least` looks, each certain, make the best rank and suit certain."""
        return self._proves_each(suits=True, least=least)

    def certain_name(self) -> CardName | None:
        """Return the certain rank and suit, or rank alone; None where the rank is not certain."""
        name = self.best
        if name is None:
            return None
        joined = None if self._limits is None else self.joined_name(name)
        rank = self._proves(joined, suits=False)
        suit = name.suit is not None and self._proves(joined, suits=True)
        found = name if suit else name._replace(suit=None)
        self._held = found if rank else None
        return self._held

    def joined_name(self, name: CardName) -> JoinedName:
        """Return the joint probabilities of a name, with like looks counted as fewer independent ones."""
        rank = [look.rank_odds if look.name.rank == name.rank else -look.rank_odds for look in self._looks]
        suit = [look.suit_odds if look.name.suit == name.suit else -look.suit_odds for look in self._looks]
        index = math.exp(sum(math.log(max(look.p_index, 1e-9)) for look in self._looks) / self.reads)
        index_px = sorted(look.index_px for look in self._looks)[self.reads // 2]
        p_rank, p_suit = _p(rank, LOOK_RULE.rank_alike), _p(suit, LOOK_RULE.suit_alike)
        return JoinedName(name, p_rank, p_suit, index, index_px)

    def _rows(self, *, suits: bool) -> list[_Row]:
        """The table of the ranks, or the one of the ranks with their suits."""
        if not suits:
            return [
                _Row(look.name._replace(suit=None), look.rank_odds, look.certain, look.sound, look.least)
                for look in self._looks
            ]
        suited = [(look, min(look.rank_odds, look.suit_odds)) for look in self._looks if look.name.suit]
        return [
            _Row(look.name, odds, look.suit_certain, look.suit_sound, look.least) for look, odds in suited
        ]

    def _proves(self, joined: JoinedName | None, *, suits: bool) -> bool:
        """Whether the looks make the best rank (`suits`: its suit) certain."""
        if joined is None or self._limits is None:
            return self._proves_each(suits=suits)
        rows = self._rows(suits=suits)
        name = joined.name if suits else joined.name._replace(suit=None)
        like = [row.name == name for row in rows]
        held = self._held if suits or self._held is None else self._held._replace(suit=None)
        if held == name and _share(like) >= LOOK_RULE.held:
            return True
        if any(row.certain and row.name != name for row in rows):
            return False
        together = [row.name == name and row.sound for row in rows]
        agree = len(rows) >= LOOK_RULE.joined and _share(together) >= LOOK_RULE.agreed
        sure = self._limits(joined)[suits] and (suits or joined.index_px >= LOOK_RULE.index_px)
        return (agree and sure) or self._proves_each(suits=suits, least=LOOK_RULE.two_corners)

    def _proves_each(self, *, suits: bool, least: int | None = None) -> bool:
        """Whether enough looks are each certain of the best name, and hardly any of another."""
        rows = self._rows(suits=suits)
        certain = [row for row in rows if row.certain]
        best = _heaviest(certain)
        if best is None or _share([row.name == best for row in rows]) < LOOK_RULE.held:
            return False
        odds, margin = self._odds(suits=suits)
        enough = odds > LOOK_RULE.log_odds and margin > LOOK_RULE.margin
        return enough and len(certain) >= (_least(certain) if least is None else least)

    def _odds(self, *, suits: bool) -> tuple[float, float]:
        """Joined log odds of the best name against all others together, and against the next one."""
        rows = [row for row in self._rows(suits=suits) if row.certain]
        sums = _sums(rows)
        if not sums:
            return -math.log(_OTHER_NAMES), 0.0
        scale = _worth(len(rows), LOOK_RULE.rank_alike) / len(rows)
        best, *rest = sorted((weight * scale for weight in sums.values()), reverse=True)
        against = sum(math.exp(weight) for weight in rest) + _OTHER_NAMES - len(rest)
        return best - math.log(against), best - max(rest, default=0.0)


def _sums(rows: list[_Row]) -> dict[CardName, float]:
    """The weight of each name: the log odds against one other name, summed up."""
    sums: dict[CardName, float] = {}
    for row in rows:
        sums[row.name] = sums.get(row.name, 0.0) + max(row.odds + math.log(_OTHER_NAMES), 0.0)
    return sums


def _heaviest(rows: list[_Row]) -> CardName | None:
    sums = _sums(rows)
    return max(sums, key=sums.__getitem__, default=None)


def _least(rows: list[_Row]) -> int:
    """Return the median of the looks that the rows require, or fewer once one of them was joined."""
    asked = sorted(row.least for row in rows)
    return asked[0] if asked[0] == LOOK_RULE.once_joined else asked[len(asked) // 2]


def _share(ones: list[bool]) -> float:
    return sum(ones) / len(ones) if ones else 0.0


def _worth(looks: int, alike: float) -> float:
    """Return how many independent looks this many are worth, with correlation `alike`."""
    return looks / (1 + (looks - 1) * alike)


def _p(odds: list[float], alike: float) -> float:
    """Probability by some log odds, of looks that are so much alike."""
    return 1 / (1 + math.exp(-_worth(len(odds), alike) * sum(odds) / len(odds)))
