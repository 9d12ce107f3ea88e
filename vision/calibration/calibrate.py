"""From pictures of a fixed camera to a layout, or to the reasons why there can be none."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.homography import FeltPlane
from vision.calibration.layout import CardsPart, Zone
from vision.calibration.plan import SheetPlace
from vision.calibration.plane_fit import FitTarget, PlaneFit, SheetPose, fit_plane, move, rms
from vision.calibration.print_matching import MATCHES_MIN, FeltPrint, find_print, print_edge_px
from vision.calibration.requirements import (
    Complaint,
    ZoneMeasurement,
    decimal,
    judge_quality,
    judge_residual,
    judge_zones,
    measure_zone,
)
from vision.calibration.sheet import SQUARE_MM
from vision.calibration.sheet_detection import SheetDetection, find_sheets, join_detections, shift_px
from vision.calibration.sheet_quality import BURNT_LEVEL, SheetQuality, measure_sheet
from vision.geometry import Image, Points


class PictureLimits(NamedTuple):
    """Requirements on the pictures of a calibration (docs/layout.md, What is refused).

    Source: no measurement on record.
    """

    moved_px: float = 0.5
    """Pictures may be shifted against each other by less than this."""

    shown_share: float = 0.9
    """Least share of a sheet's corners that must be found."""

    misplaced_mm: float = 8.0
    """A sheet may lie so far beside the place that the plan gives."""

    bright_percentile: float = 99
    """Where no paper is known, so much of a picture, in percent, is darker than what counts as its
    brightest."""


_PICTURE_LIMITS: Final = PictureLimits()


class CalibrationPicture(NamedTuple):
    """A picture and its name."""

    name: str
    image: Image


class CalibrationInputs(NamedTuple):
    """The zones, once the plane is known; the cards; where sheets lie; the printed size of a square."""

    zones: Callable[[FeltPlane], tuple[Zone, ...]]
    cards: CardsPart
    places: tuple[SheetPlace, ...] = ()
    square_mm: float = SQUARE_MM


class FoundTarget(NamedTuple):
    """Something that was found on the felt: its pixels and how far each is off the fit, n x 2 each."""

    name: str
    pixels: Points
    errors_px: Points


