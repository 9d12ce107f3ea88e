"""Propose places of indices: components of ink on paper, their pairs, and the network that filters them.

No felt colour is assumed. Paper is locally brightest in the darkest of the three colour channels: white is
bright there; red ink, black ink and coloured felt are not. Ink is clearly darker than the paper around it, at
one of three levels. Every neighbouring pair of components of fitting sizes, distance and colour is a
proposal, at any turn and scale; the networks decide which of them are indices.
"""

import math
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, IndexPoses, Points, concatenated, first_claims, mean_poses, pairs_within
from vision.heat_map import HeatMap
from vision.inference import CropNetwork, CropSize
from vision.native import (
    PIECES_MAX,
    PairRule,
    SpotRule,
    darkest_means,
    paired,
    pieces_of_ink,
    sampled,
    spots_of,
)

CELL_PX: Final = 8
"""Side of a cell. Also the grid on which the search for ink asks whether there is paper."""

SAMPLE_STEP_PX: Final = 4
"""Every so many pixels one is looked at, in rows and columns: two a cell and side."""


_PAPER_LEVEL: Final = 0.62
"""A cell is paper from this share of the brightness around it on: there may be a little ink in it.

Source: no measurement on record. Paper that is missed here shows as cards `missed` in `stand17 bench reader
--only stress`.
"""

_PAPER_WINDOW: Final = 9
"""Side of that surrounding, in cells. Source: as above."""


_NEEDED: Final = np.ceil(_PAPER_LEVEL * np.arange(256)).astype(np.uint8)
_NEEDED[0] = 255
"""From which brightness on a cell is paper, by the brightness around it; in the dark none is."""

_SPREAD: Final = np.ones((_PAPER_WINDOW, _PAPER_WINDOW), np.uint8)
_CLOSE: Final = np.ones((5, 5), np.uint8)
_GROW: Final = np.ones((3, 3), np.uint8)


class PaperCells(NamedTuple):
    """A value for each cell of CELL_PX x CELL_PX pixels, both uint8.

    `paper` is 1 for paper, `level` the brightness of the paper there (0 in the dark). `white` is the
    brightest level, 0..255. A remainder at the right and lower border of the picture has no cell.
    """

    paper: Image
    level: Image
    white: float


def coarse_sample(image: Image) -> Image:
    """Every SAMPLE_STEP_PX-th pixel of every SAMPLE_STEP_PX-th row, for whole cells only."""
    high, wide = (side // CELL_PX * CELL_PX for side in image.shape[:2])
    first, step = SAMPLE_STEP_PX // 2, SAMPLE_STEP_PX
    return sampled(image, first, step, high // step, wide // step)


def _without_small_islands(grown: Image) -> Image:
    """Grown cells without islands of too few cells; only the picture's border makes such ones."""
    if not any(side.any() for side in (grown[0], grown[-1], grown[:, 0], grown[:, -1])):
        return grown
    # 2**19: islands of grids with fewer cells than this can be numbered in 16 bits, which takes half as
    # long. Source: at most every eighth cell begins an island of its own, and 16 bits hold 2**16 numbers.
    kind = cv2.CV_16U if grown.size < (2**19) else cv2.CV_32S
    _, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8, ltype=kind)
    # Limits for paper cells. Source: no measurement on record. Paper that is missed here shows as cards
    # `missed` in `stand17 bench reader --only stress`.
    # 9: cells of the smallest island that counts: what a single bright cell becomes when it is grown by one
    # cell.
    large = stats[:, cv2.CC_STAT_AREA] >= 9
    if large[1:].all():
        return grown
    large[0] = False
    return np.asarray(large.view(np.uint8)[np.asarray(labels)])


def find_paper(sample: Image) -> PaperCells | None:
    """Return the paper of a picture from its `coarse_sample`; None where there is none."""
    if not min(sample.shape[:2]) * SAMPLE_STEP_PX // CELL_PX:
        return None
    means = darkest_means(sample)
    level = cv2.blur(cv2.dilate(means, _SPREAD), _SPREAD.shape)
    white = float(np.max(level))
    # 0.28: where the brightness around is below this share of the picture's brightest, nothing is paper.
    _, lit = cv2.threshold(level, math.ceil(0.28 * white) - 1, 255, cv2.THRESH_TOZERO)
    bright = np.asarray(cv2.compare(means, cv2.LUT(lit, _NEEDED), cv2.CMP_GE), np.uint8) & 1
    paper = _without_small_islands(cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, _CLOSE), _GROW))
    return PaperCells(paper, lit, white) if paper.any() else None


