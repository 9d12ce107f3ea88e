"""Load picture files, and cut excerpts that people may see."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.domain import TableError
from vision.geometry import PIXELS_MAX, Image, Rect
from vision.reading import PointPx

BYTES_MAX: Final = 200_000_000
"""More than any camera's file has; one that has more, or claims more pixels, is refused before it is decoded.

Source: no measurement on record.
"""


_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_END: Final = b"IEND\xaeB`\x82"
_JPEG_START: Final = b"\xff\xd8\xff"
_JPEG_END: Final = b"\xff\xd9"
_JPEG_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""First and last bytes of the two formats; markers of the JPEG segments that carry depth and size.

Source: ISO/IEC 15948 (PNG); ITU-T T.81, table B.1 (JPEG).
"""


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            # A folder; a pipe would wait for its writer, and a device may have no end.
            raise TableError("PICTURE_NOT_A_PICTURE", file=str(path))
        if path.stat().st_size > BYTES_MAX:
            raise TableError("PICTURE_TOO_LARGE", file=str(path))
        return path.read_bytes()
    except FileNotFoundError as error:
        raise TableError("PICTURE_MISSING", file=str(path)) from error
    except OSError as error:
        raise TableError("PICTURE_UNREADABLE", file=str(path)) from error


def _jpeg_header(data: bytes) -> tuple[int, int, int] | None:
    """Width, height and bits of a channel; None when no size segment is found."""
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_SIZES:
            height, width = (int.from_bytes(data[at + 5 + 2 * k : at + 7 + 2 * k], "big") for k in range(2))
            return width, height, data[at + 4]
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _header(data: bytes) -> tuple[int, int, int] | None:
    """Width, height and bits of a channel of either format."""
    if data.startswith(_PNG_START):
        if len(data) < 26:
            return None
        width, height = (int.from_bytes(data[16 + 4 * k : 20 + 4 * k], "big") for k in range(2))
        return width, height, data[24]
    return _jpeg_header(data)


def _check(data: bytes, file: str) -> None:
    """Refuse data that no decoder may process; raises as `load_picture` does."""
    if not data:
        raise TableError("PICTURE_EMPTY", file=file)
    if not data.startswith((_PNG_START, _JPEG_START)):
        raise TableError("PICTURE_NOT_A_PICTURE", file=file)
    header = _header(data)
    if header is None:
        raise TableError("PICTURE_TRUNCATED", file=file)
    width, height, depth = header
    if width * height > PIXELS_MAX:
        raise TableError("PICTURE_TOO_LARGE", file=file, width=width, height=height)
    # 32: pictures with a shorter side are refused: the smallest index that is accepted has 15 px
    # (`acceptance`). Source: no measurement on record.
    if min(width, height) < 32:
        raise TableError("PICTURE_TOO_SMALL", file=file, width=width, height=height)
    # 8: bits of a channel: the reader works on bytes.
    if depth > 8:
        raise TableError("PICTURE_DEPTH", file=file, bits=depth)
    end = _PNG_END if data.startswith(_PNG_START) else _JPEG_END
    # 4096: the mark of a file's end is looked for in its last bytes, since something may follow it. Source:
    # no measurement on record.
    if end not in data[-4096:]:
        raise TableError("PICTURE_TRUNCATED", file=file)


def load_picture(path: Path) -> Image:
    """The picture as BGR, in its stored orientation.

    Raises TableError PICTURE_MISSING, _UNREADABLE, _EMPTY, _NOT_A_PICTURE, _TRUNCATED, _TOO_LARGE, _TOO_SMALL
    or _DEPTH (more than 8 bits a channel), each with `file`.
    """
    data = _read(path)
    _check(data, str(path))
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise TableError("PICTURE_TRUNCATED", file=str(path)) from error
    if image is None:
        raise TableError("PICTURE_TRUNCATED", file=str(path))
    return image


CELLS: Final = 16
"""What may not be shown is blackened in about so many squares to a side: `shown` is asked for each corner.

Source: no measurement on record.
"""

_EXCERPT_MIN_PX: Final = 16
_EXCERPT_MAX_PX: Final = 480
_ENLARGED_MAX: Final = 3.0
_JPEG_QUALITY: Final = 82
"""Smaller parts are not shown; the picture is enlarged up to so many times, and no larger than that.

Source: no measurement on record.
"""


def masked_excerpt(
    image: Image,
    rect: Rect,
    shown: Callable[[PointPx], bool],
    side_max_px: int = _EXCERPT_MAX_PX,
    cells: int = CELLS,
) -> bytes | None:
    """Return a rectangle of the picture as JPEG, of limited size, black where `shown` is False.

    `cells` is the approximate number of squares a side that are shown or blackened as a whole. None where the
    rectangle lies outside the picture or nothing may be shown.
    """
    height, width = image.shape[:2]
    left, top = max(rect[0], 0), max(rect[1], 0)
    part = image[top : min(rect[3], height), left : min(rect[2], width)].copy()
    if min(part.shape[:2]) < _EXCERPT_MIN_PX or not _blacken(part, (left, top), shown, cells):
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
    # (16, 13, 10): colour of what is not shown.
    part[~mask] = (16, 13, 10)
    return bool(open_cells.any())
