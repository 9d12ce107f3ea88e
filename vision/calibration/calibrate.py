"""From pictures of a fixed camera to a layout, or to the reasons why there can be none."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.homography import FeltPlane
from vision.calibration.layout import CardsPart, Zone
from vision.calibration.plan import SheetPlace
from vision.calibration.plane_fit import FitTarget, PlaneFit, SheetPose, fit_plane, move, rms
from vision.calibration.print_matching import MATCHES_LEAST, FeltPrint, find_print, print_edge_px
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
from vision.calibration.sheet_detection import SheetDetection, find_sheets, join_frames, shift_px
from vision.calibration.sheet_quality import BURNT_LEVEL, SheetQuality, measure_sheet
from vision.geometry.arrays import Image, Points

MOVED_PX: Final = 0.5
HIDDEN_SHARE: Final = 0.9
MISPLACED_MM: Final = 8.0
BRIGHT_PERCENTILE: Final = 99


class CalibrationPicture(NamedTuple):
    """A picture and what to call it."""

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
    """What was found, as far as it went; there is a layout only when no complaint refuses it."""

    complaints: tuple[Complaint, ...]
    fit: PlaneFit | None = None
    gauges: tuple[ZoneMeasurement, ...] = ()
    things: tuple[FoundTarget, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the set-up must not be used."""
        return self.fit is None or any(complaint.refuses for complaint in self.complaints)


def calibrate_by_sheets(
    frames: Sequence[CalibrationPicture], wanted: CalibrationInputs
) -> CalibrationOutcome:
    """Calibrate from the printed sheets that lie on the felt."""
    if other := _other_size(frames):
        return CalibrationOutcome((other,))
    looks = [find_sheets(frame.image, wanted.square_mm) for frame in frames]
    joined = join_frames(looks)
    complaints = _missing(joined, wanted)
    complaints += _moved(frames, [shift_px(look, joined) for look in looks])
    targets = _targets(joined, wanted.places)
    if not targets:
        return CalibrationOutcome(tuple(complaints))
    try:
        fit = fit_plane(targets, _size(frames))
    except ValueError:
        return CalibrationOutcome((*complaints, Complaint("NO_FIT", {})))
    complaints += _bad_sheets(frames, joined, targets, fit) + _misplaced(targets, fit)
    things = [
        FoundTarget(target.name, target.pixels, errors)
        for target, errors in zip(targets, fit.errors_px, strict=True)
    ]
    return _outcome(things, fit, complaints, frames, wanted)


def calibrate_by_print(
    frames: Sequence[CalibrationPicture], known: FeltPrint, wanted: CalibrationInputs
) -> CalibrationOutcome:
    """Calibrate from what is printed on the felt itself."""
    if other := _other_size(frames):
        return CalibrationOutcome((other,))
    image = median_picture(frames)
    shifts = [_shift(frame.image, image) for frame in frames]
    complaints = _moved(frames, shifts)
    found = find_print(image, known)
    if found is None:
        return CalibrationOutcome((*complaints, Complaint("PRINT_NOT_FOUND", {"least": MATCHES_LEAST})))
    fit = found.fit
    quality = SheetQuality(print_edge_px(image, known, fit.plane), *_light(image))
    complaints += judge_quality("print", quality)
    return _outcome([FoundTarget("print", found.pixels, fit.errors_px[0])], fit, complaints, frames, wanted)


