"""Proposes places where an index may be: a rank glyph with a pip below it.

Every neighbouring pair of ink components of fitting sizes, distance and colour is a proposal, at any turn and
scale; the networks decide which of them are indices.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image, IndexPoses, concatenated
from vision.native import PIECES_MAX, PairRule, paired
from vision.proposal.connected_components import COMPONENT_RULE, InkComponents, find_components
from vision.proposal.heat_map import HeatMap

Range = tuple[float, float]
"""Two limits; a value is strictly between them."""


class PairingRule(NamedTuple):
    """Limits for ink components of one index.

    All limits are exclusive; a size is two and a half standard deviations of the ink, about a glyph's height.

    Source: most have no measurement on record. A "widened" limit was moved until of 120 drawn tables 87 hands
    instead of 161 silently lacked a card, for a fourth more proposals (history of this file). "Opened": from
    1.95, (0.8, 1.75) and (0.36, 1.3), for decks whose pip is larger or far smaller than the rank. Of eight
    outside 4K tables of two such decks 78 instead of 66 % of the cards are reported, for two fifths more
    proposals.
    """

    rank_reach: float = 1.8
    pip_reach: float = 1.95
    """Half the length of a rank glyph, and of a pip, in standard deviations of its ink along that
    direction."""

    span_px: float = 2 * COMPONENT_RULE.longest_px[1]
    """Components further apart than this from left to right are not compared."""

    merge_reach: float = 1.05
    merge_size: Range = (0.62, 1.6)
    merge_tint: float = 0.35
    """Two components may be one glyph (the digits of a ten, a broken glyph) when they are within so many
    sizes of the first, their sizes have such a ratio, and their redness differs by less."""

    pair_reach: float = 2.3
    apart_px: float = 1.0
    """A pip's centre is less than so many sizes of the rank, and more than so many pixels, from the rank's
    (opened)."""

    touch: Range = (0.7, 2.0)
    """Distance of the two centres over the sum of their half lengths (opened)."""

    pip_size: Range = (0.26, 1.6)
    """Length of the pip over that of the rank (opened)."""

    tint: float = 0.45
    """Redness of rank and pip differs by less."""

    rank_width: float = 1.7
    """A rank is less than so many times as broad as long."""

    pip_width: Range = (0.5, 1.7)
    """Breadth of a pip over its length."""

    joined_stretch: Range = (1.35, 4.5)
    joined_area_px: float = 40.0
    joined_reach: float = 1.8
    """A rank that has run into its pip is one component: so many times as long as broad (widened), of more
    pixels than this, and spanning so many standard deviations to either side."""


PAIRING_RULE: Final = PairingRule()

BESIDE_RULE: Final = PAIRING_RULE._replace(
    rank_width=4.0,
    pip_size=(0.4, 2.6),
    touch=(0.7, 2.3),
    pip_width=(0.4, 2.2),
    joined_stretch=(np.inf, np.inf),
)
"""The same for a pip to the right of its rank: lengths are their widths, and a rank is higher than wide.

Source: of 208 open indices of an outside deck's tables 174 are proposed; with the pip's width limits of
PAIRING_RULE 128. With a touch of up to 1.7 narrow pips (diamonds, small ones) are left out: of 343 cards of
14 drawn decks 172 are reported, with 2.3 223, with 2.8 no more. The others have no measurement on record.
"""

_BESIDE_LEANS_DEG: Final = (-11.0, 0.0, 11.0)
"""By how much the line from a rank to a pip beside it falls: to its top, not at all, or to its foot.

Source: of 343 readable 4K cards of 14 drawn decks with pips at any level, left out of training, 243 are
reported with all three, 223 without the first, 247 with 20 degrees up as well; of 293 at 1080p 191, 171 and
196.
"""

_BESIDE_HEAT: Final = 0.1
"""The heat map is at least so hot where a rank stands with its pip beside it.

Source: of the indices of six drawn decks, left out of training, the coldest per cent has 0.26 in 4K and 0.22
at 1080p; of one deck's 6,402 proposals, most of them of its court cards, 104 are as hot.
"""


def _kernel_rule(rule: PairingRule) -> PairRule:
    return PairRule(
        rank_reach=rule.rank_reach,
        pip_reach=rule.pip_reach,
        span=rule.span_px,
        merge_reach=rule.merge_reach,
        merge_size=rule.merge_size,
        merge_tint=rule.merge_tint,
        pair_reach=rule.pair_reach,
        apart=rule.apart_px,
        touch=rule.touch,
        pip_size=rule.pip_size,
        tint=rule.tint,
        wide=rule.rank_width,
        slim=rule.pip_width,
        stretch=rule.joined_stretch,
        long_area=rule.joined_area_px,
        long_reach=rule.joined_reach,
    )


KERNEL_PAIRING_RULE: Final = _kernel_rule(PAIRING_RULE)
_KERNEL_BESIDE_RULE: Final = _kernel_rule(BESIDE_RULE)

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
    return concatenated(poses.quarter_turned(lean) for lean in _BESIDE_LEANS_DEG)


def propose_beside(image: Image, heat_map: HeatMap, sample: Image | None = None) -> IndexPoses:
    """Return every place of a BGR picture that may have a rank with its pip to the right.

    The heat map filters them, since the proposal filter was not trained on such places. `sample` as for
    `find_components`.
    """
    poses = pair_beside(find_components(image, sample))
    return poses.take(np.flatnonzero(heat_map.heat_at(poses.centres) >= _BESIDE_HEAT))


def propose_indices(image: Image, sample: Image | None = None) -> IndexPoses:
    """Return every place of a BGR picture for the proposal filter; `sample` as for `find_components`."""
    return pair_components(find_components(image, sample))
