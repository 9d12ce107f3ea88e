"""Validate pictures for the card reader, before C code or a network sees them."""

from typing import Any, Final

import numpy as np

from controller.domain import TableError
from vision.geometry.arrays import Image

PIXELS_MAX: Final = 80_000_000
"""More than any camera that is read gives.

Source: no measurement on record.
"""

SIDE_MAX_PX: Final = 2**20
"""Longest side. Sums of squares along such a side stay below 2**63 (`ink.c`)."""


_GREY_MOST: Final = 4
"""A picture is grey where no pixel's channels differ by more grey levels: JPEG rounds each of them.

Source: the channels of 17 drawn tables, made grey and packed as JPEG of quality 60 to 95, differ by none.
"""


def is_grey(picture: Image) -> bool:
    """Whether a BGR picture has no colours, as from an infrared camera."""
    return bool(picture.size) and int((picture.max(2) - picture.min(2)).max()) <= _GREY_MOST


def bgr_picture(image: Any, *, empty: bool = False) -> Image:
    """Return the picture contiguous in memory, as the C functions require.

    A view with another pixel order (turned, mirrored, every second pixel, swapped channels) is copied; a part
    of a larger picture is not. `empty` permits a picture without pixels.

    Raises TableError PICTURE_ARRAY_KIND (no array of uint8), PICTURE_ARRAY_CHANNELS (not height x width x 3),
    PICTURE_ARRAY_EMPTY or PICTURE_ARRAY_TOO_LARGE.
    """
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        raise TableError("PICTURE_ARRAY_KIND", kind=str(getattr(image, "dtype", type(image).__name__)))
    if image.ndim != 3 or image.shape[2] != 3:
        raise TableError("PICTURE_ARRAY_CHANNELS", shape=" x ".join(map(str, image.shape)) or "0")
    height, width, _ = image.shape
    if not (image.size or empty):
        raise TableError("PICTURE_ARRAY_EMPTY", width=width, height=height)
    if height * width > PIXELS_MAX or max(height, width) > SIDE_MAX_PX:
        raise TableError("PICTURE_ARRAY_TOO_LARGE", width=width, height=height)
    in_order = image.strides[1:] == (3, 1) and image.strides[0] >= 3 * width
    return image if in_order else np.ascontiguousarray(image)