def median_picture(frames: Sequence[CalibrationPicture]) -> Image:
    """What most of the pictures show at each pixel."""
    if len(frames) == 1:
        return frames[0].image
    return np.asarray(np.sort(np.stack([frame.image for frame in frames]), axis=0)[len(frames) // 2])


def _size(frames: Sequence[CalibrationPicture]) -> tuple[int, int]:
    height, width = frames[0].image.shape[:2]
    return width, height


def _other_size(frames: Sequence[CalibrationPicture]) -> Complaint | None:
    size = frames[0].image.shape
    other = next((frame.name for frame in frames if frame.image.shape != size), None)
    return None if other is None else Complaint("FRAME_SIZE", {"frame": other})


def _missing(joined: dict[str, SheetDetection], wanted: CalibrationInputs) -> list[Complaint]:
    """Sheets that the plan names and no picture shows; any sheet at all where it names none."""
    if not joined:
        return [
            Complaint("SHEET_MISSING", {"sheet": ", ".join(place.name for place in wanted.places) or "A4-1"})
        ]
    return [
        Complaint("SHEET_MISSING", {"sheet": place.name})
        for place in wanted.places
        if place.name not in joined
    ]


def _moved(frames: Sequence[CalibrationPicture], shifts_px: Sequence[float]) -> list[Complaint]:
    """Pictures that show another view than the rest; a single picture cannot show it."""
    if len(frames) == 1:
        return [Complaint("ONE_FRAME", {}, refuses=False)]
    worst = int(np.argmax(shifts_px))
    if shifts_px[worst] < MOVED_PX:
        return []
    return [Complaint("FRAMES_MOVED", {"frame": frames[worst].name, "px": decimal(shifts_px[worst])})]


def _shift(image: Image, other: Image) -> float:
    """How far one picture is shifted against another, pixels."""
    one, two = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(np.float32) for each in (image, other))
    window = cv2.createHanningWindow((one.shape[1], one.shape[0]), cv2.CV_32F)
    (right, down), _ = cv2.phaseCorrelate(one, two, window)
    return float(np.hypot(right, down))


def _targets(joined: dict[str, SheetDetection], places: Sequence[SheetPlace]) -> list[FitTarget]:
    """What the fit works on; the first sheet of the plan that is seen, else of all, stays where it is."""
    known = {place.name: place for place in places}
    first = next((name for name in (*known, *joined) if name in joined), None)
    return [
        FitTarget(name, seen.places_mm, seen.pixels, _pose(known.get(name)), fixed=name == first)
        for name, seen in joined.items()
    ]


def _pose(place: SheetPlace | None) -> SheetPose | None:
    return None if place is None else (*place.at_mm, float(np.deg2rad(place.turn_deg)))


def _bad_sheets(
    frames: Sequence[CalibrationPicture],
    joined: dict[str, SheetDetection],
    targets: Sequence[FitTarget],
    fit: PlaneFit,
) -> list[Complaint]:
    """Sheets that are blurred or badly lit in some picture, or else that something lies on."""
    complaints = []
    for target, pose in zip(targets, fit.poses, strict=True):
        seen = joined[target.name]
        looks = [measure_sheet(frame.image, seen.sheet, fit.plane, pose) for frame in frames]
        found = judge_quality(target.name, _worst(looks))
        if seen.share < HIDDEN_SHARE and not any(one.code == "BLURRED" for one in found):
            counted = {"seen": len(seen.numbers), "all": len(seen.sheet.corners_mm)}
            found.append(Complaint("SHEET_HIDDEN", {"sheet": target.name, **counted}))
        complaints += found
    return complaints


def _worst(looks: Sequence[SheetQuality]) -> SheetQuality:
    """The widest edge, the darkest and the most burnt paper of several pictures."""
    edges = [look.edge_px for look in looks if look.edge_px is not None]
    edge = max(edges) if len(edges) == len(looks) else None
    return SheetQuality(edge, min(look.paper for look in looks), max(look.burnt for look in looks))


def _light(image: Image) -> tuple[float, float]:
    """Brightness of the brightest parts and burnt share, where no paper is known."""
    brightest = image.max(axis=2)
    return float(np.percentile(brightest, BRIGHT_PERCENTILE)), float((brightest >= BURNT_LEVEL).mean())


def _misplaced(targets: Sequence[FitTarget], fit: PlaneFit) -> list[Complaint]:
    """Sheets that do not lie where the plan has them."""
    complaints = []
    for target, pose in zip(targets, fit.poses, strict=True):
        if target.placed is None:
            continue
        ends = [move(target.places_mm[[0, -1]], at) for at in (pose, target.placed)]
        off = float(np.hypot(*(ends[0] - ends[1]).T).max())
        if off > MISPLACED_MM:
            complaints.append(Complaint("SHEET_MISPLACED", {"sheet": target.name, "mm": decimal(off)}))
    return complaints


def _outcome(
    things: Sequence[FoundTarget],
    fit: PlaneFit,
    complaints: list[Complaint],
    frames: Sequence[CalibrationPicture],
    wanted: CalibrationInputs,
) -> CalibrationOutcome:
    """Judge the fit itself and the zones."""
    judged = judge_residual({thing.name: rms(thing.errors_px) for thing in things})
    try:
        zones = wanted.zones(fit.plane)
    except ValueError as error:
        return CalibrationOutcome(
            (*complaints, *judged, Complaint("ZONES_WRONG", {"reason": str(error)})), fit
        )
    gauges = tuple(measure_zone(zone, fit, wanted.cards, _size(frames)) for zone in zones)
    return CalibrationOutcome((*complaints, *judged, *judge_zones(gauges)), fit, gauges, tuple(things))
