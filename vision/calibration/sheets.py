"""Printed calibration sheets: their pages, their detection in pictures, sharpness and light of the print.

A sheet is a ChArUco board, told apart by the ids of its markers: a grid of cells of 4.5 mm, a square has
eight, a marker six. Millimetres on a sheet count from the upper left corner of its board. The page is a PDF
of black rectangles and one line of text: no library that draws one comes without a whole imaging package.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from controller.domain import ConfigError
from controller.outputs import PUBLIC, Outputs
from vision.calibration.felt_plane import FeltPlane, SheetPose, move
from vision.geometry import Image, Points

SQUARE_MM: Final = 36.0
CELL_MM: Final = 4.5
MARKER_MM: Final = 27.0
"""Sides of a square, of a cell (eight a square) and of a marker (six cells)."""

_CELL_SAMPLES: Final = 6
"""Pixels of OpenCV's own drawing a cell: a square 48, a marker 36, so that each module is whole."""

_DICTIONARY: Final = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_250)


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
        return cv2.aruco.CharucoBoard(size, self.square_mm, marker, _DICTIONARY, np.array(self.ids))

    @property
    def corners_mm(self) -> Points:
        """Inner corners of the board by their number, n x 2."""
        return np.asarray(self.board.getChessboardCorners(), np.float64)[:, :2]


def _sheet_names() -> tuple[str, ...]:
    """Every sheet that can be printed."""
    return tuple(
        f"{size}-{number}" for size, paper in _PAPERS.items() for number in range(1, paper.sheets + 1)
    )


def _sheet_of(name: str, square_mm: float = SQUARE_MM) -> CalibrationSheet:
    """Find a sheet by its name. Raises `ConfigError` SHEET_UNKNOWN."""
    if name not in _sheet_names():
        raise ConfigError("SHEET_UNKNOWN", name=name, names=", ".join(_sheet_names()))
    size, _, number = name.partition("-")
    paper = _PAPERS[size]
    markers = paper.columns * paper.rows // 2
    first = paper.first_id + (int(number) - 1) * markers
    return CalibrationSheet(name, paper, tuple(range(first, first + markers)), square_mm)


@lru_cache(maxsize=16)
def cells(name: str) -> Image:
    """The board as a grid of cells, True where it is black."""
    sheet = _sheet_of(name)
    columns, rows = sheet.paper.columns, sheet.paper.rows
    step = round(SQUARE_MM / CELL_MM) * _CELL_SAMPLES
    drawn = sheet.board.generateImage((columns * step, rows * step), marginSize=0, borderBits=1)
    middle = _CELL_SAMPLES // 2
    return np.asarray(drawn[middle::_CELL_SAMPLES, middle::_CELL_SAMPLES] < 128)


POINTS_PER_MM: Final = 72 / 25.4
"""PDF counts in points, 72 an inch."""


class Rectangle(NamedTuple):
    """Upper left corner and size, millimetres from the upper left of the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right, foot."""
        return self.x, self.y, self.x + self.width, self.y + self.height

    def moved(self, right: float, down: float) -> "Rectangle":
        """The same elsewhere."""
        return self._replace(x=self.x + right, y=self.y + down)


class TextLine(NamedTuple):
    """A line of text: start of its base line and height, millimetres; characters of ASCII."""

    x: float
    y: float
    height: float
    words: str


class Page(NamedTuple):
    """The content of a printed page."""

    width_mm: float
    height_mm: float
    black: tuple[Rectangle, ...]
    label: TextLine


def _pdf_bytes(page: Page) -> bytes:
    """The file. Its size is that of the page, so that it prints true without scaling."""
    # Drawing commands in millimetres, y upwards as PDF counts it.
    scale = f"{POINTS_PER_MM:.6f}"
    lines = ["q", f"{scale} 0 0 {scale} 0 0 cm", "0 g"]
    for black in page.black:
        foot = page.height_mm - black.y - black.height
        lines.append(f"{black.x:.3f} {foot:.3f} {black.width:.3f} {black.height:.3f} re")
    label = page.label
    words = label.words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    lines += ["f", "BT", f"/F1 {label.height:.3f} Tf", f"{label.x:.3f} {page.height_mm - label.y:.3f} Td"]
    content = "\n".join([*lines, f"({words}) Tj", "ET", "Q"]).encode("ascii")
    size = f"{page.width_mm * POINTS_PER_MM:.3f} {page.height_mm * POINTS_PER_MM:.3f}"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    # Number the objects and add the table of where each begins.
    data = b"%PDF-1.4\n"
    starts = []
    for number, body in enumerate(objects, start=1):
        starts.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + head + table + tail


_HEAD_BYTES: Final = 33
"""Signature and header chunk, behind which the resolution belongs.

Source: PNG specification, section 11.3.5.
"""

