"""One physical card, assembled from its indices."""

from typing import NamedTuple

from vision.classifier import Index
from vision.geometry import Points


class AssembledCard(NamedTuple):
    """The indices of one physical card, the surest first.

    `corners` (4 x 2, clockwise from the upper left) is None where the card's size is not known. `rivals` are
    the best indices of surer like cards; this card may be a corner of any of them. `certain` counts the
    certain indices. `odd_size`: the index's height differs from the expected one. `lies_open` (0..1) is the
    probability that the card is uncovered, from pips and court art; None where it was not computed. `joined`:
    only several pictures together make it certain. `contested`: the second index may belong to another like
    card; the first certainly belongs to this one.
    """

    indices: tuple[Index, ...]
    corners: Points | None
    rivals: tuple[Index, ...] = ()
    certain: int = 0
    odd_size: bool = False
    lies_open: float | None = None
    joined: bool = False
    contested: bool = False

    @property
    def best(self) -> Index:
        """The surest index."""
        return self.indices[0]

    @property
    def doubtful(self) -> bool:
        """Whether the card may be a corner of another, like card."""
        return bool(self.rivals)
