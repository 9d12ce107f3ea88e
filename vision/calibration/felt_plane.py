"""Pixels of a fixed camera to millimetres on the felt: homography, lens, and their fit.

The lens is the radial part of the Brown-Conrady model: a straight ray at radius r (focal lengths from the
centre) is seen at r (1 + k1 r^2 + k2 r^4). The homography speaks of the straight picture. The sheets' size is
known and the felt is flat: places of all sheets but the first are fitted with the homography.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Points


class Lens(NamedTuple):
    """Focal length and centre in pixels, and the two radial terms."""

    focal_px: float
    centre_px: tuple[float, float]
    k1: float
    k2: float

    def bend(self, points: Points) -> Points:
        """Return the distorted places of undistorted points, n x 2."""
        straight = (points - self.centre_px) / self.focal_px
        square = (straight**2).sum(1, keepdims=True)
        return np.asarray(
            self.centre_px + self.focal_px * straight * (1 + self.k1 * square + self.k2 * square**2)
        )

    def straighten(self, points: Points) -> Points:
        """The inverse of `bend`, by Newton's method on the radius."""
        bent = (points - self.centre_px) / self.focal_px
        seen = np.hypot(*bent.T)[:, None]
        radius = seen.copy()
        # 12: steps of the search for a straight radius; it gains as many digits again in each. Source:
        # tests/vision/calibration/test_homography.py: a pixel comes back to a millionth.
        for _ in range(12):
            value = radius * (1 + self.k1 * radius**2 + self.k2 * radius**4) - seen
            radius = radius - value / self.slope(radius)
        return np.asarray(self.centre_px + self.focal_px * bent * (radius / np.maximum(seen, 1e-12)))

    def slope(self, radius: Points) -> Points:
        """Return the derivative of the distorted radius by the undistorted one."""
        return np.asarray(1 + 3 * self.k1 * radius**2 + 5 * self.k2 * radius**4)

    def folds(self, corners: Points) -> bool:
        """Whether the lens model maps two rays to one pixel within a picture of these corners."""
        farthest = np.hypot(*((corners - self.centre_px) / self.focal_px).T).max()
        # 1.3 and 0.1: up to so many picture radii the seen radius must grow at least so fast: else the lens
        # folds the picture over. Source: no measurement on record.
        return bool(self.slope(np.linspace(0, 1.3 * farthest, 64)).min() < 0.1)


def project_visible(matrix: Points, points: Points) -> Points:
    """Map n x 2 points by a homography; not a number where a point has no image."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    # 1e-9: A depth below this lies at the horizon of the felt or behind the camera.
    depth = np.where(mapped[:, 2:] > 1e-9, mapped[:, 2:], np.nan)
    return np.asarray(mapped[:, :2] / depth)


class FeltPlane(NamedTuple):
    """`mm_of_px` maps pixels of the straight picture to millimetres; its depth is positive in the picture."""

    mm_of_px: Points
    lens: Lens | None = None

    def to_mm(self, pixels: Points) -> Points:
        """Places on the felt of n x 2 pixels."""
        points = np.asarray(pixels, np.float64).reshape(-1, 2)
        return project_visible(self.mm_of_px, points if self.lens is None else self.lens.straighten(points))

    def to_px(self, places_mm: Points) -> Points:
        """Pixels of n x 2 places on the felt; not a number for a place that the camera cannot see."""
        places = np.asarray(places_mm, np.float64).reshape(-1, 2)
        # The inverse homography, scaled to positive depth in view of the camera. A place that a
        # pixel of depth w maps to has the inverse depth 1 / w: the sign is preserved.
        straight = project_visible(np.asarray(np.linalg.inv(self.mm_of_px)), places)
        return straight if self.lens is None else self.lens.bend(straight)

    def px_per_mm(self, places_mm: Points) -> Points:
        """Pixels a millimetre at n places, in the direction in which they are fewest."""
        places = np.asarray(places_mm, np.float64).reshape(-1, 2)
        half = np.array([0.5, 0.0])
        along = self.to_px(places + half) - self.to_px(places - half)
        down = self.to_px(places + half[::-1]) - self.to_px(places - half[::-1])
        return np.asarray(np.linalg.svd(np.stack([along, down], 2), compute_uv=False)[:, 1])


def facing(mm_of_px: Points, pixel: tuple[float, float], lens: Lens | None) -> Points:
    """The same homography, scaled to the size 1 and with a positive depth at a pixel of the picture."""
    seen = np.array([pixel], np.float64)
    straight = seen if lens is None else lens.straighten(seen)
    depth = float(mm_of_px[2] @ (*straight[0], 1.0))
    return np.asarray(mm_of_px / (np.linalg.norm(mm_of_px) * (1 if depth > 0 else -1)))


DAMPING_START: Final = 1e-3
_DAMPING_FACTOR: Final = 10
DAMPING_MAX: Final = 1e9
"""Levenberg's damping: its start, its change after a good or a bad step, and where no step is any good."""