INK_LEVELS: Final = (184, 133, 218)
"""Ink is darker than so many parts in 256 of the paper: as a rule; where glyphs touch; where light washes red
out.

Source: looking at three levels instead of one, and in the dark too, raised what is read of the phone
photographs from 89 to 94 of 100 cards (history of this file).
"""


_GLYPH_MAX_PX: Final = 110
"""Greatest longer side of a glyph's or pip's upright box. Source: no measurement on record."""

# Limits for components that can be a glyph or a pip, and for equal components.
# Source: no measurement on record.
_SPOT_RULE: Final = SpotRule(
    # Least and greatest of the longer side of the upright box, least of its shorter side.
    longest=(4, _GLYPH_MAX_PX),
    shortest=2,
    # More than this share of the box is ink.
    filled=0.12,
    # Components of two levels are one when their centres are nearer than this and their areas have such a
    # ratio.
    place=1.5,
    area=(0.6, 1.7),
    # Redness is a share of the grey levels between paper and ink, or of this where there are fewer.
    contrast=20.0,
)


class InkComponents(NamedTuple):
    """N connected components of ink.

    `centres`: n x 2, pixels. `spreads`: n x 2 x 2, covariances of their pixels' places. `areas`: n, pixels.
    `redness`: n, 0 black .. 1 as red as can be.
    """

    centres: Points
    spreads: Points
    areas: Points
    redness: Points


_NO_COMPONENTS: Final = InkComponents(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty(0))


