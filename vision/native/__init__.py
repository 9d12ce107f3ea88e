"""Arrays in, arrays out: the reader's compiled functions and their bindings. Imports geometry.

Every function checks its arguments first, and raises ConfigError READER_NOT_COMPILED where there is nothing
to call, MemoryError where there is no room. A picture is what `geometry.bgr_picture` takes, with its errors;
another argument of a wrong kind, shape or size raises TableError KERNEL_ARGUMENT. The checks are no `assert`:
`python -O` removes those, and a wrong length would end the process. The functions hold no lock of Python's
while they work, so that two threads get two cores.
"""

import ctypes
import operator
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from controller.domain import ConfigError, TableError
from vision.geometry import SIDE_MAX_PX, Image, Points, bgr_picture

COUNT_MAX: Final = 2**24
"""Most rows of a list of numbers, and most places to write such a list to: far from the end of C's int."""

BYTES_MAX: Final = 2**31 - 1
"""Size of the largest array of bytes, and of the largest picture that crops are cut out of."""


def unfit(name: str, given: object, wanted: str) -> TableError:
    """Return the error KERNEL_ARGUMENT with the argument's name, value and requirement."""
    return TableError("KERNEL_ARGUMENT", name=name, given=str(given), wanted=wanted)


def whole_number(name: str, given: Any, least: int, most: int) -> int:
    """Return a whole number between two limits as C's int; ctypes would truncate a larger one."""
    try:
        number = operator.index(given)
    except TypeError as error:
        raise unfit(name, type(given).__name__, "int") from error
    if not least <= number <= most:
        raise unfit(name, number, f"{least}..{most}")
    return number


def numbers(name: str, given: Any, *shape: int | None) -> Points:
    """Numbers as C's double, one after the other; None stands for any length up to COUNT_MAX."""
    _require_shape(name, given, shape, COUNT_MAX)
    try:
        return np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise unfit(name, type(given).__name__, _written(shape)) from error


def tones(name: str, given: Any, *shape: int | None) -> Image:
    """Bytes one after the other, BYTES_MAX at most; None stands for any length. No other kind is taken."""
    if not isinstance(given, np.ndarray) or given.dtype != np.uint8:
        raise unfit(name, getattr(given, "dtype", type(given).__name__), f"uint8 {_written(shape)}")
    _require_shape(name, given, shape, BYTES_MAX)
    # A view may repeat a byte of its own for ever: it is copied only once its size is known.
    if given.size > BYTES_MAX:
        raise unfit(name, given.shape, f"{BYTES_MAX} bytes")
    return np.ascontiguousarray(given)


def _require_shape(name: str, given: Any, shape: tuple[int | None, ...], longest: int) -> None:
    """Raise `unfit` where a number of dimensions or a side is another one, or above `longest`."""
    try:
        sides = np.shape(given)
    except ValueError as error:
        raise unfit(name, type(given).__name__, _written(shape)) from error
    fits = len(sides) == len(shape) and all(
        side <= longest if wanted is None else side == wanted
        for side, wanted in zip(sides, shape, strict=True)
    )
    if not fits:
        raise unfit(name, sides, _written(shape))


def _written(shape: tuple[int | None, ...]) -> str:
    return " x ".join("n" if side is None else str(side) for side in shape)


FOLDER: Final = Path(__file__).parent
LIBRARY: Final = "_kernel.so"
"""For every processor of its kind; in a source folder, for this one."""

FAST_LIBRARY: Final = "_kernel_avx2.so"
"""For processors of x86-64 with AVX2 and fused multiplication; only a wheel has it."""

_P, _N, _L, _D = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_double


class EvenRule(ctypes.Structure):
    """Parameters of evening and measuring crops; see `Rule` in crops.c."""

    _fields_ = (
        ("darker", ctypes.c_int32),
        ("floor", ctypes.c_float),
        ("tone", ctypes.c_float),
        ("bright", ctypes.c_float),
    )


