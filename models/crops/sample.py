"""A training crop: pixels, three labels, and the drawn height of the rank."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image, Points
from vision.synth import CardArt, IndexBox

IGNORE: Final = -1
"""Label of what a crop does not tell."""

NO_RANK_PX: Final = 0.0
"""`rank_px` of a crop that shows no index."""

SHOWN: Final = (0.94, 0.90)
HIDDEN: Final = (0.84, 0.70)
"""Shares of the print of rank and pip: an index that shows at least the first can be read, one that shows
less than the second of either cannot. Between them nobody can say, and nothing is taught."""


class Sample(NamedTuple):
    """n crops: pixels (n x height x width x 3), labels (n x 3: rank, suit, state), and `rank_px` (n).

    A label is IGNORE where the crop does not tell it; `rank_px` is NO_RANK_PX where there is no index.
    """

    crops: Image
    labels: Image
    rank_px: Points

    def cut(self, count: int) -> "Sample":
        """The first `count` of them."""
        return Sample(*(column[:count] for column in self))


def without_index(crops: Image, labels: Image) -> Sample:
    """Crops that show no index."""
    return Sample(crops, labels, np.full(len(labels), NO_RANK_PX, np.float32))


def joined(parts: list[Sample]) -> Sample:
    """All samples as one."""
    return Sample(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _length(box: IndexBox, end: tuple[float, float]) -> float:
    return float(np.hypot(end[0] - box.top[0], end[1] - box.top[1]))


def rank_of_index(art: CardArt) -> float:
    """The rank's share of the height of rank and pip together, as the card is drawn."""
    box = art.indices[0]
    return _length(box, box.rank_foot) / _length(box, box.foot)


def rank_of_card(art: CardArt) -> float:
    """The rank's share of the card's height; 0 for a card without indices."""
    return _length(art.indices[0], art.indices[0].rank_foot) / art.image.shape[0] if art.indices else 0.0
