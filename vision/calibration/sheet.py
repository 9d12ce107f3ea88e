"""The printed calibration sheets: a ChArUco board each, told apart by the ids of its markers.

A board is a grid of cells of 4.5 mm: a square has eight, a marker six. Millimetres on a sheet count from the
upper left corner of its board.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from controller.domain import ConfigError
from vision.geometry import Image, Points

SQUARE_MM: Final = 36.0
CELL_MM: Final = 4.5
MARKER_MM: Final = 27.0
"""Sides of a square, of a cell (eight a square) and of a marker (six cells)."""

_CELL_SAMPLES: Final = 6
"""Pixels of OpenCV's own drawing a cell: a square 48, a marker 36, so that each module is whole."""

DICTIONARY: Final = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_250)


class PaperSize(NamedTuple):
    """A size of paper, lying on its long side: millimetres, squares, first marker id, how many sheets."""

    width_mm: float
    height_mm: float
    columns: int
    rows: int
    first_id: int
    sheets: int


_PAPERS: Final = {
    "A4": PaperSize(297, 210, 7, 5, 0, 8),
    "A3": PaperSize(420, 297, 10, 7, 140, 3),
}


class CalibrationSheet(NamedTuple):
    """One printed sheet; `name` as A4-1, `square_mm` as measured on the print."""

    name: str
    paper: PaperSize
    ids: tuple[int, ...]
    square_mm: float = SQUARE_MM

    @property
    def board(self) -> cv2.aruco.CharucoBoard:
        """OpenCV's board of this sheet."""
        size, marker = (self.paper.columns, self.paper.rows), self.square_mm * MARKER_MM / SQUARE_MM
        return cv2.aruco.CharucoBoard(size, self.square_mm, marker, DICTIONARY, np.array(self.ids))

    @property
    def corners_mm(self) -> Points:
        """Inner corners of the board by their number, n x 2."""
        return np.asarray(self.board.getChessboardCorners(), np.float64)[:, :2]


def sheet_names() -> tuple[str, ...]:
    """Every sheet that can be printed."""
    return tuple(
        f"{size}-{number}" for size, paper in _PAPERS.items() for number in range(1, paper.sheets + 1)
    )


def sheet_of(name: str, square_mm: float = SQUARE_MM) -> CalibrationSheet:
    """Find a sheet by its name. Raises `ConfigError` SHEET_UNKNOWN."""
    if name not in sheet_names():
        raise ConfigError("SHEET_UNKNOWN", name=name, names=", ".join(sheet_names()))
    size, _, number = name.partition("-")
    paper = _PAPERS[size]
    markers = paper.columns * paper.rows // 2
    first = paper.first_id + (int(number) - 1) * markers
    return CalibrationSheet(name, paper, tuple(range(first, first + markers)), square_mm)


@lru_cache(maxsize=16)
def cells(name: str) -> Image:
    """The board as a grid of cells, True where it is black."""
    sheet = sheet_of(name)
    columns, rows = sheet.paper.columns, sheet.paper.rows
    step = round(SQUARE_MM / CELL_MM) * _CELL_SAMPLES
    drawn = sheet.board.generateImage((columns * step, rows * step), marginSize=0, borderBits=1)
    middle = _CELL_SAMPLES // 2
    return np.asarray(drawn[middle::_CELL_SAMPLES, middle::_CELL_SAMPLES] < 128)
