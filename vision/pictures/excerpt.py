"""A small picture of a place on the felt, for a person who is asked what lies there."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from vision.geometry.arrays import Image
from vision.reading import Place

CELLS: Final = 16
"""What may not be shown is blackened in squares, about so many to a side: each corner has to be asked for."""

SIDE_LEAST: Final = 16
SIDE_MOST: Final = 480
ENLARGED_MOST: Final = 3.0
QUALITY: Final = 82
BLANK: Final = (16, 13, 10)
"""Blue, green and red of what is not shown."""

Rect = tuple[int, int, int, int]


def cut(image: Image, rect: Rect, shown: Callable[[Place], bool]) -> bytes | None:
    """JPEG of the rectangle (left, top, right, foot), blackened where `shown` says no.

    None where nothing of it lies in the picture or may be shown.
    """
    height, width = image.shape[:2]
    left, top = max(rect[0], 0), max(rect[1], 0)
    part = image[top : min(rect[3], height), left : min(rect[2], width)].copy()
    if min(part.shape[:2]) < SIDE_LEAST or not _blacken(part, (left, top), shown):
        return None
    scale = min(ENLARGED_MOST, SIDE_MOST / max(part.shape[:2]))
    way = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    sized = cv2.resize(part, None, fx=scale, fy=scale, interpolation=way)
    good, data = cv2.imencode(".jpg", sized, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return data.tobytes() if good else None


def _blacken(part: Image, corner: tuple[int, int], shown: Callable[[Place], bool]) -> bool:
    """Blacken what may not be shown, in place; False when that is all of it.

    A square counts as shown only when its four corners do, so that a border cuts nothing in two.
    """
    cell = -(-max(part.shape[:2]) // CELLS)
    rows, columns = (-(-side // cell) for side in part.shape[:2])
    at = np.array(
        [
            [shown((corner[0] + x * cell, corner[1] + y * cell)) for x in range(columns + 1)]
            for y in range(rows + 1)
        ]
    )
    open_cells = at[:-1, :-1] & at[1:, :-1] & at[:-1, 1:] & at[1:, 1:]
    mask = open_cells.repeat(cell, 0).repeat(cell, 1)[: part.shape[0], : part.shape[1]]
    part[~mask] = BLANK
    return bool(open_cells.any())