class GainRule(ctypes.Structure):
    """Parameters of a picture's brightness for the survey; see `Rule` in survey.c."""

    _fields_ = (
        ("share", ctypes.c_double),
        ("tone", ctypes.c_double),
        ("least", ctypes.c_double),
        ("most", ctypes.c_double),
    )


class SpotRule(ctypes.Structure):
    """Limits of ink spots; see `SpotRule` in pairs.c."""

    _fields_ = (
        ("longest", _D * 2), ("shortest", _D), ("filled", _D), ("place", _D), ("area", _D * 2),
        ("contrast", _D),
    )  # fmt: skip


class PairRule(ctypes.Structure):
    """Limits of pairs of spots; see `PairRule` in pairs.c."""

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
    "even_crops": (None, [_P, _N, _N, _N, ctypes.POINTER(EvenRule), _N, _P, _P]),
    "runs_avx2": (_N, []),
    "survey_patches": (None, [_P, _L, _N, _N, _N, ctypes.POINTER(GainRule), _N, _N, _P]),
}


def mark_of_sources() -> int:
    """A number that the library carries: of its C sources and of this module, which agree on arguments."""
    sources = [Path(__file__), *sorted(FOLDER.glob("*.c"))]
    return zlib.crc32(b"".join(path.read_bytes() for path in sources))


@cache
def _chosen() -> tuple[str, ctypes.CDLL] | None:
    """The library for this processor, and its name: the fast one where the processor can run it."""
    library = _loaded(LIBRARY)
    if library is None:
        return None
    fast = _loaded(FAST_LIBRARY) if library.runs_avx2() else None
    return (FAST_LIBRARY, fast) if fast is not None else (LIBRARY, library)


def compiled_library() -> ctypes.CDLL:
    """The compiled functions beside this module.

    Raises ConfigError READER_NOT_COMPILED where they were not built, do not load here, or were built from
    other sources than these: calling such functions could end the process.
    """
    chosen = _chosen()
    if chosen is None:
        raise ConfigError("READER_NOT_COMPILED")
    return chosen[1]


def compiled_file() -> str | None:
    """Return the name of the loaded library's file; None without compiled functions."""
    chosen = _chosen()
    return None if chosen is None else chosen[0]


def is_compiled() -> bool:
    """Whether the compiled functions are available."""
    return _chosen() is not None


def _loaded(name: str) -> ctypes.CDLL | None:
    """Load one library with its functions' arguments; None where it cannot be used."""
    path = FOLDER / name
    if not path.is_file():
        return None
    try:
        library = ctypes.CDLL(str(path))
        if library.mark() & 0xFFFFFFFF != mark_of_sources():
            return None
        for function_name, (result, arguments) in _ARGUMENTS.items():
            function = getattr(library, function_name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):
        return None
    return library


FIELDS: Final = 13
PIECES_MAX: Final = 60_000
"""Pieces of ink in one picture; what is beyond is not looked at."""

LEAST_PX: Final = 5
_CHUNK_PX: Final = 8
LEVELS_MAX: Final = 4
"""Sides of cells are multiples of _CHUNK_PX, and ink is looked for at so many levels at most (`ink.c`)."""

_CELL_MAX_PX: Final = 1024
"""Longest side of a cell."""

COLUMNS_MAX: Final = 256
ROWS_MAX: Final = 4096
"""Width and height of the largest crop."""

SURVEY_PX: Final = 1024
SURVEY_SCALE: Final = 4
SURVEY_PATCH: Final = 4
"""The survey's picture is so wide and so many times smaller at most, and taken in squares of that side."""


def _with_room(found: int) -> int:
    """Return the number found; raises MemoryError for a negative one, where memory ran out."""
    if found < 0:
        raise MemoryError
    return found


