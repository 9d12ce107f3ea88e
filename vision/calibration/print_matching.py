"""Find the layout's print, or the content of an earlier picture, by features and a robust fit."""

from collections.abc import Callable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.homography import FeltPlane
from vision.calibration.plane_fit import FitTarget, PlaneFit, fit_plane
from vision.geometry import Image, Points

MATCHES_MIN: Final = 40
"""Fewer matches than so many that agree on one camera prove nothing.

Source: no measurement on record; another felt has fewer (tests/vision/calibration/test_calibrate.py).
"""


class MatchSearch(NamedTuple):
    """Parameters of the search. Source: no measurement on record, except where a field names one."""

    features: int = 4000
    """Features of each picture, at most."""

    ratio: float = 0.75
    """A match counts when the second best is clearly worse.

    Source: Lowe, Distinctive image features from scale-invariant keypoints, 2004, has 0.8.
    """

    first_share: float = 0.01
    """Reach of the first search, which knows nothing of the lens, as a share of the picture's width."""

    first_tries: int = 20_000
    """Random choices of four matches in the first search, at most."""

    refine_px: tuple[float, ...] = (16.0, 12.0, 8.0, 5.0, 3.0, 2.0)
    """Reach of each fit with the lens after it."""

    points_max: int = 1500
    """Matches of the last fit, a bound of time."""

    art_scale_max: float = 2.0
    """Art with more pixels than so many times the picture's is made smaller first."""


_MATCH_SEARCH: Final = MatchSearch()

_BLURS_PX: Final = tuple(np.arange(0.4, 3.3, 0.2))
_BLUR_WINDOW_PX: Final = 900
_MASK_RIM_PX: Final = 15
"""Blurs that are tried, the side of the part of the picture that they are tried on, and its rim that does not
count.

Source: no measurement on record.
"""

EDGE_OF_BLUR: Final = 2.563
"""Width from 10 % to 90 % of a step that a Gaussian of the size 1 has blurred: twice its 90 % quantile."""


class FeltPrint(NamedTuple):
    """A picture of the felt's print, and the place of each of its pixels (n x 2) in millimetres."""

    image: Image
    to_mm: Callable[[Points], Points]
    to_px: Callable[[Points], Points]


class PrintMatch(NamedTuple):
    """The fit, the pixels that it was fitted to (n x 2), and how many matches there were, agreeing or not."""

    fit: PlaneFit
    pixels: Points
    matches: int


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


def find_print(image: Image, known: FeltPrint) -> PrintMatch | None:
    """Return how the camera of a picture sees the print; None when too little of it is recognised."""
    places, pixels = _matches(image, known)
    if len(places) < MATCHES_MIN:
        return None
    reach = _MATCH_SEARCH.first_share * image.shape[1]
    _, agree = cv2.findHomography(places, pixels, cv2.RANSAC, reach, maxIters=_MATCH_SEARCH.first_tries)
    chosen = np.zeros(len(places), bool) if agree is None else agree.ravel() > 0
    try:
        for reach in _MATCH_SEARCH.refine_px:
            apart = np.hypot(*(_fit(places[chosen], pixels[chosen], image).plane.to_px(places) - pixels).T)
            chosen = np.nan_to_num(apart, nan=np.inf) < reach
        agree = np.flatnonzero(chosen)[:: max(1, int(chosen.sum()) // _MATCH_SEARCH.points_max)]
        fit = _fit(places[agree], pixels[agree], image)
    except ValueError:
        return None
    return PrintMatch(fit, pixels[agree], len(places))


def _fit(places: Points, pixels: Points, image: Image) -> PlaneFit:
    """The camera that sees these places. Raises ValueError when they are too few, or lie in a line."""
    if len(places) < MATCHES_MIN:
        raise ValueError("too few matches")
    target = FitTarget("print", places, pixels, (0.0, 0.0, 0.0), fixed=True)
    return fit_plane([target], (image.shape[1], image.shape[0]))


def _matches(image: Image, known: FeltPrint) -> tuple[Points, Points]:
    """Places (mm) and pixels of features that look alike in both, n x 2 each."""
    art = _grey(known.image)
    scale = min(1.0, _MATCH_SEARCH.art_scale_max * image.shape[1] / art.shape[1])
    small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else art
    sift = cv2.SIFT.create(nfeatures=_MATCH_SEARCH.features)
    first, one = sift.detectAndCompute(small, None)
    second, other = sift.detectAndCompute(_grey(image), None)
    if one is None or other is None or len(other) < 2:
        return np.empty((0, 2)), np.empty((0, 2))
    good = _both_ways(one, other)
    found = np.array([first[mine].pt for mine, _ in good]).reshape(-1, 2)
    pixels = np.array([second[theirs].pt for _, theirs in good]).reshape(-1, 2)
    places = known.to_mm((found + 0.5) / scale - 0.5)
    seen = np.isfinite(places).all(1)
    return places[seen], pixels[seen]


def _both_ways(one: Points, other: Points) -> list[tuple[int, int]]:
    """Pairs of features that are each other's clearly best match: repeated print must not pile up on one."""
    there, back = (_best(*pair) for pair in ((one, other), (other, one)))
    return [(mine, theirs) for mine, theirs in there.items() if back.get(theirs) == mine]


def _best(one: Points, other: Points) -> dict[int, int]:
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(one, other, k=2)
    return {
        best.queryIdx: best.trainIdx
        for best, *rest in pairs
        if rest and best.distance < _MATCH_SEARCH.ratio * rest[0].distance
    }


def _grey(image: Image) -> Image:
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)


def print_edge_px(image: Image, known: FeltPrint, plane: FeltPlane) -> float:
    """Return the edge width of the print in the picture: the blur with the best match.

    Measured in the middle of the visible part of the print.
    """
    y, x = np.mgrid[tuple(_window(image, known, plane))]
    pixels = known.to_px(plane.to_mm(np.column_stack([x.ravel(), y.ravel()])))
    maps = np.nan_to_num(pixels, nan=-1e4).astype(np.float32).reshape(*x.shape, 2)
    art = cv2.remap(_grey(known.image), maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    inner: Image = np.array((maps >= 0) & (maps < known.image.shape[1::-1]), np.uint8).min(2)
    mask = cv2.erode(inner, np.ones((_MASK_RIM_PX, _MASK_RIM_PX), np.uint8)) > 0
    seen = _fine(_grey(image)[y[0, 0] : y[-1, 0] + 1, x[0, 0] : x[0, -1] + 1])[mask]
    blurred = [_fine(cv2.GaussianBlur(art, (0, 0), blur))[mask] for blur in _BLURS_PX]
    alike = [float(np.corrcoef(one, seen)[0, 1]) for one in blurred]
    return EDGE_OF_BLUR * float(_BLURS_PX[int(np.argmax(alike))])


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
