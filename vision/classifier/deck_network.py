"""The index network for a deck that is known: prototypes name, the generic heads are the second witness."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vision.classifier.index_network import HEADS, KNOWN, IndexNetwork
from vision.classifier.prototypes import Prototypes, deck_scores
from vision.classifier.scores import Scores, softmax_heads
from vision.geometry import Image, IndexPoses, Points
from vision.inference import CropOutputs

FEATURES: Final = KNOWN + 1
"""Number of the output that the prototypes are made of."""

WITNESS_SURE: Final = 0.98
"""From this probability on the generic heads contradict the prototypes.

Source: no measurement on record; a single index is reported from 0.975 on (`acceptance`).
"""

_LETTER_KNOWN: Final = -1.3
"""From these log odds on that a letter is one of the thirteen, the generic heads' word on its rank counts.

Source: of a drawn German deck an eight that its profile takes for a jack (B) has -1.2 and more, a B -1.0 at
most and mostly -2 to -4; tens that a French one takes for a queen (D) have -0.4.
"""


class DeckIndexNetwork(IndexNetwork):
    """Read upright crops of one deck's indices; a crop unlike all of its prints gets no name."""

    deck: Prototypes

    def classify_poses(self, image: Image, poses: IndexPoses) -> Scores:
        """Classify poses by the deck's prototypes where an index is large enough, else as for any deck."""
        if not len(poses.index_px):
            return super().classify_poses(image, poses)
        outputs = self.run_poses(image, poses)
        own, plain = self._scores(outputs), self.generic_scores(outputs)
        large = (poses.index_px >= self.deck.index_px)[:, None]
        rank, suit = np.where(large, own.rank, plain.rank), np.where(large, own.suit, plain.suit)
        known = np.where(large[:, 0], own.known, plain.known)
        return Scores(rank, suit, plain.state, known)

    def _scores(self, outputs: CropOutputs) -> Scores:
        return named_by_deck(outputs.heads, self._temperature, self.deck)


def named_by_deck(heads: Sequence[Points], temperature: float, deck: Prototypes) -> Scores:
    """Scores of crops by the index network's outputs and a deck's prototypes; even for another print."""
    generic = softmax_heads(heads[:HEADS], temperature)
    own = deck_scores(heads[FEATURES], deck)
    is_letter = heads[KNOWN][:, 0] >= _LETTER_KNOWN
    rank = _witnessed(own.rank, generic.rank, is_letter)
    suit = _witnessed(own.suit, generic.suit, np.ones(len(is_letter), bool))
    rank[~own.fits] = 1 / rank.shape[1]
    return Scores(rank, suit, generic.state, generic.known)


def _witnessed(own: Points, generic: Points, asked: Points) -> Points:
    """The prototypes' probabilities; the mean of both where the generic heads are sure of something else."""
    differ = (own.argmax(1) != generic.argmax(1)) & (generic.max(1) > WITNESS_SURE) & asked
    return np.where(differ[:, None], (own + generic) / 2, own)
