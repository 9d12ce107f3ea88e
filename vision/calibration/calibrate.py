"""From pictures of a fixed camera to a layout, or to the complaints that refuse the set-up."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.felt_plane import FeltPlane, FitTarget, PlaneFit, SheetPose, fit_plane, move, rms
from vision.calibration.layout import CardsPart, SheetPlace, Zone
from vision.calibration.sheets import (
    BURNT_LEVEL,
    SQUARE_MM,
    SheetDetection,
    SheetQuality,
    find_sheets,
    join_detections,
    measure_sheet,
    shift_px,
)
from vision.geometry import Image, Points


class SetupLimits(NamedTuple):
    """Limits of a set-up (docs/layout.md, What is refused).

    Source: no measurement on record, except where a field names one.
    """

    rank_px: float = 16.0
    rank_px_wished: float = 24.0
    """Height of the rank's letter or number alone, without the pip: below the first a set-up is refused,
    below the second there is a warning. The whole index, whose height the reader's limits are about
    (`certainty.SIZE_LIMITS`), is about twice as high: 1.9 times on the demo's deck, 1.5 to 2.4 on drawn
    ones.

    Source: the ratios follow from `synth.style`.
    """

    edge_px: float = 3.5
    """Wider edges are out of focus or moving: a stroke of an index is about as wide."""

    burnt_share: float = 0.10
    """Greatest share of the paper at the end of the scale."""

    paper_level: float = 80.0
    """Least usual brightness of the paper, 0..255."""

    residual_px: float = 1.0
    """Greatest root mean square of what no flat felt explains; drawn tables have 0.04 to 0.4
    (docs/layout.md)."""

    spread_mm: float = 5.0
    """Places on a box must be known at least so well (standard deviation), far less than a card's width."""


SETUP_LIMITS: Final = SetupLimits()


class Complaint(NamedTuple):
    """A fault or warning: a code with parameters; `refuses` is True for a fault.

    `zones` are the zones concerned, each with a figure or "", for the hole `{zones}` of the sentence.
    """

    code: str
    params: dict[str, str | int]
    refuses: bool = True
    zones: tuple[tuple[Zone, str], ...] = ()


class ZoneMeasurement(NamedTuple):
    """The measurements of one zone, at its worst corner.

    `rank_px` is the height of the house's rank letters there, `spread_mm` the standard deviation of a place.
    `whole`: the picture shows all of the zone.
    """

    zone: Zone
    whole: bool
    px_per_mm: float
    rank_px: float
    spread_mm: float


def decimal(value: float) -> str:
    """A number for a sentence, one digit behind the point."""
    return f"{value:.1f}"


def _measure_zone(zone: Zone, fit: PlaneFit, cards: CardsPart, size_px: tuple[int, int]) -> ZoneMeasurement:
    """Measure a zone in a picture of `size_px`, width and height."""
    corners = zone.corners()
    pixels = fit.plane.to_px(corners)
    whole = bool(np.isfinite(pixels).all() and (pixels >= 0).all() and (pixels < size_px).all())
    if not whole:
        return ZoneMeasurement(zone, False, 0.0, 0.0, float("inf"))
    scale = float(fit.plane.px_per_mm(corners).min())
    return ZoneMeasurement(zone, True, scale, scale * cards.rank_mm, float(fit.spread(corners).max()))


def _judge_zones(measured: Iterable[ZoneMeasurement]) -> list[Complaint]:
    """Zones that the picture cuts, where cards are too small, or where places are too uncertain."""
    read = [one for one in measured if one.zone.number is not None]
    whole = [one for one in read if one.whole]
    complaints = []
    if len(whole) < len(read):
        cut = tuple((one.zone, "") for one in read if not one.whole)
        complaints.append(Complaint("ZONE_CUT", {}, zones=cut))
    limits = SETUP_LIMITS
    small = [one for one in whole if one.rank_px < limits.rank_px]
    low = [one for one in whole if limits.rank_px <= one.rank_px < limits.rank_px_wished]
    if small:
        complaints.append(_small_rank("INDEX_TOO_SMALL", small, limits.rank_px, refuses=True))
    if low:
        complaints.append(_small_rank("INDEX_SMALL", low, limits.rank_px_wished, refuses=False))
    if far := [one for one in whole if one.spread_mm > limits.spread_mm]:
        zones = tuple((one.zone, f"± {decimal(one.spread_mm)} mm") for one in far)
        complaints.append(Complaint("PLACES_UNCERTAIN", {"most": decimal(limits.spread_mm)}, zones=zones))
    return complaints


