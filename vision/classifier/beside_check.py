"""A second look at indices with the pip beside the rank: a wider crop has to show the same rank.

Nought and pip of a ten look like a queen, and so may what stands at the border of two cards.
"""

from typing import Final

import numpy as np

from vision.classifier.deck_network import DeckIndexNetwork
from vision.classifier.index import Index, poses_of
from vision.classifier.index_network import IndexNetwork
from vision.classifier.scores import STATE_INDEX
from vision.geometry import BESIDE_TIMES, Image

BESIDE_WIDER: Final = 1.2
BESIDE_INDEX: Final = 0.5
"""A crop that shows so many times the width of rank and pip, from the right on, still shows an index.

Source: 20 drawn tables of decks left out, pips beside the ranks: of 38 tens, jacks and queens that were told
four were wrong, none with this, and one right one is lost.
"""

OWN_INDEX: Final = 0.8
"""With a profile the crop itself is an index, too, this probably: its classes name whatever they are shown.

Source: with neither limit 4 of 642 cards that were told of six drawn decks, tables not enrolled, were wrong
(nought and pip of a ten, a rank beside the next card's), with the wider crop alone 1 of 561.
"""


def with_beside_checked(image: Image, indices: list[Index], network: IndexNetwork) -> list[Index]:
    """The same indices; without a certain rank where a wider crop says something else."""
    if not indices:
        return []
    poses = poses_of(indices)
    wider = poses._replace(
        centres=poses.beside(-(BESIDE_WIDER - 1) / 2 / BESIDE_TIMES, 0.0),
        index_px=BESIDE_WIDER * poses.index_px,
    )
    scores = network.generic_scores(network.run_poses(image, wider))
    same = scores.rank.argmax(1) == [index.rank for index in indices]
    same &= scores.state[:, STATE_INDEX] >= BESIDE_INDEX
    if isinstance(network, DeckIndexNetwork):
        same &= np.array([index.p_index for index in indices]) >= OWN_INDEX
    return [index if alike else index.unnamed() for index, alike in zip(indices, same.tolist(), strict=True)]
