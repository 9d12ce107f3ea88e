"""Places in, their geometry out: distances, outlines, rectangles, index poses. Imports nothing of vision.

Everything here is in pixels of one picture, x before y, y downwards.
"""

from vision.geometry.arrays import LEAST, Image, Points, squared_distances, within_reach
from vision.geometry.bgr_picture import PIXELS_MAX, SIDE_MAX_PX, bgr_picture, is_grey
from vision.geometry.index_poses import (
    BESIDE_TIMES,
    CARD_REACH,
    OWN_CORNER,
    PARALLEL,
    SAME_INDEX,
    SURELY_SAME,
    IndexPlace,
    IndexPoses,
    concatenated,
    first_claims,
    fully_inside,
    in_one_fan,
    mean_poses,
    pairs_within,
    rows_of_columns,
    to_one_side,
)
from vision.geometry.outlines import (
    CARD_ASPECT,
    NEXT_CORNER,
    all_inside,
    inside,
    inside_each,
    overlap,
    scaled,
)
from vision.geometry.rectangles import Rect, clipped, grown, lies_within, meet, union

__all__ = [
    "BESIDE_TIMES",
    "CARD_ASPECT",
    "CARD_REACH",
    "LEAST",
    "NEXT_CORNER",
    "OWN_CORNER",
    "PARALLEL",
    "PIXELS_MAX",
    "SAME_INDEX",
    "SIDE_MAX_PX",
    "SURELY_SAME",
    "Image",
    "IndexPlace",
    "IndexPoses",
    "Points",
    "Rect",
    "all_inside",
    "bgr_picture",
    "clipped",
    "concatenated",
    "first_claims",
    "fully_inside",
    "grown",
    "in_one_fan",
    "inside",
    "inside_each",
    "is_grey",
    "lies_within",
    "mean_poses",
    "meet",
    "overlap",
    "pairs_within",
    "rows_of_columns",
    "scaled",
    "squared_distances",
    "to_one_side",
    "union",
    "within_reach",
]
