"""Probabilities of a network's three heads: rank, suit and state; and how well it knows the letter."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Points
from vision.labels import RANKS, STATES, SUITS

_HEAD_SIZES: Final = (len(RANKS), len(SUITS), len(STATES))
_HEAD_STARTS: Final = (0, _HEAD_SIZES[0], _HEAD_SIZES[0] + _HEAD_SIZES[1])

STATE_INDEX: Final = STATES.index("index")
STATE_OCCLUDED: Final = STATES.index("occluded")

LIKELIER: Final = 0.5
"""From this probability on something is likelier so than not. Source: no tuned number."""


class Scores(NamedTuple):
    """Probabilities for n crops: rank (n x 13), suit (n x 4), state (n x 6), each row 1 in sum.

    `known` (n): log odds that the letter is one of the thirteen; infinite where nothing says so.
    """

    rank: Points
    suit: Points
    state: Points
    known: Points

    def take(self, chosen: Points) -> "Scores":
        """The scores that an array of numbers, or of truth values, chooses."""
        return Scores(*(column[chosen] for column in self))


NO_SCORES: Final = Scores(
    np.empty((0, len(RANKS))), np.empty((0, len(SUITS))), np.empty((0, len(STATES))), np.empty(0)
)


def softmax_heads(heads: Sequence[Points], temperature: float) -> Scores:
    """Probabilities from logits of rank, suit and state (n x 13, 4, 6), divided by the temperature first."""
    logits = np.concatenate(heads, 1, dtype=np.float64) / temperature
    power = np.exp(logits - logits.max(1, keepdims=True))
    power /= np.repeat(np.add.reduceat(power, _HEAD_STARTS, 1), _HEAD_SIZES, 1)
    parts = (power[:, start : start + size] for start, size in zip(_HEAD_STARTS, _HEAD_SIZES, strict=True))
    rank, suit, state = parts
    return Scores(rank, suit, state, np.full(len(power), np.inf))