def _small_rank(code: str, measured: Sequence[ZoneMeasurement], least: float, *, refuses: bool) -> Complaint:
    zones = tuple((one.zone, f"{decimal(one.rank_px)} px") for one in measured)
    return Complaint(code, {"least": f"{least:.0f}"}, refuses, zones)


def _judge_quality(name: str, quality: SheetQuality) -> list[Complaint]:
    """A sheet, or a print, that is blurred, burnt out or too dark."""
    complaints = []
    if quality.edge_px is None or quality.edge_px > SETUP_LIMITS.edge_px:
        width = "?" if quality.edge_px is None else decimal(quality.edge_px)
        complaints.append(
            Complaint("BLURRED", {"what": name, "px": width, "most": decimal(SETUP_LIMITS.edge_px)})
        )
    if quality.burnt > SETUP_LIMITS.burnt_share:
        share = f"{100 * quality.burnt:.0f}"
        complaints.append(Complaint("BURNT", {"what": name, "percent": share}))
    if quality.paper < SETUP_LIMITS.paper_level:
        complaints.append(Complaint("DARK", {"what": name, "level": round(quality.paper)}))
    return complaints


def _judge_residual(residuals: dict[str, float]) -> list[Complaint]:
    """Return complaints about residuals (pixels, by target) that no flat felt explains."""
    worst = max(residuals, key=lambda name: residuals[name])
    if residuals[worst] < SETUP_LIMITS.residual_px:
        return []
    most = {"what": worst, "px": decimal(residuals[worst]), "most": decimal(SETUP_LIMITS.residual_px)}
    return [Complaint("RESIDUAL", dict(most))]


_MATCHES_MIN: Final = 40
"""Fewer matches than so many that agree on one camera prove nothing.

Source: no measurement on record; another felt has fewer (tests/vision/calibration/test_calibrate.py).
"""


_BLURS_PX: Final = tuple(np.arange(0.4, 3.3, 0.2))
_BLUR_WINDOW_PX: Final = 900
_MASK_RIM_PX: Final = 15
"""Blurs that are tried, the side of the part of the picture that they are tried on, and its rim that does not
count.

Source: no measurement on record.
"""


class FeltPrint(NamedTuple):
    """A picture of the felt's print, and the place of each of its pixels (n x 2) in millimetres."""

    image: Image
    to_mm: Callable[[Points], Points]
    to_px: Callable[[Points], Points]


def art_print(image: Image, width_mm: float, at_mm: tuple[float, float]) -> FeltPrint:
    """A flat drawing of the layout: its width on the felt and where its upper left corner lies."""
    scale = width_mm / image.shape[1]
    return FeltPrint(
        image,
        lambda px: np.asarray((px + 0.5) * scale + at_mm),
        lambda mm: np.asarray((mm - at_mm) / scale - 0.5),
    )


def picture_print(image: Image, plane: FeltPlane) -> FeltPrint:
    """An earlier picture of the same felt, from a camera that was calibrated."""
    return FeltPrint(image, plane.to_mm, plane.to_px)


