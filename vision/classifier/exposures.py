"""Read a picture again at other exposures, which restore bleached reds and lighten dark corners.

Proposals look for ink by contrast, and the network reads crops of fixed tones: both lose bleached and dark
print, though the pixels still contain it. Where exposures disagree nothing is certain.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import cv2
import numpy as np

from vision.classifier.index import Index
from vision.classifier.index_reading import INDEX_LIKELY, read_indices
from vision.classifier.networks import Networks
from vision.classifier.scores import LIKELIER
from vision.geometry import CARD_REACH, SAME_INDEX, Image, Points, within_reach
from vision.proposal import propose_indices

_CONTRAST_LIMIT: Final = 3.0
_CONTRAST_TILES: Final = 8
"""How far contrast is evened out, and in how many tiles a side.

Source: of 177 cards of the photographs that one reading lacks the two exposures here show 69; other limits,
tiles and gammas, and contrast evened out of the picture doubled in size, showed up to seven more or fewer.
"""

_DARKENING_GAMMA: Final = 2.2
"""Exponent of the darker exposure's tones. Source: as above."""

REACH: Final = CARD_REACH
"""Places further than so many of their heights from what is unclear are not read again.

Source: of 41 cards that are reported without this limit on 127 photographs 40 are with it, 36 with 6 and 24
with 3; a photograph takes 141 ms in the median, 128 and 117, without 162, a drawn table up to 2.3 s without.
"""

_DARKER: Final = np.clip((np.arange(256) / 255) ** _DARKENING_GAMMA * 255 + 0.5, 0, 255).astype(np.uint8)


def with_even_contrast(image: Image) -> Image:
    """The picture with its contrast evened out locally (CLAHE on the lightness of L*a*b*), hues kept."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    evened = cv2.createCLAHE(_CONTRAST_LIMIT, (_CONTRAST_TILES, _CONTRAST_TILES)).apply(lab[..., 0])
    lab[..., 0] = evened
    return cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)


def darkened(image: Image) -> Image:
    """The picture as a shorter exposure would show it."""
    return _DARKER[image]


_EXPOSURES: Final[tuple[Callable[[Image], Image], ...]] = (with_even_contrast, darkened)


def read_exposures(image: Image, indices: Sequence[Index], places: Points, networks: Networks) -> list[Index]:
    """Return a picture's indices joined with those of its other exposures near `places` (n x 2).

    Partly covered indices do not count, not even at two opposite corners: a drawn ace of clubs was reported
    as an ace of spades, because of another card's pip beside its rank.
    """
    joined = list(indices)
    for exposure in _EXPOSURES:
        shown = exposure(image)
        proposals = propose_indices(shown)
        near = within_reach(proposals.centres, places, REACH * proposals.index_px[:, None]).any(1)
        more, _ = read_indices(shown, proposals.take(np.flatnonzero(near)), networks)
        joined = join_indices(joined, (index for index in more if index.p_index >= INDEX_LIKELY))
    return joined


def join_indices(indices: Sequence[Index], more: Iterable[Index]) -> list[Index]:
    """Join indices with `more` of another exposure: the surest of a place stays, open where they differ."""
    joined = list(indices)
    for index in more:
        near = [number for number, other in enumerate(joined) if _at_one_place(index, other)]
        if near:
            joined[near[0]] = _fused([index, *(joined[number] for number in near)])
            joined = [other for number, other in enumerate(joined) if number not in near[1:]]
        else:
            joined.append(index)
    return joined


def _fused(here: list[Index]) -> Index:
    """Return the surest index of one place; rank or suit is open where a likely index differs."""
    best = max(here, key=_p_named)
    fair = [index for index in here if _p_named(index) >= LIKELIER]
    if len({index.rank for index in fair}) > 1 or not all(index.rank_agreed for index in fair):
        return best.unnamed()
    suits = {index.suit for index in fair if index.p_suit >= LIKELIER}
    return best._replace(agreed=False) if len(suits) > 1 else best


def _at_one_place(one: Index, other: Index) -> bool:
    apart = float(np.hypot(*(one.centre - other.centre)))
    return apart < SAME_INDEX * max(one.index_px, other.index_px)


def _p_named(index: Index) -> float:
    return index.p_rank * index.p_index
