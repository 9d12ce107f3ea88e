"""Choose and load the library of compiled functions, and declare their arguments for ctypes.

`arguments` checks the arguments, `kernel` calls the functions.
"""

import ctypes
import zlib
from functools import cache
from pathlib import Path
from typing import Final

from controller.domain import ConfigError

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
