"""Array types of the reader."""

from typing import Any

import numpy.typing as npt

Image = npt.NDArray[Any]
"""uint8, height x width x 3 (BGR) or height x width (grey or mask)."""

Points = npt.NDArray[Any]
"""float, n x 2, pixels, x before y."""
