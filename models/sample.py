"""What a training crop is: pixels and three labels."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image

IGNORE: Final = -1
"""Label of what a crop does not tell."""

SHOWN: Final = (0.94, 0.90)
HIDDEN: Final = (0.84, 0.70)
"""Shares of the print of rank and pip: an index that shows at least the first can be read, one that shows
less than the second of either cannot. Between them nobody can say, and nothing is taught."""


class Sample(NamedTuple):
    """Crops (n x height x width x 3) and labels (n x 3: rank, suit, state; IGNORE where none applies)."""

    crops: Image
    labels: Image

    def cut(self, count: int) -> "Sample":
        """The first `count` of them."""
        return Sample(self.crops[:count], self.labels[:count])


def joined(parts: list[Sample]) -> Sample:
    """All samples as one."""
    return Sample(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
