"""Pixels of a fixed camera to millimetres on the felt and back: a homography, and the lens where it is known.

The lens is the radial part of the Brown-Conrady model: a straight ray at radius r (focal lengths from the
centre) is seen at r (1 + k1 r^2 + k2 r^4). The homography speaks of the straight picture.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Points

_NEWTON_STEPS: Final = 12
"""Steps of the search for a straight radius; it gains as many digits again in each.

Source: tests/vision/calibration/test_homography.py: a pixel comes back to a millionth.
"""

_FOLD_MARGIN: Final = 1.3
_FOLD_SLOPE: Final = 0.1
"""Up to so many picture radii the seen radius must grow at least so fast: else the lens folds the picture
over.

Source: no measurement on record.
"""

DEPTH_MIN: Final = 1e-9
"""A depth below this lies at the horizon of the felt or behind the camera."""


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
        for _ in range(_NEWTON_STEPS):
            value = radius * (1 + self.k1 * radius**2 + self.k2 * radius**4) - seen
            radius = radius - value / self.slope(radius)
        return np.asarray(self.centre_px + self.focal_px * bent * (radius / np.maximum(seen, 1e-12)))

    def slope(self, radius: Points) -> Points:
        """Return the derivative of the distorted radius by the undistorted one."""
        return np.asarray(1 + 3 * self.k1 * radius**2 + 5 * self.k2 * radius**4)

    def folds(self, corners: Points) -> bool:
        """Whether the lens model maps two rays to one pixel within a picture of these corners."""
        farthest = np.hypot(*((corners - self.centre_px) / self.focal_px).T).max()
        return bool(self.slope(np.linspace(0, _FOLD_MARGIN * farthest, 64)).min() < _FOLD_SLOPE)


def project_visible(matrix: Points, points: Points) -> Points:
    """Map n x 2 points by a homography; not a number where a point has no image."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    depth = np.where(mapped[:, 2:] > DEPTH_MIN, mapped[:, 2:], np.nan)
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
        straight = project_visible(self._px_of_mm(), places)
        return straight if self.lens is None else self.lens.bend(straight)

    def px_per_mm(self, places_mm: Points) -> Points:
        """Pixels a millimetre at n places, in the direction in which they are fewest."""
        places = np.asarray(places_mm, np.float64).reshape(-1, 2)
        half = np.array([0.5, 0.0])
        along = self.to_px(places + half) - self.to_px(places - half)
        down = self.to_px(places + half[::-1]) - self.to_px(places - half[::-1])
        return np.asarray(np.linalg.svd(np.stack([along, down], 2), compute_uv=False)[:, 1])

    def _px_of_mm(self) -> Points:
        """Return the inverse homography, scaled to positive depth in view of the camera.

        A place that a pixel of depth w maps to has the inverse depth 1 / w: the sign is preserved.
        """
        return np.asarray(np.linalg.inv(self.mm_of_px))


def facing(mm_of_px: Points, pixel: tuple[float, float], lens: Lens | None) -> Points:
    """The same homography, scaled to the size 1 and with a positive depth at a pixel of the picture."""
    seen = np.array([pixel], np.float64)
    straight = seen if lens is None else lens.straighten(seen)
    depth = float(mm_of_px[2] @ (*straight[0], 1.0))
    return np.asarray(mm_of_px / (np.linalg.norm(mm_of_px) * (1 if depth > 0 else -1)))
