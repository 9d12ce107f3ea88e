"""Array types of the card reader, and how far apart places are."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[Any]
"""uint8, height x width x 3 (blue, green, red) or height x width (grey, or a mask)."""

Points = npt.NDArray[Any]
"""float, n x 2, x before y; other shapes are said where they occur."""

LEAST: Final = 1e-9
"""Keeps from dividing by nothing, and a product from being nothing. Source: no tuned number."""


def squared_distances(ones: Points, others: Points) -> Points:
    """Squared distances between n x 2 and m x 2 places, n x m.

    Squared, because the square roots would take longer than everything else here.
    """
    x, y = ones[:, :1] - others[:, 0], ones[:, 1:] - others[:, 1]
    return np.asarray(x * x + y * y)


def within_reach(ones: Points, others: Points, reach: Points | float) -> Points:
    """Return which of n x 2 and m x 2 places are closer than `reach`, n x m, bool.

    `reach` is 0 or more: one number for all, one for each of the m others, or one for each pair.
    """
    return np.asarray(squared_distances(ones, others) < np.square(reach))
