"""Camera faults one at a time, so that a report shows the effect of each; frames are BGR, uint8.

Strengths go up to the limit of human reading; those of sharpness scale with the index's height in pixels.
`index_px` is that of rank and pip together.
"""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth import RenderedScene, disturb, glare, light, motion, shadows

_ImageFault = Callable[[Image, np.random.Generator, float], Image]

SKIN: Final = ((150, 180, 225), (110, 140, 195), (60, 85, 140))


def _none(frame: Image, _rng: np.random.Generator, _index_px: float) -> Image:
    return frame


def _defocus(frame: Image, rng: np.random.Generator, index_px: float) -> Image:
    return cv2.GaussianBlur(frame, (0, 0), float(rng.uniform(0.3, 0.03 * index_px + 0.4)))


def _motion(frame: Image, rng: np.random.Generator, index_px: float) -> Image:
    return motion(frame, rng, rng.uniform(2, 0.08 * index_px + 2))


def _coarse(frame: Image, rng: np.random.Generator, index_px: float) -> Image:
    """Reduce the resolution as a camera of fewer pixels does, down to an index of 12."""
    factor = float(rng.uniform(min(0.95, max(0.5, 12 / index_px)), 1.0))
    small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (frame.shape[1], frame.shape[0]), interpolation=cv2.INTER_LINEAR)


def _dark(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    """Too little light, with the noise that the camera's gain adds."""
    return _noised(cv2.convertScaleAbs(frame, alpha=float(rng.uniform(0.15, 0.5))), rng, rng.uniform(1, 5))


def _bright(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    return cv2.convertScaleAbs(frame, alpha=float(rng.uniform(1.1, 1.8)))


def _glare(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    return glare(frame, rng)


def _shadow(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    return shadows(frame, rng)


def _uneven(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    return light(frame, rng)


def _cast(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    """Light of one colour, as from a lamp that the white balance does not know."""
    tint = rng.uniform(0.6, 1.05, 3).astype(np.float32)
    return np.asarray(np.clip(frame * tint, 0, 255), np.uint8)


def _noised(frame: Image, rng: np.random.Generator, sigma: float) -> Image:
    noise = rng.standard_normal(frame.shape, np.float32) * sigma
    return np.asarray(np.clip(frame + noise, 0, 255), np.uint8)


def _noise(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    return _noised(frame, rng, float(rng.uniform(4, 16)))


def _jpeg(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(15, 50))]
    return np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, quality)[1], cv2.IMREAD_COLOR))


def _mixed(frame: Image, rng: np.random.Generator, index_px: float) -> Image:
    """The chain of training, blurred somewhat more: here to the whole index's height, there to the rank's."""
    return disturb(frame, rng, index_px)


def _sharpened(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    soft, amount = cv2.GaussianBlur(frame, (0, 0), 1.2), float(rng.uniform(0.8, 2.0))
    return cv2.addWeighted(frame, 1 + amount, soft, -amount, 0)


FAULTS: Final[dict[str, _ImageFault]] = {
    "none": _none,
    "defocus": _defocus,
    "motion": _motion,
    "coarse": _coarse,
    "dark": _dark,
    "bright": _bright,
    "glare": _glare,
    "shadow": _shadow,
    "uneven light": _uneven,
    "colour cast": _cast,
    "noise": _noise,
    "jpeg": _jpeg,
    "sharpened": _sharpened,
    "mixed": _mixed,
    "tilt": _none,
    "fingers": _none,
}
"""By name. `mixed` is the chain of training; a scene for `tilt` leans 20 to 40 degrees, for `fingers` some
cover the cards (`cover`)."""


def cover(
    picture: RenderedScene, rng: np.random.Generator, spots: list[tuple[float, float]], width_px: float
) -> RenderedScene:
    """Draw skin-coloured fingers across the spots; covered indices count as hidden."""
    frame, owner = picture.frame.copy(), picture.owner.copy()
    for x, y in spots:
        shade = np.array(SKIN[rng.integers(len(SKIN))]) * rng.uniform(0.8, 1.1)
        skin = tuple(float(value) for value in shade)
        turn, shift = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.5, 2) * width_px
        reach = np.array([np.cos(turn), np.sin(turn)]) * width_px * rng.uniform(1, 4)
        first = np.array([x, y]) + shift
        start, end = (tuple(int(value) for value in point) for point in (first, first + reach))
        thick = max(3, int(width_px * rng.uniform(0.5, 1.0)))
        cv2.line(frame, start, end, skin, thick, cv2.LINE_AA)
        cv2.line(owner, start, end, -2, thick)
    return picture._replace(frame=frame, owner=owner)
