"""Decide which of two overlapping cards lies on top, from their visible edges."""

from typing import Final, NamedTuple

import numpy as np

from vision.assembly.overlaps import Overlaps
from vision.geometry import NEXT_CORNER, Image, Points, all_inside
from vision.labels import RANKS


class EdgeRule(NamedTuple):
    """Parameters of the search for a card's edge on another card. Source: no measurement on record."""

    samples: int = 20
    along: tuple[float, float] = (0.08, 0.92)
    """Points along each edge, and between which shares of it: corners are rounded."""

    across_px: int = 6
    """To so many pixels on both sides of the edge brightness is taken."""

    points_min: int = 4
    """Fewer points of an edge say nothing."""

    host_slack: float = -0.08
    """Points nearer than this to the other card's own edge (share of its half size) do not count."""

    shown: float = 20.0
    hidden: float = 12.0
    """Grey levels of a step that is surely an edge, and of one that surely is none."""


_EDGE_RULE: Final = EdgeRule()

_OFFSETS: Final = np.arange(-_EDGE_RULE.across_px, _EDGE_RULE.across_px + 1)[:, None]

COURT: Final = frozenset("JQK")


def _profiles(image: Image, lines: Points) -> Points:
    """Brightness of the darkest channel across each edge at each of its points, 4 x samples x offsets."""
    along = lines[:, -1] - lines[:, 0]
    normals = np.stack([-along[:, 1], along[:, 0]], 1) / np.hypot(*along.T)[:, None]
    places = np.rint(lines[:, :, None] + _OFFSETS * normals[:, None, None]).astype(np.intp)
    x, y = places[..., 0].clip(0, image.shape[1] - 1), places[..., 1].clip(0, image.shape[0] - 1)
    return np.asarray(image[y, x].min(3))


def _step(profiles: Points) -> float:
    """Grey levels of the sharpest step across a line that three quarters of its points show: no pip's."""
    profile = np.sort(profiles, axis=0)[len(profiles) * 3 // 4].astype(int)
    return float(np.abs(profile[2:] - profile[:-2]).max())


def _edge_lines(corners: Points) -> Points:
    """Points along the four edges of a card, 4 x samples x 2."""
    along = np.linspace(*_EDGE_RULE.along, _EDGE_RULE.samples)[None, :, None]
    return np.asarray(corners[:, None] + (corners[NEXT_CORNER] - corners)[:, None] * along)


def _visible_edge(overlaps: Overlaps, number: int, host: int) -> float | None:
    """Return the contrast of a card's faintest edge inside its host's outline; None without any edge."""
    card, below = overlaps.cards[number].corners, overlaps.cards[host].corners
    assert card is not None
    assert below is not None
    lines = _edge_lines(card)
    points = lines.reshape(-1, 2)
    inner = all_inside(points, below, _EDGE_RULE.host_slack)
    if inner.sum() < _EDGE_RULE.points_min:
        return None
    free = _not_on_others(overlaps, points, inner, number, host)
    steps = []
    profiles = _profiles(overlaps.image, lines)
    for profile, within, open_part in zip(profiles, inner.reshape(4, -1), free.reshape(4, -1), strict=True):
        chosen = open_part if open_part.sum() >= _EDGE_RULE.points_min else within
        if chosen.sum() >= _EDGE_RULE.points_min:
            steps.append(_step(profile[chosen]))
    return min(steps, default=None)


def _not_on_others(overlaps: Overlaps, points: Points, inner: Points, number: int, host: int) -> Points:
    """Return which inner points lie outside every third card that overlaps the host."""
    free = inner.copy()
    for third, card in enumerate(overlaps.cards):
        near = (min(third, host), max(third, host)) in overlaps.pairs
        if near and third not in {number, host} and card.corners is not None:
            free &= ~all_inside(points, card.corners)
    return free


def order_by_edges(overlaps: Overlaps, one: int, other: int) -> float:
    """1 when card `one` shows its edge where `other` does not, -1 for the reverse, 0 where neither is sure.

    An outline that is not known, and court art with its own lines, say nothing.
    """
    if overlaps.cards[one].corners is None or overlaps.cards[other].corners is None:
        return 0.0
    mine, theirs = (
        None if RANKS[overlaps.cards[host].best.rank] in COURT else _visible_edge(overlaps, card, host)
        for card, host in ((one, other), (other, one))
    )
    if mine is None or theirs is None:
        return 0.0
    if max(mine, theirs) < _EDGE_RULE.shown or min(mine, theirs) > _EDGE_RULE.hidden:
        return 0.0
    return 1.0 if mine > theirs else -1.0
