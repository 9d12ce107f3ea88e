"""The compiled part of the reader, if `tools.compile` could build it; else OpenCV and numpy do the same.

The functions hold no lock of Python's while they work, so that two threads get two cores.
"""

import ctypes
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from vision.geometry import Image, Points

FIELDS: Final = 13
PIECES_MAX: Final = 60_000
"""Pieces of ink in one picture; what is beyond is not looked at."""

LEAST_PX: Final = 5
LIBRARY: Final = "_kernel.so"

COLUMNS_MAX: Final = 256
"""Width of the widest crop."""

BYTES_MAX: Final = 2**31 - 1
"""Size of the largest picture that crops are cut out of."""

SURVEY_PX: Final = 1024
SURVEY_SCALE: Final = 4
SURVEY_PATCH: Final = 4
"""The survey's picture is so wide and so many times smaller at most, and taken in squares of that side."""

_P, _N, _L, _D = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_double


class EvenRule(ctypes.Structure):
    """How crops are evened and measured; see `Rule` in crops.c."""

    _fields_ = (
        ("darker", ctypes.c_int32),
        ("floor", ctypes.c_float),
        ("tone", ctypes.c_float),
        ("bright", ctypes.c_float),
        ("columns", ctypes.c_int32 * 2),
        ("rows", ctypes.c_int32 * 4),
    )


class GainRule(ctypes.Structure):
    """How bright a picture is made for the survey; see `Rule` in survey.c."""

    _fields_ = (
        ("share", ctypes.c_double),
        ("tone", ctypes.c_double),
        ("least", ctypes.c_double),
        ("most", ctypes.c_double),
    )


class SpotRule(ctypes.Structure):
    """Which pieces of ink are spots; see `SpotRule` in pairs.c."""

    _fields_ = (
        ("longest", _D * 2), ("shortest", _D), ("filled", _D), ("place", _D), ("area", _D * 2),
        ("contrast", _D),
    )  # fmt: skip


class PairRule(ctypes.Structure):
    """Which spots belong together; see `PairRule` in pairs.c."""

    _fields_ = (
        ("rank_reach", _D), ("pip_reach", _D), ("span", _D), ("merge_reach", _D), ("merge_size", _D * 2),
        ("merge_tint", _D), ("pair_reach", _D), ("apart", _D), ("touch", _D * 2), ("pip_size", _D * 2),
        ("tint", _D), ("wide", _D), ("slim", _D * 2), ("stretch", _D * 2), ("long_area", _D),
        ("long_reach", _D),
    )  # fmt: skip


_ARGUMENTS: Final = {
    "find_ink": (_N, [_P, _L, _P, _P, _N, _N, _N, _P, _N, _N, _P, _N]),
    "spots_of_pieces": (_N, [_P, _N, ctypes.POINTER(SpotRule), _D, _P, _P, _P, _P]),
    "pair_spots": (_N, [_P, _P, _P, _P, _N, ctypes.POINTER(PairRule), _N, _P, _P, _P, _N]),
    "mean_darkest": (None, [_P, _N, _N, _P]),
    "sample_pixels": (None, [_P, _L, _N, _N, _N, _N, _P]),
    "cut_crops": (None, [_P, _L, _N, _N, _P, _N, _N, _N, _N, _P]),
    "even_crops": (None, [_P, _N, _N, _N, ctypes.POINTER(EvenRule), _N, _P, _P, _P]),
    "survey_patches": (None, [_P, _L, _N, _N, _N, ctypes.POINTER(GainRule), _N, _N, _P]),
}


def mark_of_sources() -> int:
    """A number that the library carries: of its C sources and of this module, which agree on arguments."""
    sources = [Path(__file__), *sorted(Path(__file__).parent.glob("*.c"))]
    return zlib.crc32(b"".join(path.read_bytes() for path in sources))


@cache
def _library() -> ctypes.CDLL | None:
    """The compiled functions beside this module.

    None where they were not built, do not load here, or were built from other sources than these: calling
    such functions could end the process.
    """
    path = Path(__file__).with_name(LIBRARY)
    if not path.is_file():
        return None
    try:
        library = ctypes.CDLL(str(path))
        if library.mark() & 0xFFFFFFFF != mark_of_sources():
            return None
        for name, (result, arguments) in _ARGUMENTS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):
        return None
    return library


def is_compiled() -> bool:
    """Whether the compiled functions are there."""
    return _library() is not None


def _packed(image: Image) -> Image:
    """The same picture with its channels, pixels and rows one after the other in memory."""
    assert image.dtype == np.uint8
    in_order = image.strides[1:] == (3, 1) and image.strides[0] >= 3 * image.shape[1]
    return image if in_order else np.ascontiguousarray(image)


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


def spots_of(pieces: Points, rule: SpotRule, white: float) -> tuple[Points, ...] | None:
    """Centres, spreads, areas and redness of the spots among `pieces_of_ink`, as `ink.Spots` describes them.

    `white` is the brightness of the whitest paper. None where the compiled functions are not there or have
    no memory.
    """
    library = _library()
    if library is None:
        return None
    given, count = np.ascontiguousarray(pieces, np.float64), len(pieces)
    assert given.shape == (count, FIELDS)
    spots = np.empty((count, 2)), np.empty((count, 2, 2)), np.empty(count), np.empty(count)
    found = library.spots_of_pieces(
        given.ctypes.data, count, rule, white, *(column.ctypes.data for column in spots)
    )
    return None if found < 0 else tuple(column[:found] for column in spots)