def pieces_of_ink(image: Image, level: Image, paper: Image, cell: int, shares: tuple[int, ...]) -> Points:
    """Pieces of ink, n x FIELDS.

    `level` and `paper` (uint8, a value for each cell of `cell` pixels) say how bright the paper is and where
    there is paper, `shares` the parts in 256 of the brightness below which a pixel is ink. The columns are:
    number of the level, area, left, top, right, foot, sums of x, y, xx, yy, xy, of blue + green and of red.
    """
    pixels, bright = bgr_picture(image), tones("level", level, None, None)
    rows, columns = bright.shape
    where, cell = tones("paper", paper, rows, columns), whole_number("cell", cell, _CHUNK_PX, _CELL_MAX_PX)
    if cell % _CHUNK_PX or rows * cell > pixels.shape[0] or columns * cell > pixels.shape[1]:
        raise unfit("cell", f"{rows} x {columns} x {cell} px", f"{pixels.shape[0]} x {pixels.shape[1]} px")
    if len(shares) > LEVELS_MAX:
        raise unfit("shares", len(shares), f"0..{LEVELS_MAX}")
    parts = np.array([whole_number("share", share, 0, 256) for share in shares], np.intc)
    library = compiled_library()
    out = np.empty((PIECES_MAX, FIELDS))
    found = library.find_ink(
        pixels.ctypes.data, pixels.strides[0], bright.ctypes.data, where.ctypes.data, columns, rows, cell,
        parts.ctypes.data, len(parts), LEAST_PX, out.ctypes.data, PIECES_MAX,
    )  # fmt: skip
    return out[: _with_room(found)]


def spots_of(pieces: Points, rule: SpotRule, white: float) -> tuple[Points, ...]:
    """Centres, spreads, areas and redness of the spots among `pieces_of_ink`, as `ink.Spots` describes them.

    `white` is the brightness of the whitest paper.
    """
    given = numbers("pieces", pieces, None, FIELDS)
    # Sorted by x, the search walks on from the first one within this distance: below 0 it would not stop.
    if not rule.place >= 0:
        raise unfit("place", rule.place, "0 or more")
    library = compiled_library()
    count = len(given)
    spots = np.empty((count, 2)), np.empty((count, 2, 2)), np.empty(count), np.empty(count)
    found = library.spots_of_pieces(
        given.ctypes.data, count, rule, white, *(column.ctypes.data for column in spots)
    )
    return tuple(column[: _with_room(found)] for column in spots)


def paired(spots: Sequence[Points], rule: PairRule, unions: int, room: int) -> tuple[Points, ...]:
    """Centres, downs and heights of the candidates among spots, as `geometry.IndexPoses` describes them.

    `spots` as `spots_of` gives them. At most `unions` pairs of them are taken for one spot, and candidates
    beyond `room` are not looked at.
    """
    if len(spots) != 4:
        raise unfit("spots", len(spots), "4")
    centres = numbers("centres", spots[0], None, 2)
    count = len(centres)
    given = [
        centres,
        numbers("spreads", spots[1], count, 2, 2),
        numbers("areas", spots[2], count),
        numbers("redness", spots[3], count),
    ]
    unions, room = whole_number("unions", unions, 0, COUNT_MAX), whole_number("room", room, 0, COUNT_MAX)
    library = compiled_library()
    places = np.empty((room, 2)), np.empty((room, 2)), np.empty(room)
    found = library.pair_spots(
        *(column.ctypes.data for column in given), count, rule, unions,
        *(column.ctypes.data for column in places), room,
    )  # fmt: skip
    return tuple(column[: _with_room(found)] for column in places)


