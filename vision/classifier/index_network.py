"""The networks that name: one by the index, one by the rest of the card."""

from typing import Final

import numpy as np

from vision.classifier.scores import NO_SCORES, Scores, softmax_heads
from vision.classifier.whole_card import WHOLE_CARD_CROP
from vision.geometry import Image, IndexPoses, Points
from vision.inference import CropNetwork, CropOutputs, CropSize

HEADS: Final = 3
KNOWN: Final = 3
"""A network's first outputs are logits of rank, suit and state; the next one, where it has one, log odds that
the letter is one of the thirteen."""

UNKNOWN_BELOW: Final = np.array([1.5, 1.5, 1.5, 1.5, -1.0, -0.5, 1.0, -0.9, 0.0, -1.0, 0.5, -1.3, 0.5])
"""Below these log odds a letter that comes nearest to a rank (A, 2 to K) is none of the thirteen: an S is
like a five, a B like an eight, a T like a seven, a D like a queen.

Source: `python -m tests.measures.letters`, 250 decks of fonts left out: of 3,810 crops of ranks that would be
reported otherwise 64 lie below, of 1,017 of other letters 344 do not; with -2.4 for all ranks 57 % do not.
For an eight it was -1.3 then: five Bs of a German deck of another font, whole and clear, at -1.25 to -0.79
were reported as eights on seven drawn 4K tables; an eight of the demo's deck, small, lies between -0.9 and
-0.7.
"""

_UNKNOWN_KEPT: Final = 0.1
"""So much is left of the ranks' probabilities then: the likeliest stays the likeliest, and is no more.

Source: no measurement on record; any share below one half does.
"""

INDEX_CROP: Final = CropSize(48, 36)
"""Fixed by the shipped network (models/index/manifest.toml)."""


def _blur_unknown(ranks: Points, unknown: Points) -> None:
    """Makes probabilities of ranks (n x 13) nearly even, in place, where the letter is unknown (n, bool)."""
    ranks[unknown] = _UNKNOWN_KEPT * ranks[unknown] + (1 - _UNKNOWN_KEPT) / ranks.shape[1]


class IndexNetwork(CropNetwork):
    """Reads upright crops of indices."""

    size = INDEX_CROP

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops, n x height x width x 3, uint8."""
        return self._scores(self.run(crops)) if len(crops) else NO_SCORES

    def classify_poses(self, image: Image, poses: IndexPoses) -> Scores:
        """Scores of n poses in a BGR picture."""
        return self._scores(self.run_poses(image, poses)) if len(poses.index_px) else NO_SCORES

    def generic_scores(self, outputs: CropOutputs) -> Scores:
        """Return the scores of crops' outputs for an unknown deck."""
        scores = softmax_heads(outputs.heads[:HEADS], self._temperature)
        if len(outputs.heads) > KNOWN:
            known = outputs.heads[KNOWN][:, 0]
            _blur_unknown(scores.rank, known < UNKNOWN_BELOW[scores.rank.argmax(1)])
            return scores._replace(known=known)
        return scores

    def _scores(self, outputs: CropOutputs) -> Scores:
        return self.generic_scores(outputs)


class WholeCardNetwork(IndexNetwork):
    """Read whole cards with blanked corners by pips and court art; state `index` means: lies open."""

    size = WHOLE_CARD_CROP
