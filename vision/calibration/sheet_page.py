"""A calibration sheet as it is printed: the board and a ruler on a page, and its files."""

import re
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.domain import ConfigError
from controller.outputs import PUBLIC, Outputs
from vision.calibration.pdf import Page, Rectangle, TextLine, pdf_bytes
from vision.calibration.png import MM_PER_INCH, png_bytes
from vision.calibration.sheet import CELL_MM, SQUARE_MM, cells, sheet_of
from vision.geometry import Image

RULER_MM: Final = 200.0
RULER_BELOW_MM: Final = 9.0
_RULER_TICK_MM: Final = 50
"""The ruler that shows whether a print is true, its distance from the board, and its ticks."""

_PNG_DPI: Final = 300


def rectangles(black: Image, cell_mm: float) -> list[Rectangle]:
    """The black cells as few rectangles: runs along a row, the same run in the next rows joined to it."""
    grown: dict[tuple[int, int], list[int]] = {}
    done: list[Rectangle] = []
    for row in range(black.shape[0] + 1):
        runs = _runs(black[row]) if row < black.shape[0] else set()
        for run in set(grown) - runs:
            top, foot = grown.pop(run)
            left, right = run
            done.append(Rectangle(*(float(v) * cell_mm for v in (left, top, right - left, foot - top + 1))))
        for run in runs:
            grown[run] = [grown[run][0] if run in grown else row, row]
    return done


def _runs(row: Image) -> set[tuple[int, int]]:
    """Return starts and ends of the black runs of a row."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return {(int(start), int(end)) for start, end in steps.reshape(-1, 2)}


def page(name: str) -> Page:
    """The sheet as it is printed: the board in the middle, a ruler to check the print below it."""
    sheet = sheet_of(name)
    paper = sheet.paper
    width, height = paper.columns * SQUARE_MM, paper.rows * SQUARE_MM
    left, top = (paper.width_mm - width) / 2, (paper.height_mm - height) / 2
    black = [one.moved(left, top) for one in rectangles(cells(name), CELL_MM)]
    below = top + height + RULER_BELOW_MM
    ruler = [Rectangle(left, below, RULER_MM, 0.3)]
    ruler += [Rectangle(left + at, below - 2, 0.3, 2) for at in np.arange(0, RULER_MM + 1, _RULER_TICK_MM)]
    words = f"stand17 {name}  square {SQUARE_MM:g} mm  ruler {RULER_MM:g} mm: print at 100 %"
    return Page(paper.width_mm, paper.height_mm, (*black, *ruler), TextLine(left, below + 4, 3.2, words))


def draw_page(sheet: Page, px_per_mm: float) -> Image:
    """The page as a grey picture."""
    size = (round(sheet.height_mm * px_per_mm), round(sheet.width_mm * px_per_mm))
    image = np.full(size, 255, np.uint8)
    for black in sheet.black:
        x0, y0, x1, y1 = (round(edge * px_per_mm) for edge in black.edges)
        image[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)] = 0
    label = sheet.label
    place = (round(label.x * px_per_mm), round(label.y * px_per_mm))
    scale = label.height * px_per_mm / 22
    cv2.putText(image, label.words, place, 0, scale, 0, max(1, round(scale * 2)), cv2.LINE_AA)
    return image


def write_sheet(path: Path, name: str, outputs: Outputs) -> Path:
    """Write a sheet as PDF or PNG; its name and size in millimetres go into the file's name.

    Raises `ConfigError` SHEET_UNKNOWN, SHEET_SUFFIX, and as `Outputs.write`.
    """
    drawn = page(name)
    suffix = path.suffix.lower()
    if suffix not in {".pdf", ".png"}:
        raise ConfigError("SHEET_SUFFIX", path=str(path))
    size = f"{drawn.width_mm:g}x{drawn.height_mm:g}mm"
    marked = re.sub(r"\.(A[34]-\d\.\d+x\d+mm)?$", "", path.stem)
    target = path.with_name(f"{marked}.{name}.{size}{suffix}")
    if suffix == ".pdf":
        outputs.write(target, pdf_bytes(drawn), PUBLIC)
    else:
        outputs.write(target, png_bytes(draw_page(drawn, _PNG_DPI / MM_PER_INCH), _PNG_DPI), PUBLIC)
    return target
