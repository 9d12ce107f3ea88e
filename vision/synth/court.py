"""Plain court figures of our own: bands, checks, a face and a crown, the same upside down.

Source of all sizes and colours here: chosen by eye; not measured. A body network has to say that a card is a
court card, not which one.
"""

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth.style import CardStyle, Colour

_INKS: tuple[Colour, ...] = ((40, 30, 190), (30, 190, 235), (140, 60, 30), (30, 28, 28), (60, 120, 40))


def _checks(region: Image, rng: np.random.Generator, first: Colour, second: Colour) -> None:
    pitch = max(3, int(region.shape[0] * rng.uniform(0.03, 0.09)))
    y, x = np.mgrid[0 : region.shape[0], 0 : region.shape[1]]
    slant = rng.choice([0, 1, -1])
    mask = ((x + slant * y) // pitch + (y // pitch if rng.random() < 0.5 else 0)) % 2 == 0
    region[mask] = first
    region[~mask] = second


def _coat(region: Image, rng: np.random.Generator) -> None:
    """Slanted bands and patches of checks over the lower part of the half figure."""
    height, width = region.shape[:2]
    for _ in range(int(rng.integers(3, 7))):
        ink = _INKS[rng.integers(len(_INKS))]
        x0, x1 = sorted(int(value) for value in rng.integers(0, width, 2))
        y0 = int(rng.uniform(0.35, 0.9) * height)
        corners = np.array(
            [[x0, y0], [x1, y0 + height // 8], [x1 + width // 8, height], [x0 - width // 8, height]]
        )
        cv2.fillPoly(region, [corners.astype(np.int32)], ink)
        cv2.polylines(region, [corners.astype(np.int32)], True, (30, 30, 30), 1, cv2.LINE_AA)
    x, y = int(rng.integers(0, width // 2)), int(height * rng.uniform(0.5, 0.8))
    first, second = (_INKS[i] for i in rng.permutation(len(_INKS))[:2])
    _checks(region[y : y + height // 5, x : x + width // 2], rng, first, second)


def _head(region: Image, rng: np.random.Generator, rank: str) -> None:
    height, width = region.shape[:2]
    middle, level = int(width * rng.uniform(0.45, 0.65)), int(height * 0.36)
    size = int(height * 0.13)
    hair = _INKS[rng.integers(3)]
    cv2.ellipse(
        region, (middle, level), (int(size * 1.25), int(size * 1.5)), 0, 0, 360, hair, -1, cv2.LINE_AA
    )
    cv2.ellipse(region, (middle, level), (int(size * 0.8), size), 0, 0, 360, (205, 222, 240), -1, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(
            region, (middle + side * size // 3, level - size // 4), max(1, size // 8), (40, 40, 40), -1
        )
    cv2.line(
        region,
        (middle - size // 3, level + size // 2),
        (middle + size // 3, level + size // 2),
        (40, 40, 160),
        1,
    )
    spikes = {"J": 2, "Q": 5, "K": 3}[rank]
    x = np.linspace(middle - size * 1.2, middle + size * 1.2, 2 * spikes + 1)
    y = np.where(np.arange(2 * spikes + 1) % 2 == 0, level - size * 1.1, level - size * 1.9)
    crown = np.vstack([np.stack([x, y], 1), [[x[-1], level - size * 0.8], [x[0], level - size * 0.8]]])
    cv2.fillPoly(region, [crown.astype(np.int32)], (40, 190, 235), cv2.LINE_AA)
    cv2.polylines(region, [crown.astype(np.int32)], True, (30, 30, 30), 1, cv2.LINE_AA)


def draw_court(image: Image, style: CardStyle, rank: str, pip: tuple[Image, Colour], clear: float) -> None:
    """Draws a double-headed jack, queen or king into the middle, from `clear` pixels off the left edge."""
    shape, colour = pip
    rng = np.random.default_rng((style.seed, "JQK".index(rank), sum(colour)))
    height, width = image.shape[:2]
    left = int(min(clear, 0.36 * width))
    top = int(height * 0.075)
    half = image[top : height // 2, left : width - left]
    _coat(half, rng)
    _head(half, rng, rank)
    size = max(4, int(half.shape[0] * 0.28))
    mark = cv2.resize(shape, (size, size), interpolation=cv2.INTER_AREA)
    corner = half[2 : 2 + size, 2 : 2 + size]
    corner[mark[: corner.shape[0], : corner.shape[1]] > 127] = colour
    lower = image[height - height // 2 : height - top, left : width - left]
    lower[:] = half[::-1, ::-1][: lower.shape[0]]
    if style.court_frame:
        edge = (120, 60, 30) if style.seed % 2 else (40, 40, 40)
        cv2.rectangle(image, (left, top), (width - left - 1, height - top - 1), edge, max(1, height // 180))
