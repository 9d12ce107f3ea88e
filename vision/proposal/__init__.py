"""A picture in, places where an index or a card may be out. Imports geometry, inference, native.

Two methods that fail for different causes. Pairs of ink
components are filtered by a small network (`propose_indices`, `keep_likely`). A heat map covers the whole
picture (`HeatMapNetwork`); it proposes what the pairs miss (`propose_hot`), and selects among them where a
deck has its pips beside the ranks (`propose_beside`).
"""

from vision.proposal.connected_components import InkComponents, find_components
from vision.proposal.heat_map import (
    CELL_KINDS,
    HEIGHT_UNIT,
    OUTPUT_CELL_PX,
    OUTPUTS,
    PATCH_DEPTH,
    PATCH_PX,
    CellKind,
    HeatMap,
    HeatPeaks,
)
from vision.proposal.heat_map_input import exposure_gain, heat_map_input, picture_patches
from vision.proposal.heat_map_network import HeatMapNetwork
from vision.proposal.heat_picture import heat_picture
from vision.proposal.hot_places import propose_hot, shifted
from vision.proposal.index_pairs import (
    PAIRING_RULE,
    pair_beside,
    pair_components,
    propose_beside,
    propose_indices,
)
from vision.proposal.paper_mask import SAMPLE_STEP_PX, coarse_sample, find_paper
from vision.proposal.proposal_filter import FILTER_CROP, ProposalFilterNetwork, keep_likely

__all__ = [
    "CELL_KINDS",
    "FILTER_CROP",
    "HEIGHT_UNIT",
    "OUTPUTS",
    "OUTPUT_CELL_PX",
    "PAIRING_RULE",
    "PATCH_DEPTH",
    "PATCH_PX",
    "SAMPLE_STEP_PX",
    "CellKind",
    "HeatMap",
    "HeatMapNetwork",
    "HeatPeaks",
    "InkComponents",
    "ProposalFilterNetwork",
    "coarse_sample",
    "exposure_gain",
    "find_components",
    "find_paper",
    "heat_map_input",
    "heat_picture",
    "keep_likely",
    "pair_beside",
    "pair_components",
    "picture_patches",
    "propose_beside",
    "propose_hot",
    "propose_indices",
    "shifted",
]
