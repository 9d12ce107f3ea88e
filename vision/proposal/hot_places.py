"""Propose places with heat but no ink pair, in the direction of their neighbours."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import (
    SAME_INDEX,
    SURELY_SAME,
    IndexPoses,
    Points,
    concatenated,
    inside_each,
    within_reach,
)
from vision.proposal.heat_map import HeatMap, HeatPeaks


class HotPlaceRule(NamedTuple):
    """Selection and shifts of hot places. Lengths are in heights of an index.

    Source: 234 whole indices on six drawn tables. Peak centres lie 0.16 heights from theirs in the median,
    0.30
    at most for nine in ten; 196 are read with these shifts, 134 without. The others have no measurement on
    record; docs/measurements/reader.md, What was measured, has their joint effect.
    """

    least: float = 0.25
    """Heat from which a place is looked at."""

    across: float = 0.35
    """Heat from which it is also looked at as a card that lies across."""

    sized: float = 0.1
    """Heat from which a place is looked at either way, where the height of the deck's indices is known.

    Source: in six drawn decks that were not enrolled each index of a readable card is as hot.
    """

    shift: float = 0.15
    """A place is as far from the index's centre as a cell is wide; so far to each side it is looked at."""


_HOT_PLACE_RULE: Final = HotPlaceRule()


def propose_hot(
    heat_map: HeatMap, read: IndexPoses, covered: Points, lying_open: Points, index_px: float | None = None
) -> IndexPoses:
    """Propose places that may have an index where none was found; `read` and `covered` (n x 2) were found.

    `index_px` is the height of an index, where deck and camera give it. Open cards (outlines, m x 4 x 2) are
    skipped, since pips and court art are warm too. Directions come from the nearest read index, turned or
    not; without any there are no proposals.
    """
    rule = _HOT_PLACE_RULE
    peaks = heat_map.peaks(rule.least if index_px is None else rule.sized)
    known = np.concatenate([read.centres.reshape(-1, 2), covered.reshape(-1, 2)])
    near_px = (
        SAME_INDEX * peaks.index_px if index_px is None else np.full(len(peaks.p), SURELY_SAME * index_px)
    )
    reach = np.repeat(near_px[:, None], len(known), 1)
    explained = within_reach(peaks.centres, known, reach).any(1) | inside_each(peaks.centres, lying_open).any(
        1
    )
    open_ones = np.flatnonzero(~explained)
    if not len(open_ones) or not len(read.index_px):
        return read.take(np.zeros(0, int))
    peaks = HeatPeaks(*(column[open_ones] for column in peaks))
    near = np.hypot(*(peaks.centres[:, None] - read.centres).transpose(2, 0, 1)).argmin(1)
    heights = read.index_px[near] if index_px is None else np.full(len(near), index_px)
    places = IndexPoses(peaks.centres, read.downs[near], heights)
    lying = [places, places._replace(downs=-places.downs)]
    warm = places.take(np.flatnonzero(peaks.p >= (rule.across if index_px is None else rule.sized)))
    lying += [warm._replace(downs=warm.rights), warm._replace(downs=-warm.rights)]
    return concatenated(map(shifted, lying))


def shifted(places: IndexPoses) -> IndexPoses:
    """Each place where it is and a little to each side."""
    shift = _HOT_PLACE_RULE.shift
    sides = ((0.0, 0.0), (shift, 0.0), (-shift, 0.0), (0.0, shift), (0.0, -shift))
    return concatenated(places._replace(centres=places.beside(*side)) for side in sides)