class CalibrationOutcome(NamedTuple):
    """The result of a calibration, as far as it went; `layout` is None when a complaint refuses it."""

    complaints: tuple[Complaint, ...]
    fit: PlaneFit | None = None
    zones: tuple[ZoneMeasurement, ...] = ()
    targets: tuple[FoundTarget, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether a complaint forbids use of the set-up."""
        return self.fit is None or any(complaint.refuses for complaint in self.complaints)


def calibrate_by_sheets(
    pictures: Sequence[CalibrationPicture], inputs: CalibrationInputs
) -> CalibrationOutcome:
    """Calibrate from the printed sheets that lie on the felt."""
    if other := _other_size(pictures):
        return CalibrationOutcome((other,))
    detections = [find_sheets(picture.image, inputs.square_mm) for picture in pictures]
    joined = join_detections(detections)
    complaints = _missing(joined, inputs)
    complaints += _moved(pictures, [shift_px(one, joined) for one in detections])
    targets = _targets(joined, inputs.places)
    if not targets:
        return CalibrationOutcome(tuple(complaints))
    try:
        fit = fit_plane(targets, _size(pictures))
    except ValueError:
        return CalibrationOutcome((*complaints, Complaint("NO_FIT", {})))
    complaints += _bad_sheets(pictures, joined, targets, fit) + _misplaced(targets, fit)
    found = [
        FoundTarget(target.name, target.pixels, errors)
        for target, errors in zip(targets, fit.errors_px, strict=True)
    ]
    return _outcome(found, fit, complaints, pictures, inputs)


def calibrate_by_print(
    pictures: Sequence[CalibrationPicture], known: FeltPrint, inputs: CalibrationInputs
) -> CalibrationOutcome:
    """Calibrate from the print of the felt itself."""
    if other := _other_size(pictures):
        return CalibrationOutcome((other,))
    image = _median_picture(pictures)
    shifts = [_shift(picture.image, image) for picture in pictures]
    complaints = _moved(pictures, shifts)
    found = find_print(image, known)
    if found is None:
        return CalibrationOutcome((*complaints, Complaint("PRINT_NOT_FOUND", {"least": MATCHES_MIN})))
    fit = found.fit
    quality = SheetQuality(print_edge_px(image, known, fit.plane), *_light(image))
    complaints += judge_quality("print", quality)
    return _outcome([FoundTarget("print", found.pixels, fit.errors_px[0])], fit, complaints, pictures, inputs)


def _median_picture(pictures: Sequence[CalibrationPicture]) -> Image:
    """Return the median of the pictures, pixel by pixel."""
    if len(pictures) == 1:
        return pictures[0].image
    return np.asarray(np.sort(np.stack([picture.image for picture in pictures]), axis=0)[len(pictures) // 2])


def _size(pictures: Sequence[CalibrationPicture]) -> tuple[int, int]:
    height, width = pictures[0].image.shape[:2]
    return width, height


def _other_size(pictures: Sequence[CalibrationPicture]) -> Complaint | None:
    size = pictures[0].image.shape
    other = next((picture.name for picture in pictures if picture.image.shape != size), None)
    return None if other is None else Complaint("FRAME_SIZE", {"frame": other})


def _missing(joined: dict[str, SheetDetection], inputs: CalibrationInputs) -> list[Complaint]:
    """Sheets that the plan names and no picture shows; any sheet at all where it names none."""
    if not joined:
        return [
            Complaint("SHEET_MISSING", {"sheet": ", ".join(place.name for place in inputs.places) or "A4-1"})
        ]
    return [
        Complaint("SHEET_MISSING", {"sheet": place.name})
        for place in inputs.places
        if place.name not in joined
    ]


def _moved(pictures: Sequence[CalibrationPicture], shifts_px: Sequence[float]) -> list[Complaint]:
    """Pictures that show another view than the rest; a single picture cannot show it."""
    if len(pictures) == 1:
        return [Complaint("ONE_FRAME", {}, refuses=False)]
    worst = int(np.argmax(shifts_px))
    if shifts_px[worst] < _PICTURE_LIMITS.moved_px:
        return []
    return [Complaint("FRAMES_MOVED", {"frame": pictures[worst].name, "px": decimal(shifts_px[worst])})]


def _shift(image: Image, other: Image) -> float:
    """Return the shift of one picture against another, in pixels."""
    one, two = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(np.float32) for each in (image, other))
    window = cv2.createHanningWindow((one.shape[1], one.shape[0]), cv2.CV_32F)
    (right, down), _ = cv2.phaseCorrelate(one, two, window)
    return float(np.hypot(right, down))


def _targets(joined: dict[str, SheetDetection], places: Sequence[SheetPlace]) -> list[FitTarget]:
    """Return the targets of the fit; the first sheet seen (of the plan, if there is one) is fixed."""
    known = {place.name: place for place in places}
    first = next((name for name in (*known, *joined) if name in joined), None)
    return [
        FitTarget(name, seen.places_mm, seen.pixels, _pose(known.get(name)), fixed=name == first)
        for name, seen in joined.items()
    ]


def _pose(place: SheetPlace | None) -> SheetPose | None:
    return None if place is None else (*place.at_mm, float(np.deg2rad(place.turn_deg)))


def _bad_sheets(
    pictures: Sequence[CalibrationPicture],
    joined: dict[str, SheetDetection],
    targets: Sequence[FitTarget],
    fit: PlaneFit,
) -> list[Complaint]:
    """Sheets that are blurred or badly lit in some picture, or else that something lies on."""
    complaints = []
    for target, pose in zip(targets, fit.poses, strict=True):
        seen = joined[target.name]
        qualities = [measure_sheet(one.image, seen.sheet, fit.plane, pose) for one in pictures]
        found = judge_quality(target.name, _worst(qualities))
        if seen.share < _PICTURE_LIMITS.shown_share and not any(one.code == "BLURRED" for one in found):
            counted = {"seen": len(seen.numbers), "all": len(seen.sheet.corners_mm)}
            found.append(Complaint("SHEET_HIDDEN", {"sheet": target.name, **counted}))
        complaints += found
    return complaints


def _worst(qualities: Sequence[SheetQuality]) -> SheetQuality:
    """The widest edge, the darkest and the most burnt paper of several pictures."""
    edges = [one.edge_px for one in qualities if one.edge_px is not None]
    edge = max(edges) if len(edges) == len(qualities) else None
    return SheetQuality(edge, min(one.paper for one in qualities), max(one.burnt for one in qualities))


def _light(image: Image) -> tuple[float, float]:
    """Return the brightness of the brightest parts and the burnt share, where no paper is known."""
    brightest = image.max(axis=2)
    return float(np.percentile(brightest, _PICTURE_LIMITS.bright_percentile)), float(
        (brightest >= BURNT_LEVEL).mean()
    )


def _misplaced(targets: Sequence[FitTarget], fit: PlaneFit) -> list[Complaint]:
    """Sheets that do not lie where the plan has them."""
    complaints = []
    for target, pose in zip(targets, fit.poses, strict=True):
        if target.placed is None:
            continue
        ends = [move(target.places_mm[[0, -1]], at) for at in (pose, target.placed)]
        off = float(np.hypot(*(ends[0] - ends[1]).T).max())
        if off > _PICTURE_LIMITS.misplaced_mm:
            complaints.append(Complaint("SHEET_MISPLACED", {"sheet": target.name, "mm": decimal(off)}))
    return complaints


def _outcome(
    found: Sequence[FoundTarget],
    fit: PlaneFit,
    complaints: list[Complaint],
    pictures: Sequence[CalibrationPicture],
    inputs: CalibrationInputs,
) -> CalibrationOutcome:
    """Judge the fit itself and the zones."""
    judged = judge_residual({target.name: rms(target.errors_px) for target in found})
    try:
        zones = inputs.zones(fit.plane)
    except ValueError as error:
        return CalibrationOutcome(
            (*complaints, *judged, Complaint("ZONES_WRONG", {"reason": str(error)})), fit
        )
    measured = tuple(measure_zone(zone, fit, inputs.cards, _size(pictures)) for zone in zones)
    return CalibrationOutcome((*complaints, *judged, *judge_zones(measured)), fit, measured, tuple(found))