MM_PER_INCH: Final = 25.4


def png_bytes(image: Image, dpi: float | None = None) -> bytes:
    """The picture as a PNG file, with its resolution where one is given."""
    data = cv2.imencode(".png", image)[1].tobytes()
    if dpi is None:
        return data
    per_metre = round(1e3 * dpi / MM_PER_INCH)
    body = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return data[:_HEAD_BYTES] + chunk + data[_HEAD_BYTES:]


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
    sheet = _sheet_of(name)
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
        outputs.write(target, _pdf_bytes(drawn), PUBLIC)
    else:
        outputs.write(target, png_bytes(draw_page(drawn, _PNG_DPI / MM_PER_INCH), _PNG_DPI), PUBLIC)
    return target


_CORNERS_MIN: Final = 4
"""Fewest corners of a sheet that are worth anything: a homography needs four points."""


class SheetDetection(NamedTuple):
    """A sheet in one picture: the numbers of the corners that were found and their pixels, n x 2."""

    sheet: CalibrationSheet
    numbers: Points
    pixels: Points

    @property
    def places_mm(self) -> Points:
        """Return the places of the found corners on the sheet, n x 2."""
        return np.asarray(self.sheet.corners_mm[self.numbers])

    @property
    def share(self) -> float:
        """Return the found share of the sheet, 0..1."""
        return len(self.numbers) / len(self.sheet.corners_mm)


@lru_cache(maxsize=1)
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    # 4: half the window in which a corner is found to a part of a pixel; OpenCV takes less where the
    # squares are small. Source: no measurement on record.
    parameters.cornerRefinementWinSize = 4
    # 0.01: perimeter of the smallest marker that is found, as a share of the picture's longer side
    # (OpenCV's own is 0.03). Source: no measurement on record.
    parameters.minMarkerPerimeterRate = 0.01
    return cv2.aruco.ArucoDetector(_DICTIONARY, parameters)


def find_sheets(image: Image, square_mm: float = SQUARE_MM) -> dict[str, SheetDetection]:
    """Every calibration sheet in a picture, by name."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    outlines, ids, _ = _detector().detectMarkers(grey)
    if ids is None:
        return {}
    found = {}
    for name in _sheet_names():
        sheet = _sheet_of(name, square_mm)
        own = [slot for slot, number in enumerate(ids.ravel()) if int(number) in sheet.ids]
        # 3: A sheet of which fewer markers show is taken for one that is not there. Source: no measurement
        # on record.
        if len(own) >= 3:
            seen = _corners(grey, sheet, [outlines[slot] for slot in own], ids[own])
            if seen is not None:
                found[name] = seen
    return found


def _corners(
    grey: Image, sheet: CalibrationSheet, outlines: Sequence[Points], ids: Points
) -> SheetDetection | None:
    """The inner corners between a sheet's markers."""
    detector = cv2.aruco.CharucoDetector(sheet.board)
    pixels, numbers, _, _ = detector.detectBoard(grey, markerCorners=outlines, markerIds=ids)
    if numbers is None or len(numbers) < _CORNERS_MIN:
        return None
    return SheetDetection(sheet, numbers.ravel(), np.asarray(pixels, np.float64).reshape(-1, 2))


def join_detections(pictures: Iterable[dict[str, SheetDetection]]) -> dict[str, SheetDetection]:
    """Return one detection a sheet: each corner seen in half of the pictures, at its median place."""
    detections = list(pictures)
    joined = {}
    for name in sorted({name for one in detections for name in one}):
        seen = [one[name] for one in detections if name in one]
        numbers = [
            number
            for number in range(len(seen[0].sheet.corners_mm))
            if 2 * sum(number in one.numbers for one in seen) >= len(detections)
        ]
        places = [_median(seen, number) for number in numbers]
        if len(places) >= _CORNERS_MIN:
            joined[name] = SheetDetection(seen[0].sheet, np.array(numbers), np.array(places))
    return joined


def _median(seen: list[SheetDetection], number: int) -> Points:
    places = [one.pixels[one.numbers == number][0] for one in seen if number in one.numbers]
    return np.asarray(np.median(places, axis=0))


def shift_px(found: dict[str, SheetDetection], joined: dict[str, SheetDetection]) -> float:
    """Return the largest median distance of a sheet's corners from the joined ones, in pixels."""
    shifts = []
    for name in found.keys() & joined.keys():
        one, all_of_them = found[name], joined[name]
        both, mine, theirs = np.intersect1d(one.numbers, all_of_them.numbers, return_indices=True)
        if len(both):
            apart = one.pixels[mine] - all_of_them.pixels[theirs]
            shifts.append(float(np.median(np.hypot(*apart.T))))
    return max(shifts, default=0.0)