_USUAL_ERRORS_CORNER_PX: Final = 0.2
"""Of a corner that was found in a picture.

Source: no measurement on record; on drawn tables corners were off by 0.05 to 0.1 px
(docs/measurements/layout.md).
"""


SheetPose = tuple[float, float, float]
"""Where a sheet lies on the felt: x and y in millimetres, turn clockwise in radians."""


class FitTarget(NamedTuple):
    """Points of one rigid thing: places on it (mm) and pixels, both n x 2.

    `placed` is where the plan says that it lies; `fixed` holds it there.
    """

    name: str
    places_mm: Points
    pixels: Points
    placed: SheetPose | None = None
    fixed: bool = False


class PlaneFit(NamedTuple):
    """The best fit: the plane, each target's pose and errors, and the uncertainty of places.

    `errors_px` are measured minus computed pixels, one n x 2 array a target.
    """

    plane: FeltPlane
    poses: tuple[SheetPose, ...]
    errors_px: tuple[Points, ...]
    spread: Callable[[Points], Points]
    """Standard deviation in mm, in the worst direction, of n x 2 places on the felt."""

    @property
    def residual_px(self) -> float:
        """Root of the mean squared distance over all points."""
        return rms(np.vstack(self.errors_px))


def rms(errors: Points) -> float:
    """Root of the mean squared length of n x 2 errors."""
    return float(np.sqrt((errors**2).sum(1).mean()))


def move(places_mm: Points, pose: SheetPose) -> Points:
    """Points of a thing where it lies on the felt."""
    cos, sin = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(places_mm @ np.array([[cos, sin], [-sin, cos]]) + pose[:2])


def fit_plane(targets: Sequence[FitTarget], size_px: tuple[int, int]) -> PlaneFit:
    """Fit a camera with a picture of `size_px` (width, height) to targets; at least one must be fixed.

    The first fixed target must have four points in general position. Raises `ValueError` when no homography
    fits.
    """
    problem = _Problem(targets, size_px)
    values, jacobian = _minimise(problem.errors, problem.start())
    plane, poses = problem.plane(values), problem.poses(values)
    errors = tuple(
        target.pixels - plane.to_px(move(target.places_mm, pose))
        for target, pose in zip(targets, poses, strict=True)
    )
    usual_px = _USUAL_ERRORS_CORNER_PX
    noise = max(rms(np.vstack(errors)) / np.sqrt(2), usual_px / 2) / usual_px
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * noise**2
    return PlaneFit(plane, poses, errors, lambda places: problem.spread(values, covariance, places))


