"""Filter proposals with a tiny network that keeps possible indices, whole or partly covered."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image, IndexPoses, Points
from vision.inference import CropNetwork, CropSize
from vision.proposal.merging import merge_proposals

FILTER_CROP: Final = CropSize(32, 24)
"""Fixed by the shipped network (models/glance/manifest.toml)."""

_PAPER_SHARE_MIN: Final = 0.30
"""A crop with less paper than this share holds no index.

Source: in a fan an index may have a third of its crop on paper and the rest on other cards (history of this
file); no other measurement on record.
"""


class ProposalScores(NamedTuple):
    """For n proposals: share of paper in each crop, and probability that an index is there, 0..1."""

    paper: Points
    p_index: Points


class ProposalFilterNetwork(CropNetwork):
    """Says which proposals deserve a look by the index network, in a hundredth of a millisecond each."""

    size = FILTER_CROP

    def score(self, image: Image, poses: IndexPoses) -> ProposalScores:
        """Looks at n poses in a BGR picture."""
        if not len(poses.index_px):
            return ProposalScores(np.empty(0), np.empty(0))
        outputs = self.run_poses(image, poses)
        return ProposalScores(outputs.paper, np.asarray(1 / (1 + np.exp(-outputs.heads[0][:, 0]))))

    @property
    def threshold(self) -> float:
        """Below this probability a proposal is dropped; 99.5 % of drawn readable indices pass it.

        Measured by the training run, stored in the manifest.
        """
        return self._figures["threshold"]


def keep_likely(image: Image, poses: IndexPoses, network: ProposalFilterNetwork) -> IndexPoses:
    """Return the places of a BGR picture that the filter accepts, the likeliest first."""
    scores = network.score(image, poses)
    good = (scores.paper > _PAPER_SHARE_MIN) & (scores.p_index >= network.threshold)
    return merge_proposals(poses.take(np.flatnonzero(good)), scores.p_index[good])