BURNT_LEVEL: Final = 252
"""From this grey level on a pixel is at the end of the scale: noise keeps some below 255.

Source: no measurement on record.
"""


_EDGE_REACH_MM: Final = 7.0
"""An edge is followed so far to both sides: black within its square, white within the sheet's margin.

Source: no measurement on record.
"""

_EDGE_ALONG: Final = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
"""Places along a square's side whose profiles are averaged, as shares of the side.

Source: no measurement on record.
"""


class SheetQuality(NamedTuple):
    """Sharpness and brightness of a picture of a sheet.

    `edge_px`: width of a black to white step from 10 % to 90 %, in pixels, the worse of both directions (1.5
    is a sharp camera); None where no edge could be measured. `paper`: usual brightness of the paper, 0..255.
    `burnt`: saturated share of the paper, 0..1.
    """

    edge_px: float | None
    paper: float
    burnt: float


def measure_sheet(image: Image, sheet: CalibrationSheet, plane: FeltPlane, pose: SheetPose) -> SheetQuality:
    """Look at a sheet that lies at a known place; the picture is BGR."""
    # Colours at the nearest pixels, those outside the picture left out.
    # Places on white paper: cells around the markers with no ink beside them, n x 2.
    black = cells(sheet.name)
    open_ = cv2.erode((~black).astype(np.uint8), np.ones((1, 3), np.uint8), borderValue=0)
    rows, columns = np.nonzero(open_)
    scale = CELL_MM * sheet.square_mm / SQUARE_MM
    pixels = plane.to_px(move(np.column_stack([columns + 0.5, rows + 0.5]) * scale, pose))
    inside = np.isfinite(pixels).all(1)
    nearest = np.round(pixels[inside]).astype(int)
    within = (nearest >= 0).all(1) & (nearest < (image.shape[1], image.shape[0])).all(1)
    x, y = nearest[within].T
    paper = np.asarray(image[y, x])
    level = float(np.median(paper.max(axis=1))) if len(paper) else 0.0
    burnt = float((paper.max(axis=1) >= BURNT_LEVEL).mean()) if len(paper) else 0.0
    # The median width of the edges of each direction, the wider one.
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    middles, outward = _edges_mm(sheet)
    widths: dict[bool, list[float]] = {True: [], False: []}
    for line, direction in zip(middles, outward, strict=True):
        ends = np.vstack([line - direction * _EDGE_REACH_MM, line + direction * _EDGE_REACH_MM])
        width = _width(grey, plane.to_px(move(ends, pose)).reshape(2, -1, 2))
        if width is not None:
            widths[bool(direction[0])].append(width)
    medians = [float(np.median(found)) for found in widths.values() if found]
    return SheetQuality(max(medians, default=None), level, burnt)


def _edges_mm(sheet: CalibrationSheet) -> tuple[Points, Points]:
    """Points on the outer edges of the border's black squares and the directions into the paper, n x 2."""
    side, paper = sheet.square_mm, sheet.paper
    middles, outward = [], []
    for column in range(paper.columns):
        if column % 2 == 0:
            middles.append([((column + at) * side, 0.0) for at in _EDGE_ALONG])
            outward.append((0.0, -1.0))
    for row in range(paper.rows):
        for edge, direction in ((0, -1.0), (paper.columns, 1.0)):
            square = row + (0 if edge == 0 else paper.columns - 1)
            if square % 2 == 0:
                middles.append([(edge * side, (row + at) * side) for at in _EDGE_ALONG])
                outward.append((direction, 0.0))
    return np.array(middles), np.array(outward)


def _width(grey: Image, ends: Points) -> float | None:
    """10 % to 90 % of the step between two rows of pixels (2 x n x 2), averaged along the edge."""
    inner, outer = ends
    length = float(np.hypot(*(outer - inner).T).mean())
    # Parameters of the edge measurement. Source: no measurement on record.
    # 0.25: distance of the samples across it.
    steps = np.linspace(0, 1, max(8, round(length / 0.25)))
    places = (inner[:, None] + (outer - inner)[:, None] * steps[None, :, None]).astype(np.float32)
    if not np.isfinite(places).all() or (places < 0).any() or (places >= grey.shape[::-1]).any():
        return None
    profile = cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR).mean(0)
    end = max(2, len(profile) // 8)
    low, high = float(profile[:end].mean()), float(profile[-end:].mean())
    # 30.0: grey levels between black and white, at least.
    if high - low < 30.0:
        return None
    share = np.maximum.accumulate((profile - low) / (high - low))
    first, last = np.interp((0.1, 0.9), share + np.arange(len(share)) * 1e-9, steps)
    return float((last - first) * length)
