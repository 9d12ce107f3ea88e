"""How many cards lie between the foils: the thickness sensor's capacity, and what a hand above does to it.

The lower foil is measured (FDC1004, CIN1), a shield driven by the chip (SHLD1) lies below it, and the foil
above the cards is on ground: a hand over the roof sees ground alone.
"""

import math
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from design.geometry import FINGER, PLATES, READER, Design

EPSILON_0: Final = 8.854e-12
"""Farad a metre."""

PETG: Final = 2.9
CARD: Final = 3.0
"""Permittivities of print, and of paper with plastic. Source: estimates; a hand acts as ground."""

CARD_MM: Final = 0.31
SKIN_MM: Final = 0.8
"""Print between each foil and the cards."""

GLUE_MM: Final = (0.0, 0.4)
"""Air that may stay under the two foils together, however they are glued."""

COUNTS_PER_FARAD: Final = 2**19 * 1e12
"""FDC1004: 24 bits, of which 2^19 are a picofarad (TI, SNOSCY5B, section 8.6.1)."""

RESOLUTION_FARAD: Final = 0.5e-15
_RANGE_FARAD: Final = 15e-12
"""The same data sheet: what it resolves, and how far it measures without offset."""


def apart_mm(design: Design = READER) -> float:
    """From foil to foil: the tunnel and two skins of print."""
    return design.height + 2 * SKIN_MM


def _farad(sheets: float, air_mm: float = 0.0, design: Design = READER) -> float:
    """Capacity of the foils with so many cards between them, and so much air under the foils."""
    cards = sheets * CARD_MM
    gap = 2 * SKIN_MM / PETG + design.height - cards + cards / CARD + air_mm
    area = (PLATES.x1 - PLATES.x0) * (PLATES.y1 - PLATES.y0)
    return EPSILON_0 * area / gap / 1000


def counts(sheets: float, air_mm: float = 0.0, design: Design = READER) -> float:
    """By how much so many cards raise the chip's result: `card_counts` for one card."""
    return (_farad(sheets, air_mm, design) - _farad(0, air_mm, design)) * COUNTS_PER_FARAD


def percent(sheets: float, air_mm: float, card_counts: float) -> float:
    """What the firmware makes of so many cards, with this setting for one."""
    return 100 * counts(sheets, air_mm) / card_counts


RIM_MM: Final = 2.0
"""How far the driven shield reaches beyond the measured foil, in its plane, too."""

CELL_MM: Final = 0.4
"""The field is computed on squares of this side. Half of it changes the card's share by less than a tenth."""


@cache
def field_farad(
    *, hand_mm: float | None = None, finger: bool = False, sensed_below: bool = True, sheets: int = 0
) -> float:
    """Capacity to ground of the measured foil, from the field in a cut across the way, times its length.

    `hand_mm`: so far above the roof a grounded slab lies over everything; None: none. `finger`: one lies in
    the slot beside the foils, down to the card. `sensed_below`: the lower foil is measured over its shield,
    and the upper one is ground; else the upper one is measured, as this reader's first version had it.
    """
    wide, deep, roof = 44.0, 12.0, 2.4
    low, high = -SKIN_MM, READER.height + SKIN_MM
    ny, nz = round(wide / CELL_MM), round((deep + 60.0) / CELL_MM)

    def row(z: float) -> int:
        return round((z + deep) / CELL_MM)

    def column(y: float) -> int:
        return round((y + wide / 2) / CELL_MM)

    half = (PLATES.y1 - PLATES.y0) / 2
    epsilon = np.ones((nz, ny))
    epsilon[row(-2.4) : row(0.0)] = PETG
    epsilon[row(READER.height) : row(READER.height + roof)] = PETG
    if sheets:
        epsilon[row(0.4) : row(0.4) + sheets] = CARD * CARD_MM / CELL_MM + 1 - CARD_MM / CELL_MM
    fixed: NDArray[np.bool_] = np.zeros((nz, ny), bool)
    volt = np.zeros((nz, ny))
    fixed[0] = fixed[-1] = True
    fixed[:, 0] = fixed[:, -1] = True
    sensed = low if sensed_below else high
    other, reach = (high, half + 3.0) if sensed_below else (low, half)
    fixed[row(other), column(-reach) : column(reach)] = True
    if sensed_below:
        # The shield's rim comes up beside the foil: a finger in the slot finds its field, not the foil's.
        rim = column(-half - RIM_MM)
        driven = [(row(low) - 4, slice(rim, column(half + RIM_MM)))]
        driven += [
            (row(low), slice(rim, column(-half) - 1)),
            (row(low), slice(column(half) + 1, column(half + RIM_MM))),
        ]
        for place in driven:
            fixed[place], volt[place] = True, 1.0
    plate = slice(column(-half), column(half))
    fixed[row(sensed), plate], volt[row(sensed), plate] = True, 1.0
    if finger:
        beside = FINGER[1] - (PLATES.y0 + PLATES.y1) / 2
        fixed[row(CARD_MM + 0.1) : row(20.0), : column(beside)] = True
    if hand_mm is not None:
        fixed[row(READER.height + roof + hand_mm) :] = True
    _relax(volt, fixed, epsilon)
    return _charge(volt, epsilon, row(sensed), plate) * EPSILON_0 * (PLATES.x1 - PLATES.x0) / 1000


def hand_share(*, hand_mm: float | None = None, finger: bool = False, sensed_below: bool = True) -> float:
    """What a hand adds to the measured foil, in cards."""
    empty = field_farad(sensed_below=sensed_below)
    card = field_farad(sensed_below=sensed_below, sheets=1) - empty
    return (field_farad(hand_mm=hand_mm, finger=finger, sensed_below=sensed_below) - empty) / card


def _sides(epsilon: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The permittivity between each cell and its four neighbours: two in series."""

    def between(axis: int, step: int) -> NDArray[np.float64]:
        other = np.roll(epsilon, step, axis)
        return 2 * epsilon * other / (epsilon + other)

    return between(0, 1), between(0, -1), between(1, 1), between(1, -1)


def _relax(volt: NDArray[np.float64], fixed: NDArray[np.bool_], epsilon: NDArray[np.float64]) -> None:
    """Solve Laplace's equation by successive over-relaxation, red and black cells in turn."""
    sides = _sides(epsilon)
    total = sum(sides)
    z, y = np.indices(volt.shape)
    colours = [((z + y) % 2 == colour) & ~fixed for colour in (0, 1)]
    over = 2 / (1 + math.sin(math.pi / max(volt.shape)))
    for _ in range(4 * max(volt.shape)):
        for free in colours:
            near = sum(
                side * np.roll(volt, step, axis)
                for side, (axis, step) in zip(sides, ((0, 1), (0, -1), (1, 1), (1, -1)), strict=True)
            )
            volt[free] += over * (near / total - volt)[free]


def _charge(volt: NDArray[np.float64], epsilon: NDArray[np.float64], row: int, plate: slice) -> float:
    """The field's flux out of the measured foil, for a volt on it."""
    up, down, left, right = _sides(epsilon)
    flux = 0.0
    for side, (axis, step) in ((up, (0, 1)), (down, (0, -1)), (left, (1, 1)), (right, (1, -1))):
        flux += float((side * (volt - np.roll(volt, step, axis)))[row, plate].sum())
    return flux