class _Problem:
    """Parameters in order: eight of the homography mm -> straight pixels, k1, k2, three a free target."""

    def __init__(self, targets: Sequence[FitTarget], size_px: tuple[int, int]) -> None:
        self._targets = targets
        self._free = [slot for slot, target in enumerate(targets) if not target.fixed]
        self._focal = float(size_px[0])
        self._centre = np.array([(size_px[0] - 1) / 2, (size_px[1] - 1) / 2])
        self._middle_mm, self._scale_mm = np.zeros(2), 1000.0

    def start(self) -> Points:
        """A first guess: the homography of the fixed targets, the others where it sees them."""
        fixed = [target for target in self._targets if target.fixed]
        places = np.vstack([move(target.places_mm, target.placed or (0.0, 0.0, 0.0)) for target in fixed])
        pixels = np.vstack([target.pixels for target in fixed])
        self._middle_mm = places.mean(0)
        matrix, _ = cv2.findHomography(self._small(places), (pixels - self._centre) / self._focal)
        if matrix is None:
            raise ValueError("no homography fits")
        values = [*(matrix / matrix[2, 2]).ravel()[:8], 0.0, 0.0]
        plane = self.plane(np.array(values))
        for slot in self._free:
            target = self._targets[slot]
            values += target.placed or _rigid(target.places_mm, plane.to_mm(target.pixels))
        return np.array(values)

    def _small(self, places_mm: Points) -> Points:
        return np.asarray((places_mm - self._middle_mm) / self._scale_mm)

    def plane(self, values: Points) -> FeltPlane:
        """The plane that parameters stand for."""
        small = np.append(values[:8], 1.0).reshape(3, 3)
        x, y = self._middle_mm / self._scale_mm
        to_small = np.array([[1 / self._scale_mm, 0, -x], [0, 1 / self._scale_mm, -y], [0, 0, 1]])
        to_px = np.array([[self._focal, 0, self._centre[0]], [0, self._focal, self._centre[1]], [0, 0, 1]])
        centre = (float(self._centre[0]), float(self._centre[1]))
        lens = Lens(self._focal, centre, float(values[8]), float(values[9]))
        return FeltPlane(facing(np.linalg.inv(to_px @ small @ to_small), centre, None), lens)

    def poses(self, values: Points) -> tuple[SheetPose, ...]:
        """Each target's pose."""
        free = {slot: values[10 + 3 * n : 13 + 3 * n] for n, slot in enumerate(self._free)}
        return tuple(
            (float(free[slot][0]), float(free[slot][1]), float(free[slot][2]))
            if slot in free
            else target.placed or (0.0, 0.0, 0.0)
            for slot, target in enumerate(self._targets)
        )

    def seen(self, values: Points, places_mm: Points) -> Points:
        """Pixels of places on the felt."""
        straight = project_visible(np.append(values[:8], 1.0).reshape(3, 3), self._small(places_mm))
        square = (straight**2).sum(1, keepdims=True)
        bent = straight * (1 + values[8] * square + values[9] * square**2)
        return np.asarray(np.nan_to_num(self._centre + self._focal * bent, nan=1e6))

    def _flat(self, places_mm: Points, values: Points) -> Points:
        return self.seen(values, places_mm).ravel()

    def errors(self, values: Points) -> Points:
        """Everything that should be 0, each in units of its usual error."""
        # Standard deviations by which different measurements are weighed against each other. Source: no
        # measurement on record; on drawn tables corners were off by 0.05 to 0.1 px
        # (docs/measurements/layout.md).
        # (0.15, 0.05): usual size of k1 and k2 with the picture's width as focal length; holds them where
        # little is seen.
        parts = [values[8:10] / (0.15, 0.05)]
        for target, pose in zip(self._targets, self.poses(values), strict=True):
            seen = self.seen(values, move(target.places_mm, pose))
            parts.append((target.pixels - seen).ravel() / _USUAL_ERRORS_CORNER_PX)
            if target.placed is not None and not target.fixed:
                off = np.subtract(pose, target.placed)
                turned = np.sin(off[2] / 2) * 2 / np.deg2rad(0.5)
                # 2.0, np.deg2rad(0.5): of a sheet that somebody laid on a measured place.
                parts.append(np.append(off[:2] / 2.0, turned))
        return np.concatenate(parts)

    def spread(self, values: Points, covariance: Points, places_mm: Points) -> Points:
        """Standard deviation in mm, in the worst direction, of n x 2 places on the felt."""
        half = np.array([0.5, 0.0])
        found = []
        for place in np.asarray(places_mm, np.float64).reshape(-1, 1, 2):
            slopes = _slopes(partial(self._flat, place), values)
            here = np.vstack([place + half, place - half, place + half[::-1], place - half[::-1]])
            seen = self.seen(values, here)
            of_mm = np.column_stack([seen[0] - seen[1], seen[2] - seen[3]])
            in_mm = np.linalg.solve(of_mm, slopes)
            found.append(float(np.sqrt(np.linalg.eigvalsh(in_mm @ covariance @ in_mm.T)[-1])))
        return np.array(found)


def _rigid(places: Points, targets: Points) -> SheetPose:
    """The turn and shift that bring points closest to their targets (Kabsch, in the plane)."""
    middle, other = places.mean(0), targets.mean(0)
    cross = (places - middle).T @ (targets - other)
    turn = float(np.arctan2(cross[0, 1] - cross[1, 0], cross[0, 0] + cross[1, 1]))
    x, y = other - move(middle[None], (0.0, 0.0, turn))[0]
    return float(x), float(y), turn


def _slopes(function: Callable[[Points], Points], values: Points) -> Points:
    """The Jacobian by differences to both sides."""
    columns = []
    for number, value in enumerate(values):
        step = np.zeros(len(values))
        step[number] = 1e-6 * max(1.0, abs(value))
        columns.append((function(values + step) - function(values - step)) / (2 * step[number]))
    return np.column_stack(columns)


def _minimise(errors: Callable[[Points], Points], values: Points) -> tuple[Points, Points]:
    """The parameters with the least sum of squares near a start, and the Jacobian there."""
    damping, worth = DAMPING_START, float((errors(values) ** 2).sum())
    # 60 and 1e-9: the search ends after so many steps, or when one makes the sum of squares smaller by less
    # than this share.
    for _ in range(60):
        now, slopes = errors(values), _slopes(errors, values)
        squares = slopes.T @ slopes
        while damping < DAMPING_MAX:
            step = np.linalg.solve(squares + damping * np.diag(np.diag(squares) + 1e-12), -slopes.T @ now)
            better = float((errors(values + step) ** 2).sum())
            if better < worth:
                break
            damping *= _DAMPING_FACTOR
        else:
            break
        gain = (worth - better) / worth
        worth, values, damping = better, values + step, damping / _DAMPING_FACTOR
        if gain < 1e-9:
            break
    return values, _slopes(errors, values)
