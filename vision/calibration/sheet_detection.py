"""Find calibration sheets in pictures of a fixed camera and combine several pictures."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.sheet import DICTIONARY, SQUARE_MM, CalibrationSheet, sheet_names, sheet_of
from vision.geometry import Image, Points

_MARKERS_MIN: Final = 3
"""A sheet of which fewer markers show is taken for one that is not there.

Source: no measurement on record.
"""

CORNERS_MIN: Final = 4
"""Fewest corners of a sheet that are worth anything: a homography needs four points."""

_CORNER_WINDOW_PX: Final = 4
"""Half the window in which a corner is found to a part of a pixel; OpenCV takes less where the squares are
small.

Source: no measurement on record.
"""

_PERIMETER_RATE: Final = 0.01
"""Perimeter of the smallest marker that is found, as a share of the picture's longer side (OpenCV's own is
0.03).

Source: no measurement on record.
"""


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
    parameters.cornerRefinementWinSize = _CORNER_WINDOW_PX
    parameters.minMarkerPerimeterRate = _PERIMETER_RATE
    return cv2.aruco.ArucoDetector(DICTIONARY, parameters)


def find_sheets(image: Image, square_mm: float = SQUARE_MM) -> dict[str, SheetDetection]:
    """Every calibration sheet in a picture, by name."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    outlines, ids, _ = _detector().detectMarkers(grey)
    if ids is None:
        return {}
    found = {}
    for name in sheet_names():
        sheet = sheet_of(name, square_mm)
        own = [slot for slot, number in enumerate(ids.ravel()) if int(number) in sheet.ids]
        if len(own) >= _MARKERS_MIN:
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
    if numbers is None or len(numbers) < CORNERS_MIN:
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
        if len(places) >= CORNERS_MIN:
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
