"""The compiled search for ink, where `tools.compile` could build it; OpenCV does the same otherwise."""

import ctypes
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from vision.arrays import Image, Points

FIELDS: Final = 13
PIECES_MAX: Final = 60_000
"""Pieces of ink in one picture; what is beyond is not looked at."""

LEAST_PX: Final = 5
LIBRARY: Final = "_ink.so"

_P, _N, _L = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64


@cache
def _library() -> ctypes.CDLL | None:
    """The compiled search beside this module; None where it was not built or does not load here."""
    path = Path(__file__).with_name(LIBRARY)
    if not path.is_file():
        return None
    try:
        library = ctypes.CDLL(str(path))
        library.find_ink.argtypes = [_P, _L, _P, _P, _N, _N, _N, _P, _N, _N, _P, _N]
        library.find_ink.restype = _N
    except (OSError, AttributeError):
        return None
    return library


def is_compiled() -> bool:
    """Whether the compiled search is there."""
    return _library() is not None


def _packed(image: Image) -> Image:
    """The same picture with its three channels side by side in memory."""
    assert image.dtype == np.uint8
    return image if image.strides[1:] == (3, 1) else np.ascontiguousarray(image)


def pieces_of_ink(
    image: Image, level: Image, paper: Image, cell: int, shares: tuple[int, ...]
) -> Points | None:
    """Pieces of ink, n x FIELDS; None where the compiled search is not there or has no memory.

    `level` and `paper` (uint8, a value for each cell of `cell` pixels) tell how bright the paper is and where
    there is paper, `shares` the parts in 256 of the brightness below which a pixel is ink. The columns are:
    number of the level, area, left, top, right, foot, sums of x, y, xx, yy, xy, of blue + green and of red.
    """
    library = _library()
    if library is None:
        return None
    rows, columns = level.shape
    assert paper.shape == level.shape
    assert image.shape[0] >= rows * cell
    assert image.shape[1] >= columns * cell
    pixels, parts = _packed(image), np.array(shares, np.intc)
    bright, where = np.ascontiguousarray(level), np.ascontiguousarray(paper)
    out = np.empty((PIECES_MAX, FIELDS))
    found = library.find_ink(
        pixels.ctypes.data, pixels.strides[0], bright.ctypes.data, where.ctypes.data, columns, rows, cell,
        parts.ctypes.data, len(shares), LEAST_PX, out.ctypes.data, PIECES_MAX,
    )  # fmt: skip
    return None if found < 0 else out[:found]