def find_components(image: Image, sample: Image | None = None) -> InkComponents:
    """All components of ink in a BGR picture that could be part of an index.

    `sample` is the picture's `coarse_sample`, where the caller has it already.
    """
    cells = find_paper(coarse_sample(image) if sample is None else sample)
    if cells is None:
        return _NO_COMPONENTS
    sums = pieces_of_ink(image, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    return InkComponents(*spots_of(sums, _SPOT_RULE, cells.white))


RANK_REACH: Final = 1.8
PIP_REACH: Final = 1.95
"""Half the length of a rank glyph, and of a pip, in standard deviations of its ink along that direction.

Source: no measurement on record.
"""

# Limits for ink components of one index. All are exclusive; a size is two and a half standard deviations of
# the ink, about a glyph's height. Source: most have no measurement on record. A "widened" limit was moved
# until of 120 drawn tables 87 hands instead of 161 silently lacked a card, for a fourth more proposals
# (history of this file). "Opened": from 1.95, (0.8, 1.75) and (0.36, 1.3), for decks whose pip is larger or
# far smaller than the rank. Of eight outside 4K tables of two such decks 78 instead of 66 % of the cards are
# reported, for two fifths more proposals.
_PAIRING: Final[dict[str, Any]] = {
    "rank_reach": RANK_REACH,
    "pip_reach": PIP_REACH,
    # Components further apart than this from left to right are not compared.
    "span": 2 * _GLYPH_MAX_PX,
    # Two components may be one glyph (the digits of a ten, a broken glyph) when they are within so many sizes
    # of the first, their sizes have such a ratio, and their redness differs by less.
    "merge_reach": 1.05,
    "merge_size": (0.62, 1.6),
    "merge_tint": 0.35,
    # A pip's centre is less than so many sizes of the rank, and more than so many pixels, from the rank's
    # (opened).
    "pair_reach": 2.3,
    "apart": 1.0,
    # Distance of the two centres over the sum of their half lengths (opened).
    "touch": (0.7, 2.0),
    # Length of the pip over that of the rank (opened).
    "pip_size": (0.26, 1.6),
    # Redness of rank and pip differs by less.
    "tint": 0.45,
    # A rank is less than so many times as broad as long.
    "wide": 1.7,
    # Breadth of a pip over its length.
    "slim": (0.5, 1.7),
    # A rank that has run into its pip is one component: so many times as long as broad (widened), of more
    # pixels than this, and spanning so many standard deviations to either side.
    "stretch": (1.35, 4.5),
    "long_area": 40.0,
    "long_reach": 1.8,
}

KERNEL_PAIRING_RULE: Final = PairRule(**_PAIRING)

# The same for a pip to the right of its rank: lengths are their widths, and a rank is higher than wide.
# Source: of 208 open indices of an outside deck's tables 174 are proposed; with the usual width limits of a
# pip
# 128. With a touch of up to 1.7 narrow pips (diamonds, small ones) are left out: of 343 cards of 14 drawn
# decks 172 are reported, with 2.3 223, with 2.8 no more. The others have no measurement on record.
_KERNEL_BESIDE_RULE: Final = PairRule(
    **{
        **_PAIRING,
        "wide": 4.0,
        "pip_size": (0.4, 2.6),
        "touch": (0.7, 2.3),
        "slim": (0.4, 2.2),
        "stretch": (np.inf, np.inf),
    }
)

UNIONS_MAX: Final = PIECES_MAX
_PROPOSALS_MAX: Final = PIECES_MAX
"""Bounds of time and memory in one picture; what is beyond, from left to right and pairs first, is not looked
at.

Source: a full table has 150 to 600 proposals (docs/reader.md, How it works).
"""


def pair_components(components: InkComponents) -> IndexPoses:
    """Pairs of components, then single long ones."""
    return IndexPoses(*paired(components, KERNEL_PAIRING_RULE, UNIONS_MAX, _PROPOSALS_MAX))


def pair_beside(components: InkComponents) -> IndexPoses:
    """Every pair that may be a rank with its pip to its right, as it would lie with each of the leans."""
    poses = IndexPoses(*paired(components, _KERNEL_BESIDE_RULE, UNIONS_MAX, _PROPOSALS_MAX))
    # (-11.0, 0.0, 11.0): by how much the line from a rank to a pip beside it falls: to its top, not at all,
    # or to its foot. Source: of 343 readable 4K cards of 14 drawn decks with pips at any level, left out of
    # training, 243 are reported with all three, 223 without the first, 247 with 20 degrees up as well; of
    # 293 at 1080p 191, 171 and 196.
    return concatenated(poses.quarter_turned(lean) for lean in (-11.0, 0.0, 11.0))


def propose_beside(image: Image, heat_map: HeatMap, sample: Image | None = None) -> IndexPoses:
    """Return every place of a BGR picture that may have a rank with its pip to the right.

    The heat map filters them, since the proposal filter was not trained on such places. `sample` as for
    `find_components`.
    """
    poses = pair_beside(find_components(image, sample))
    # 0.1: the heat map is at least so hot where a rank stands with its pip beside it. Source: of the
    # indices of six drawn decks, left out of training, the coldest per cent has 0.26 in 4K and 0.22 at
    # 1080p; of one deck's 6,402 proposals, most of them of its court cards, 104 are as hot.
    return poses.take(np.flatnonzero(heat_map.heat_at(poses.centres) >= 0.1))


def propose_indices(image: Image, sample: Image | None = None) -> IndexPoses:
    """Return every place of a BGR picture for the proposal filter; `sample` as for `find_components`."""
    return pair_components(find_components(image, sample))


def _merge_proposals(poses: IndexPoses, scores: Points) -> IndexPoses:
    """Return one pose for each place, the likeliest first: the mean of similar proposals there.

    Weights are squared `scores` (n, 0..1). The proposals of a ten differ by the digit taken for the rank;
    their mean stands straight.
    """
    # Limits for merging two proposals. Source: docs/measurements/reader.md, What a limit is worth.
    # 0.25: distance of their centres, in index heights.
    close = pairs_within(poses, 0.25)
    # 0.95: least cosine between their directions.
    turned = poses.downs @ poses.downs.T > 0.95
    logs = np.log(poses.index_px)
    order = np.argsort(-scores)
    # 0.3: difference of the natural logarithms of their heights.
    alike = close & turned & (np.abs(logs[:, None] - logs) < 0.3)
    owner = first_claims(alike, order.tolist())
    firsts = order[owner[order] == order]
    return mean_poses(poses, (owner == firsts[:, None]) * (scores**2).astype(np.float64))


FILTER_CROP: Final = CropSize(32, 24)
"""Fixed by the shipped network (models/glance/manifest.toml)."""


class ProposalFilterNetwork(CropNetwork):
    """Says which proposals deserve a look by the index network, in a hundredth of a millisecond each."""

    size = FILTER_CROP

    def score(self, image: Image, poses: IndexPoses) -> tuple[Points, Points]:
        """Return the share of paper in each of n crops, and the probability of an index there, 0..1."""
        if not len(poses.index_px):
            return np.empty(0), np.empty(0)
        outputs = self.run_poses(image, poses)
        return outputs.paper, np.asarray(1 / (1 + np.exp(-outputs.heads[0][:, 0])))

    @property
    def threshold(self) -> float:
        """Below this probability a proposal is dropped; 99.5 % of drawn readable indices pass it.

        Measured by the training run, stored in the manifest.
        """
        return self._figures["threshold"]


def keep_likely(image: Image, poses: IndexPoses, network: ProposalFilterNetwork) -> IndexPoses:
    """Return the places of a BGR picture that the filter accepts, the likeliest first."""
    paper, p_index = network.score(image, poses)
    # 0.30: A crop with less paper than this share holds no index. Source: in a fan an index may have a third
    # of its crop on paper and the rest on other cards (history of this file); no other measurement on record.
    good = (paper > 0.30) & (p_index >= network.threshold)
    return _merge_proposals(poses.take(np.flatnonzero(good)), p_index[good])
