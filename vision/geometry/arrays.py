"""Array types of the reader, and how far apart places are."""

from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[Any]
"""uint8, height x width x 3 (BGR) or height x width (grey or mask)."""

Points = npt.NDArray[Any]
"""float, n x 2, pixels, x before y."""


def squares_apart(ones: Points, others: Points) -> Points:
    """Squared distances of n x 2 and m x 2 places, n x m: roots take longer than all the rest."""
    x, y = ones[:, :1] - others[:, 0], ones[:, 1:] - others[:, 1]
    return np.asarray(x * x + y * y)


def within(ones: Points, others: Points, reach: Points | float) -> Points:
    """Which of n x 2 and m x 2 places are nearer to each other than `reach`; n x m.

    `reach` is at least 0: one for all, for each of the others, or for each pair.
    """
    return np.asarray(squares_apart(ones, others) < np.square(reach))
