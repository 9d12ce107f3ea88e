"""All hands that have not bust, each once for any order of its cards, and the hand after each card."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.analyser.points import ACE, KINDS, Floats, Indices, best_total

BUST = -1
"""In `Hands.child`: the card takes the hand above 21."""


class Hands(NamedTuple):
    """A set of n hands that is closed under drawing.

    `counts` (n, 10): cards of each kind. `hard`, `total`, `size` (n,): points with aces low, points that
    count, cards. `child` (n, 10): the hand with one more card of a kind, or BUST. `levels`: indices by hard
    points, highest first, so that every child stands before its parents.
    """

    counts: Floats
    hard: Indices
    total: Indices
    size: Indices
    child: Indices
    levels: tuple[Indices, ...]

    def where(self, *kinds: int) -> int:
        """Return the index of the hand of these cards; the set must contain it."""
        wanted = np.bincount(kinds, minlength=KINDS)
        return int(np.flatnonzero((self.counts == wanted).all(axis=1))[0])

    def at(self, size: int) -> Indices:
        """The hands of so many cards."""
        return np.flatnonzero(self.size == size)

    def only(self, kept: npt.NDArray[np.bool_]) -> "Hands":
        """Return the hands of a mask (n,); the hand after a card is known only within the mask."""
        at = np.cumsum(kept) - 1
        child = self.child[kept]
        own = np.arange(len(child))[:, None]
        known = np.where(kept[child], at[child], own)
        child = np.where(child == BUST, BUST, known)
        hard = self.hard[kept]
        return Hands(self.counts[kept], hard, self.total[kept], self.size[kept], child, _levels(hard))


@lru_cache(maxsize=KINDS + 1)
def hands_with(kind: int | None) -> Hands:
    """Return all hands of up to 21 points, the empty one too; with a kind, those that contain it."""
    start = tuple(int(index == kind) for index in range(KINDS))
    found = {start: 0}
    waiting = [start]
    for cards in waiting:
        for more in _one_more(cards):
            if more not in found and _hard(more) <= 21:
                found[more] = len(found)
                waiting.append(more)
    child = [[found.get(more, BUST) for more in _one_more(cards)] for cards in waiting]
    hard = np.array([_hard(cards) for cards in waiting])
    total = np.array([best_total(_hard(cards), cards[ACE]) for cards in waiting])
    size = np.array([sum(cards) for cards in waiting])
    return Hands(np.array(waiting, float), hard, total, size, np.array(child), _levels(hard))


def _one_more(cards: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The hand with one more card, a kind after the other."""
    return [(*cards[:kind], cards[kind] + 1, *cards[kind + 1 :]) for kind in range(KINDS)]


def _hard(cards: tuple[int, ...]) -> int:
    return sum(count * (kind + 1) for kind, count in enumerate(cards))


def _levels(hard: npt.NDArray[np.int64]) -> tuple[Indices, ...]:
    groups = [np.flatnonzero(hard == points) for points in range(21, -1, -1)]
    return tuple(group for group in groups if len(group))
