"""Cut a small picture of a place on the felt, for a person who has to decide what lies there."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from vision.geometry import Image, Rect
from vision.reading import PointPx

CELLS: Final = 16
"""What may not be shown is blackened in about so many squares to a side: `shown` is asked for each corner.

Source: no measurement on record.
"""

SIDE_MIN_PX: Final = 16
SIDE_MAX_PX: Final = 480
_ENLARGED_MAX: Final = 3.0
_JPEG_QUALITY: Final = 82
"""Smaller parts are not shown; the picture is enlarged up to so many times, and no larger than that.

Source: no measurement on record.
"""

_BLANK_BGR: Final = (16, 13, 10)
"""Colour of what is not shown."""


def masked_excerpt(
    image: Image,
    rect: Rect,
    shown: Callable[[PointPx], bool],
    side_max_px: int = SIDE_MAX_PX,
    cells: int = CELLS,
) -> bytes | None:
    """Return a rectangle of the picture as JPEG, of limited size, black where `shown` is False.

    `cells` is the approximate number of squares a side that are shown or blackened as a whole. None where the
    rectangle lies outside the picture or nothing may be shown.
    """
    height, width = image.shape[:2]
    left, top = max(rect[0], 0), max(rect[1], 0)
    part = image[top : min(rect[3], height), left : min(rect[2], width)].copy()
    if min(part.shape[:2]) < SIDE_MIN_PX or not _blacken(part, (left, top), shown, cells):
        return None
    scale = min(_ENLARGED_MAX, side_max_px / max(part.shape[:2]))
    interpolation = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    sized = cv2.resize(part, None, fx=scale, fy=scale, interpolation=interpolation)
    good, data = cv2.imencode(".jpg", sized, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return data.tobytes() if good else None


def _blacken(part: Image, corner: tuple[int, int], shown: Callable[[PointPx], bool], cells: int) -> bool:
    """Blacken squares that may not be shown, in place; return False when that is all of them.

    `corner` is the part's upper left in the whole picture. A square is shown only when all four corners may
    be: a square on a box's border is blackened as a whole.
    """
    cell = -(-max(part.shape[:2]) // cells)
    rows, columns = (-(-side // cell) for side in part.shape[:2])
    at = np.array(
        [
            [shown((corner[0] + x * cell, corner[1] + y * cell)) for x in range(columns + 1)]
            for y in range(rows + 1)
        ]
    )
    open_cells = at[:-1, :-1] & at[1:, :-1] & at[:-1, 1:] & at[1:, 1:]
    mask = open_cells.repeat(cell, 0).repeat(cell, 1)[: part.shape[0], : part.shape[1]]
    part[~mask] = _BLANK_BGR
    return bool(open_cells.any())
