"""The networks that name: one by the index, one by the rest of the card."""

from typing import Final

import numpy as np

from vision.classifier.scores import NO_SCORES, Scores, softmax_heads
from vision.classifier.whole_card import WHOLE_CARD_CROP
from vision.geometry import Image, IndexPoses, Points
from vision.inference import CropNetwork, CropOutputs, CropSize

INDEX_CROP: Final = CropSize(48, 36)
"""Fixed by the shipped network (models/index/manifest.toml)."""


class IndexNetwork(CropNetwork):
    """Reads upright crops of indices."""

    size = INDEX_CROP
    tinted = True

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops, n x height x width x 3, uint8."""
        return self._scores(self.run(crops)) if len(crops) else NO_SCORES

    def classify_poses(self, image: Image, poses: IndexPoses) -> tuple[Points, Scores]:
        """Tints of the ink (n x 2 x 3, `inference.PreparedCrops`) and scores of n poses in a BGR picture."""
        if not len(poses.index_px):
            return np.empty((0, 2, 3), np.float32), NO_SCORES
        outputs = self.run_poses(image, poses)
        return outputs.tints, self._scores(outputs)

    def _scores(self, outputs: CropOutputs) -> Scores:
        return softmax_heads(outputs.heads, self._temperature)


class WholeCardNetwork(IndexNetwork):
    """Reads whole cards whose corners are blanked, by pips and court art; state `index` means: lies open."""

    size = WHOLE_CARD_CROP
    tinted = False