def _find_print(image: Image, known: FeltPrint) -> tuple[PlaneFit, Points] | None:
    """Return the fit of the camera to the print, and its pixels (n x 2); None with too few matches."""
    places, pixels = _matches(image, known)
    if len(places) < _MATCHES_MIN:
        return None
    # Parameters of the search. Source: no measurement on record, except where a field names one.
    # 0.01: reach of the first search, which knows nothing of the lens, as a share of the picture's width.
    reach = 0.01 * image.shape[1]
    # 20_000: random choices of four matches in the first search, at most.
    _, agree = cv2.findHomography(places, pixels, cv2.RANSAC, reach, maxIters=20_000)
    chosen = np.zeros(len(places), bool) if agree is None else agree.ravel() > 0
    try:
        # (16.0, 12.0, 8.0, 5.0, 3.0, 2.0): reach of each fit with the lens after it.
        for reach in (16.0, 12.0, 8.0, 5.0, 3.0, 2.0):
            apart = np.hypot(*(_fit(places[chosen], pixels[chosen], image).plane.to_px(places) - pixels).T)
            chosen = np.nan_to_num(apart, nan=np.inf) < reach
        # 1500: matches of the last fit, a bound of time.
        agree = np.flatnonzero(chosen)[:: max(1, int(chosen.sum()) // 1500)]
        fit = _fit(places[agree], pixels[agree], image)
    except ValueError:
        return None
    return fit, pixels[agree]


def _fit(places: Points, pixels: Points, image: Image) -> PlaneFit:
    """The camera that sees these places. Raises ValueError when they are too few, or lie in a line."""
    if len(places) < _MATCHES_MIN:
        raise ValueError("too few matches")
    target = FitTarget("print", places, pixels, (0.0, 0.0, 0.0), fixed=True)
    return fit_plane([target], (image.shape[1], image.shape[0]))


def _matches(image: Image, known: FeltPrint) -> tuple[Points, Points]:
    """Places (mm) and pixels of features that look alike in both, n x 2 each."""
    art = _grey(known.image)
    # 2.0: art with more pixels than so many times the picture's is made smaller first.
    scale = min(1.0, 2.0 * image.shape[1] / art.shape[1])
    small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else art
    # 4000: features of each picture, at most.
    sift = cv2.SIFT.create(nfeatures=4000)
    first, one = sift.detectAndCompute(small, None)
    second, other = sift.detectAndCompute(_grey(image), None)
    if one is None or other is None or len(other) < 2:
        return np.empty((0, 2)), np.empty((0, 2))
    # Pairs of features that are each other's clearly best match: repeated print must not pile up on one.
    there, back = (_best(*pair) for pair in ((one, other), (other, one)))
    good = [(mine, theirs) for mine, theirs in there.items() if back.get(theirs) == mine]
    found = np.array([first[mine].pt for mine, _ in good]).reshape(-1, 2)
    pixels = np.array([second[theirs].pt for _, theirs in good]).reshape(-1, 2)
    places = known.to_mm((found + 0.5) / scale - 0.5)
    seen = np.isfinite(places).all(1)
    return places[seen], pixels[seen]


def _best(one: Points, other: Points) -> dict[int, int]:
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(one, other, k=2)
    # 0.75: A match counts when the second best is clearly worse. Source: Lowe, Distinctive image features
    # from scale-invariant keypoints, 2004, has 0.8.
    return {
        best.queryIdx: best.trainIdx
        for best, *rest in pairs
        if rest and best.distance < 0.75 * rest[0].distance
    }


def _grey(image: Image) -> Image:
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)


def _window(image: Image, known: FeltPrint, plane: FeltPlane) -> tuple[slice, slice]:
    """Rows and columns of a part of the picture that holds the print's middle."""
    height, width = known.image.shape[:2]
    middle = plane.to_px(known.to_mm(np.array([[width / 2, height / 2]])))[0]
    slices = []
    for at, size in zip(middle[::-1], image.shape[:2], strict=True):
        start = int(np.clip(np.nan_to_num(at) - _BLUR_WINDOW_PX / 2, 0, max(0, size - _BLUR_WINDOW_PX)))
        slices.append(slice(start, min(size, start + _BLUR_WINDOW_PX)))
    return slices[0], slices[1]


def _fine(image: Image) -> Points:
    """The fine detail of a grey picture, float32."""
    return np.asarray(cv2.Laplacian(cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.0), cv2.CV_32F))


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
    # The targets of the fit; the first sheet seen (of the plan, if there is one) is fixed.
    known = {place.name: place for place in inputs.places}
    first = next((name for name in (*known, *joined) if name in joined), None)
    targets = [
        FitTarget(name, seen.places_mm, seen.pixels, _pose(known.get(name)), fixed=name == first)
        for name, seen in joined.items()
    ]
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
    found = _find_print(image, known)
    if found is None:
        return CalibrationOutcome((*complaints, Complaint("PRINT_NOT_FOUND", {"least": _MATCHES_MIN})))
    fit, matched = found
    # The edge width of the print in the picture: the blur with the best match. Measured in the
    # middle of the visible part of the print.
    y, x = np.mgrid[tuple(_window(image, known, fit.plane))]
    pixels = known.to_px(fit.plane.to_mm(np.column_stack([x.ravel(), y.ravel()])))
    maps = np.nan_to_num(pixels, nan=-1e4).astype(np.float32).reshape(*x.shape, 2)
    art = cv2.remap(_grey(known.image), maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    inner: Image = np.array((maps >= 0) & (maps < known.image.shape[1::-1]), np.uint8).min(2)
    mask = cv2.erode(inner, np.ones((_MASK_RIM_PX, _MASK_RIM_PX), np.uint8)) > 0
    seen = _fine(_grey(image)[y[0, 0] : y[-1, 0] + 1, x[0, 0] : x[0, -1] + 1])[mask]
    blurred = [_fine(cv2.GaussianBlur(art, (0, 0), blur))[mask] for blur in _BLURS_PX]
    alike = [float(np.corrcoef(one, seen)[0, 1]) for one in blurred]
    # 2.563: width from 10 % to 90 % of a step that a Gaussian of the size 1 has blurred: twice its 90 %
    # quantile.
    quality = SheetQuality(2.563 * float(_BLURS_PX[int(np.argmax(alike))]), *_light(image))
    complaints += _judge_quality("print", quality)
    return _outcome([FoundTarget("print", matched, fit.errors_px[0])], fit, complaints, pictures, inputs)


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
    # Requirements on the pictures of a calibration (docs/layout.md, What is refused). Source: no
    # measurement on record.
    # 0.5: pictures may be shifted against each other by less than this.
    if shifts_px[worst] < 0.5:
        return []
    return [Complaint("FRAMES_MOVED", {"frame": pictures[worst].name, "px": decimal(shifts_px[worst])})]


def _shift(image: Image, other: Image) -> float:
    """Return the shift of one picture against another, in pixels."""
    one, two = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(np.float32) for each in (image, other))
    window = cv2.createHanningWindow((one.shape[1], one.shape[0]), cv2.CV_32F)
    (right, down), _ = cv2.phaseCorrelate(one, two, window)
    return float(np.hypot(right, down))


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
        found = _judge_quality(target.name, _worst(qualities))
        # 0.9: least share of a sheet's corners that must be found.
        if seen.share < 0.9 and not any(one.code == "BLURRED" for one in found):
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
    # 99: where no paper is known, so much of a picture, in percent, is darker than what counts as its
    # brightest.
    return float(np.percentile(brightest, 99)), float((brightest >= BURNT_LEVEL).mean())


def _misplaced(targets: Sequence[FitTarget], fit: PlaneFit) -> list[Complaint]:
    """Sheets that do not lie where the plan has them."""
    complaints = []
    for target, pose in zip(targets, fit.poses, strict=True):
        if target.placed is None:
            continue
        ends = [move(target.places_mm[[0, -1]], at) for at in (pose, target.placed)]
        off = float(np.hypot(*(ends[0] - ends[1]).T).max())
        # 8.0: A sheet may lie so far beside the place that the plan gives.
        if off > 8.0:
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
    judged = _judge_residual({target.name: rms(target.errors_px) for target in found})
    try:
        zones = inputs.zones(fit.plane)
    except ValueError as error:
        return CalibrationOutcome(
            (*complaints, *judged, Complaint("ZONES_WRONG", {"reason": str(error)})), fit
        )
    measured = tuple(_measure_zone(zone, fit, inputs.cards, _size(pictures)) for zone in zones)
    return CalibrationOutcome((*complaints, *judged, *_judge_zones(measured)), fit, measured, tuple(found))