def paired(spots: Sequence[Points], rule: PairRule, unions: int, room: int) -> tuple[Points, ...] | None:
    """Centres, downs and heights of the candidates among spots, as `geometry.IndexPoses` describes them.

    `spots` as `spots_of` gives them. At most `unions` pairs of them are taken for one spot, and candidates
    beyond `room` are not looked at. None where the compiled functions are not there or have no memory.
    """
    library = _library()
    if library is None:
        return None
    given, count = [np.ascontiguousarray(column, np.float64) for column in spots], len(spots[0])
    assert [column.shape for column in given] == [(count, 2), (count, 2, 2), (count,), (count,)]
    places = np.empty((room, 2)), np.empty((room, 2)), np.empty(room)
    found = library.pair_spots(
        *(column.ctypes.data for column in given), count, rule, unions,
        *(column.ctypes.data for column in places), room,
    )  # fmt: skip
    return None if found < 0 else tuple(column[:found] for column in places)


def sampled(image: Image, first: int, step: int, rows: int, columns: int) -> Image | None:
    """Every `step`-th pixel and row of a picture from `first` on; None without the compiled functions."""
    library = _library()
    if library is None:
        return None
    assert not rows or first + (rows - 1) * step < image.shape[0]
    assert not columns or first + (columns - 1) * step < image.shape[1]
    pixels, sample = _packed(image), np.empty((rows, columns, 3), np.uint8)
    library.sample_pixels(
        pixels.ctypes.data, pixels.strides[0], first, step, rows, columns, sample.ctypes.data
    )
    return sample


def darkest_means(sample: Image) -> Image | None:
    """Means of the darkest channel over each 2 x 2 pixels of an even sample; None if not compiled."""
    library = _library()
    if library is None or sample.shape[0] % 2 or sample.shape[1] % 2:
        return None
    given, means = (
        np.ascontiguousarray(sample),
        np.empty((sample.shape[0] // 2, sample.shape[1] // 2), np.uint8),
    )
    assert given.dtype == np.uint8
    library.mean_darkest(given.ctypes.data, *means.shape, means.ctypes.data)
    return means


def crops_at(image: Image, matrices: Points, height_px: int, width_px: int) -> Image | None:
    """Crops of a picture, n x height x width x 3, bilinear; outside the picture its border repeats.

    `matrices` (n x 2 x 3, or n x 3 x 3 in perspective) lead from a crop's pixels to the picture's. None where
    the compiled functions are not there, or where the picture is one line or more than `BYTES_MAX`.
    """
    library = _library()
    if library is None or min(image.shape[:2]) < 2:
        return None
    pixels, places = _packed(image), np.ascontiguousarray(matrices, np.float64)
    if pixels.strides[0] * len(pixels) > BYTES_MAX:
        return None
    assert matrices.shape[1:] in {(2, 3), (3, 3)}
    assert height_px > 0
    assert 0 < width_px <= COLUMNS_MAX
    crops = np.empty((len(places), height_px, width_px, 3), np.uint8)
    library.cut_crops(
        pixels.ctypes.data, pixels.strides[0], image.shape[1], image.shape[0], places.ctypes.data,
        3 * places.shape[1], len(places), height_px, width_px, crops.ctypes.data,
    )  # fmt: skip
    return crops


def evened_crops(
    crops: Image, rule: EvenRule, *, folded: bool, tinted: bool
) -> tuple[Image, Points, Points] | None:
    """Crops with their light taken out, the share of paper (n) in each, tints of rank and pip (n x 2 x 3).

    `folded` as by `inference.space_to_depth`; tints only where `tinted`, else 0 x 2 x 3. None where the
    compiled functions are not there.
    """
    library = _library()
    if library is None:
        return None
    count, height, width, channels = crops.shape
    assert crops.dtype == np.uint8
    assert channels == 3
    assert 0 < width <= COLUMNS_MAX
    assert not folded or height % 2 == width % 2 == 0
    assert 0 <= rule.columns[0] <= rule.columns[1] <= width
    assert all(0 <= row <= height for row in rule.rows)
    given = np.ascontiguousarray(crops)
    shape = (count, height // 2, width // 2, 12) if folded else given.shape
    evened, paper = np.empty(shape, np.uint8), np.empty(count, np.float32)
    tints = np.empty((count if tinted else 0, 2, 3), np.float32)
    library.even_crops(
        given.ctypes.data, count, height, width, rule, folded, evened.ctypes.data, paper.ctypes.data,
        tints.ctypes.data if tinted else None,
    )  # fmt: skip
    return evened, paper, tints


def survey_patches(image: Image, scale: int, align: int, rule: GainRule) -> Image | None:
    """A picture made `scale` times smaller and evenly bright: rows x columns x tones of a square of pixels.

    Rows and columns are multiples of `align`; beyond the picture its border repeats. None where the compiled
    functions are not there, and for a picture that is too large or no multiple of `scale` high and wide.
    """
    library, (height, width) = _library(), image.shape[:2]
    if library is None or not image.size or scale > SURVEY_SCALE or height % scale or width % scale:
        return None
    assert width <= scale * SURVEY_PX
    square = scale * SURVEY_PATCH
    rows, columns = (-(-side // (square * align)) * align for side in (height, width))
    pixels, patches = _packed(image), np.empty((rows, columns, 3 * SURVEY_PATCH**2), np.uint8)
    library.survey_patches(
        pixels.ctypes.data, pixels.strides[0], width // scale, height // scale, scale, rule, rows, columns,
        patches.ctypes.data,
    )  # fmt: skip
    return patches