def sampled(image: Image, first: int, step: int, rows: int, columns: int) -> Image:
    """Every `step`-th pixel and row of a picture from `first` on."""
    pixels = bgr_picture(image, empty=True)
    height, width, _ = pixels.shape
    first, step = whole_number("first", first, 0, SIDE_MAX_PX), whole_number("step", step, 1, SIDE_MAX_PX)
    rows = whole_number("rows", rows, 0, max(0, -(-(height - first) // step)))
    columns = whole_number("columns", columns, 0, max(0, -(-(width - first) // step)))
    library = compiled_library()
    sample = np.empty((rows, columns, 3), np.uint8)
    library.sample_pixels(
        pixels.ctypes.data, pixels.strides[0], first, step, rows, columns, sample.ctypes.data
    )
    return sample


def darkest_means(sample: Image) -> Image:
    """Means of the darkest channel over each 2 x 2 pixels of an even sample."""
    given = tones("sample", sample, None, None, 3)
    height, width, _ = given.shape
    if height % 2 or width % 2:
        raise unfit("sample", given.shape, "even height and width")
    library = compiled_library()
    means = np.empty((height // 2, width // 2), np.uint8)
    library.mean_darkest(given.ctypes.data, *means.shape, means.ctypes.data)
    return means


def crops_at(image: Image, matrices: Points, height_px: int, width_px: int) -> Image:
    """Crops of a picture, n x height x width x 3, bilinear; outside the picture its border repeats.

    `matrices` (n x 2 x 3, or n x 3 x 3 in perspective) lead from a crop's pixels to the picture's.
    """
    pixels = bgr_picture(image)
    places = numbers("matrices", matrices, None, 3 if np.shape(matrices)[1:2] == (3,) else 2, 3)
    height_px = whole_number("height_px", height_px, 1, ROWS_MAX)
    width_px = whole_number("width_px", width_px, 1, COLUMNS_MAX)
    library = compiled_library()
    if min(pixels.shape[:2]) < 2 or pixels.strides[0] * len(pixels) > BYTES_MAX:
        pixels = np.pad(pixels, ((0, 1), (0, 1), (0, 0)), "edge")
    crops = np.empty((len(places), height_px, width_px, 3), np.uint8)
    library.cut_crops(
        pixels.ctypes.data, pixels.strides[0], pixels.shape[1], pixels.shape[0], places.ctypes.data,
        3 * places.shape[1], len(places), height_px, width_px, crops.ctypes.data,
    )  # fmt: skip
    return crops


def evened_crops(crops: Image, rule: EvenRule, *, folded: bool) -> tuple[Image, Points]:
    """Crops with their light taken out, and the share of paper (n) in each.

    `folded` as by `inference.space_to_depth`.
    """
    given = tones("crops", crops, None, None, None, 3)
    count, height, width, _ = given.shape
    whole_number("count", count, 0, COUNT_MAX)
    whole_number("height", height, 1, ROWS_MAX)
    whole_number("width", width, 1, COLUMNS_MAX)
    if folded and (height % 2 or width % 2):
        raise unfit("crops", given.shape, "even height and width")
    library = compiled_library()
    shape = (count, height // 2, width // 2, 12) if folded else given.shape
    evened, paper = np.empty(shape, np.uint8), np.empty(count, np.float32)
    library.even_crops(
        given.ctypes.data, count, height, width, rule, folded, evened.ctypes.data, paper.ctypes.data
    )
    return evened, paper


def survey_patches(image: Image, scale: int, align: int, rule: GainRule) -> Image | None:
    """A picture made `scale` times smaller and evenly bright: rows x columns x tones of a square of pixels.

    Rows and columns are multiples of `align`; beyond the picture its border repeats. None for a
    picture that is no multiple of `scale` high and wide, or that would be made smaller than one
    `SURVEY_SCALE`-th.
    """
    pixels = bgr_picture(image)
    height, width, _ = pixels.shape
    scale, align = whole_number("scale", scale, 1, COUNT_MAX), whole_number("align", align, 1, SURVEY_PX)
    # The tone that is searched for has to be one of the picture's: the search ends there.
    if not 0 <= rule.share <= 1:
        raise unfit("share", rule.share, "0..1")
    if scale > SURVEY_SCALE or height % scale or width % scale:
        return None
    square = scale * SURVEY_PATCH
    rows, columns = (-(-side // (square * align)) * align for side in (height, width))
    if columns * SURVEY_PATCH > SURVEY_PX:
        raise unfit("width", f"{width} px, {scale} times smaller, in {align}", f"{SURVEY_PX} px at most")
    library = compiled_library()
    patches = np.empty((rows, columns, 3 * SURVEY_PATCH**2), np.uint8)
    library.survey_patches(
        pixels.ctypes.data, pixels.strides[0], width // scale, height // scale, scale, rule, rows, columns,
        patches.ctypes.data,
    )  # fmt: skip
    return patches
