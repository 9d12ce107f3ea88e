"""Confirm indices with the pip beside the rank: a wider crop has to show the same rank.

A ten's 0 with a pip looks like a queen; so does print at the border of two cards.
"""

from typing import Final

import numpy as np

from vision.classifier.deck_network import DeckIndexNetwork
from vision.classifier.index import Index, poses_of
from vision.classifier.index_network import IndexNetwork
from vision.classifier.scores import LIKELIER, STATE_INDEX
from vision.geometry import BESIDE_TIMES, Image
from vision.labels import RANKS

_BESIDE_WIDER: Final = 1.2
"""A crop of so many times the width of rank and pip, from the right on, is likelier an index than not.

Source: 20 drawn tables of decks left out, pips beside the ranks: of 38 tens, jacks and queens that were
reported four were wrong, none with this, and one right one is lost.
"""

_OWN_INDEX: Final = 0.8
"""With a profile the crop itself is an index, too, this probably: its classes name whatever they are shown.

Source: with neither limit 4 of 642 cards that were reported of six drawn decks, tables not enrolled, were
wrong (nought and pip of a ten, a rank beside the next card's), with the wider crop alone 1 of 561.
"""

SEVEN: Final = RANKS.index("7")
_SURELY_SEVEN: Final = 0.99
_LIKE_ANY: Final = 0.9
_FULLY: Final = 0.98
"""A seven that the wider crop names this surely, and that is an index as probably as any rank has to be, is
none less than the third: where the pip beside it is in sight, no 0 of a ten is covered.

Source: docs/measurements/reader.md, Sealed decks: of 28 sevens of four drawn decks, 12 tables, the wider crop
named 27 at 0.99 and more; of the one place that was none it said ten.
"""


def with_beside_checked(image: Image, indices: list[Index], network: IndexNetwork) -> list[Index]:
    """The same indices; without a certain rank where a wider crop says something else."""
    if not indices:
        return []
    poses = poses_of(indices)
    wider = poses._replace(
        centres=poses.beside(-(_BESIDE_WIDER - 1) / 2 / BESIDE_TIMES, 0.0),
        index_px=_BESIDE_WIDER * poses.index_px,
    )
    scores = network.generic_scores(network.run_poses(image, wider))
    same = scores.rank.argmax(1) == [index.rank for index in indices]
    same &= scores.state[:, STATE_INDEX] >= LIKELIER
    if isinstance(network, DeckIndexNetwork):
        same &= np.array([index.p_index for index in indices]) >= _OWN_INDEX
    sure = scores.rank.max(1) >= _SURELY_SEVEN
    checked = zip(indices, same.tolist(), sure.tolist(), strict=True)
    return [_no_ten(index, surely) if alike else index.unnamed() for index, alike, surely in checked]


def _no_ten(index: Index, surely: bool) -> Index:
    seven = surely and index.rank == SEVEN and index.p_index >= _LIKE_ANY
    return index._replace(p_index=max(index.p_index, _FULLY)) if seven else index
