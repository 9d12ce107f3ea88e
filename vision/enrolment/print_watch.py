"""Measure how far the table's cards are from the profile's deck: wear, or another design."""

from collections import deque
from statistics import median
from typing import Final, Literal, NamedTuple

import numpy as np

from vision.acceptance import LIKELY_INDEX, SIZE_LIMITS
from vision.classifier import FEATURES, Networks, Prototypes, poses_of, print_distances, read_indices
from vision.geometry import Image
from vision.proposal import propose_indices
from vision.reading import PointPx


class PrintRule(NamedTuple):
    """When cards no longer look like the profile's deck. Distances are shares of the profile's `reach`.

    Source: eight drawn decks enrolled with two spreads each; indices of 17 to 50 px of a third spread.
    Medians of 40 cards of the same deck were 0.28 to 0.348 (99 of 100 draws), those of a softer picture (blur
    of 1.8 px) 0.32 to 0.38, those of seven other decks around 0.33 to 0.44. Of 24 cards of the same deck none
    was beyond the reach. Of a deck with letters of another language more than 4 were in most draws, and 2 to
    4 in one of fifty. No measurement of real wear is on record.
    """

    half_px: int = 120
    half_share: int = 16
    """An index is looked for so far around its place, or in this part (1/n) of the picture's width."""

    worn_cards: int = 40
    worn_median: float = 0.36
    """From this median distance of so many cards on the deck is worn, or the picture has become worse."""

    other_cards: int = 24
    other_beyond: int = 4
    """Of the latest so many cards this many beyond the reach show another design."""


_PRINT_RULE: Final = PrintRule()


class PrintNotice(NamedTuple):
    """A notice about the deck, with the figures behind it.

    `other`: that many of the latest `cards` measured cards are unlike the profile's deck. `worn`: `percent`
    is their median distance in percent of the reach. Both figures are given for either. `new`: there is no
    profile, and `beyond` of `cards` cards stayed unread.
    """

    what: Literal["worn", "other", "new"]
    cards: int
    beyond: int
    percent: int


def print_distance(image: Image, at: PointPx, networks: Networks, deck: Prototypes) -> float | None:
    """Return the distance of the index at a place (pixels) from the deck's prints; above 1 it is none.

    None where there is no whole index of sufficient size.
    """
    half = max(_PRINT_RULE.half_px, image.shape[1] // _PRINT_RULE.half_share)
    left, top = (max(0, round(value) - half) for value in at)
    part = np.ascontiguousarray(image[top : round(at[1]) + half, left : round(at[0]) + half])
    indices, _ = read_indices(part, propose_indices(part), networks)
    least_px = max(SIZE_LIMITS.index_px, deck.index_px)
    place = np.array(at) - (left, top)
    near = [
        index
        for index in indices
        if index.p_index >= LIKELY_INDEX
        and index.index_px >= least_px
        and np.hypot(*(index.centre - place)) < index.index_px
    ]
    if not near:
        return None
    nearest = min(near, key=lambda index: float(np.hypot(*(index.centre - place))))
    heads = networks.indices.run_poses(part, poses_of([nearest])).heads
    return float(print_distances(heads[FEATURES].astype(np.float64), deck)[0])


class PrintWatch:
    """Remembers the distances of the latest cards of one camera, each card once; says each notice once.

    Another design may be reported again after a full window of cards of which none is beyond the reach.
    """

    def __init__(self) -> None:
        """Begin without a card."""
        self._latest: deque[float] = deque(maxlen=max(_PRINT_RULE.worn_cards, _PRINT_RULE.other_cards))
        self._reported: set[str] = set()

    def add(self, distance: float) -> PrintNotice | None:
        """Count a measured card; return a notice when it is raised for the first time."""
        self._latest.append(distance)
        if len(self._latest) >= _PRINT_RULE.other_cards and not self._last_few().beyond:
            self._reported.discard("other")
        for notice in (self._other(), self._worn()):
            if notice is not None and notice.what not in self._reported:
                self._reported |= {"worn", notice.what}
                return notice
        return None

    def _last_few(self) -> PrintNotice:
        return _notice("other", list(self._latest)[-_PRINT_RULE.other_cards :])

    def _other(self) -> PrintNotice | None:
        notice = self._last_few()
        return notice if notice.beyond >= _PRINT_RULE.other_beyond else None

    def _worn(self) -> PrintNotice | None:
        latest = list(self._latest)[-_PRINT_RULE.worn_cards :]
        full = len(latest) == _PRINT_RULE.worn_cards
        return _notice("worn", latest) if full and median(latest) >= _PRINT_RULE.worn_median else None


def _notice(what: Literal["worn", "other"], latest: list[float]) -> PrintNotice:
    beyond = sum(distance > 1 for distance in latest)
    return PrintNotice(what, len(latest), beyond, round(100 * median(latest)))
