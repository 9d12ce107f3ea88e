"""One physical card, put together from its indices."""

from typing import NamedTuple

from vision.classifier import Index
from vision.geometry import Points


class AssembledCard(NamedTuple):
    """Indices of one physical card, the surest first.

    `corners` (4 x 2, clockwise from the upper left) is None where the card's size is not known. `rivals` are
    the best indices of surer like cards, of any of which this one may be a corner. `certain` counts the
    indices that are certain, and `odd_size` says that its index is not as large as it should be, once that
    was judged. `lies_open` (0..1) is how surely nothing lies on it, by its pips and court art; None where
    nobody looked. `joined`: other pictures make it certain, too. `contested`: another like card's index
    stands where this one's second may, too; the first is surely its own.
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
        """Whether it may be a corner of another, like card."""
        return bool(self.rivals)
