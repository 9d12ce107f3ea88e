"""Check the arguments of the C functions, which trust every length and pointer.

The checks are no `assert`: `python -O` removes those, and a wrong length would end the process.
"""

import operator
from typing import Any, Final

import numpy as np

from controller.domain import TableError
from vision.geometry import Image, Points

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
