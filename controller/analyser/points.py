"""Cards by their points: ten kinds, the ace first, all that count ten last."""

from typing import Final

import numpy as np
import numpy.typing as npt

KINDS: Final = 10
"""Points 1 (the ace) to 10; a kind's index is one less than its points."""
ACE: Final = 0
TEN: Final = 9

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def fresh_shoe(decks: int) -> Floats:
    """Return the number of cards of each kind in a full shoe, shape (10,)."""
    counts = np.full(KINDS, 4.0 * decks)
    counts[TEN] = 16.0 * decks
    return counts


def best_total(hard: int, aces: int) -> int:
    """The total that counts: one ace as 11 unless that goes above 21."""
    return hard + 10 if aces and hard <= 11 else hard
