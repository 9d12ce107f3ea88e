"""Camera faults: light, glare, blur, noise, sharpening, compression. Frames are BGR, uint8.

Source of all strengths: chosen by eye, up to the limit of human reading; not measured. The shipped networks
were trained with them.
"""

import cv2
import numpy as np

from vision.geometry import Image


def light(frame: Image, rng: np.random.Generator) -> Image:
    """A colour cast and a slow fall of brightness across the frame."""
    height, width = frame.shape[:2]
    corners = rng.uniform(0.55, 1.05, (3, 3)).astype(np.float32) * rng.uniform(0.55, 1.05)
    field = cv2.resize(corners, (width, height), interpolation=cv2.INTER_CUBIC)
    cast = rng.uniform(0.82, 1.06, 3).astype(np.float32) if rng.random() < 0.6 else np.ones(3, np.float32)
    return np.asarray(np.clip(frame * field[..., None] * cast, 0, 255), np.uint8)


def glare(frame: Image, rng: np.random.Generator) -> Image:
    """Add one or two soft highlights."""
    height, width = frame.shape[:2]
    veil = np.zeros((height // 8, width // 8), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        centre = (int(rng.integers(0, width // 8)), int(rng.integers(0, height // 8)))
        axes = (int(rng.integers(3, 14)), int(rng.integers(3, 14)))
        cv2.ellipse(veil, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(40, 170)), -1)
    veil = cv2.resize(cv2.GaussianBlur(veil, (0, 0), 4), (width, height))
    return np.clip(frame + veil[..., None], 0, 255).astype(np.uint8)


def shadows(frame: Image, rng: np.random.Generator) -> Image:
    """A hard or soft edged darker part."""
    height, width = frame.shape[:2]
    mask = np.zeros((height // 4, width // 4), np.float32)
    corners = rng.integers(-20, max(width, height) // 4 + 20, (int(rng.integers(3, 6)), 2)).astype(np.int32)
    cv2.fillPoly(mask, [cv2.convexHull(corners)], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.8, 8)))
    field = 1 - cv2.resize(soft, (width, height)) * float(rng.uniform(0.1, 0.5))
    return np.asarray(frame * field[..., None], np.uint8)


def motion(frame: Image, rng: np.random.Generator, length_px: float) -> Image:
    """Blur along one direction."""
    size = max(3, int(length_px) | 1)
    kernel = np.zeros((size, size), np.float32)
    turn = rng.uniform(0, np.pi)
    reach = np.array([np.cos(turn), np.sin(turn)]) * size / 2
    middle = np.array([size // 2, size // 2])
    first, last = (middle - reach).astype(int), (middle + reach).astype(int)
    cv2.line(kernel, (int(first[0]), int(first[1])), (int(last[0]), int(last[1])), 1.0, 1)
    return cv2.filter2D(frame, -1, kernel / max(float(kernel.sum()), 1e-6))


def blur(frame: Image, rng: np.random.Generator, detail_px: float) -> Image:
    """Defocus, motion or a lost resolution, scaled to a height in pixels that stays readable to people."""
    kind = rng.random()
    if kind < 0.45:
        return cv2.GaussianBlur(frame, (0, 0), float(rng.uniform(0.3, 0.05 * detail_px + 0.35)))
    if kind < 0.6:
        return motion(frame, rng, rng.uniform(2, 0.13 * detail_px + 2))
    if kind < 0.75:
        factor = float(rng.uniform(max(0.5, 9 / detail_px) if detail_px > 9 else 0.95, 1.0))
        small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (frame.shape[1], frame.shape[0]), interpolation=cv2.INTER_LINEAR)
    return frame


def sensor(frame: Image, rng: np.random.Generator) -> Image:
    """Noise, sharpening, JPEG."""
    if rng.random() < 0.7:
        sigma = float(rng.uniform(1, 9))
        noise = rng.standard_normal(frame.shape, np.float32) * sigma
        frame = np.clip(frame + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(frame, (0, 0), 1.2)
        amount = float(rng.uniform(0.3, 1.2))
        frame = cv2.addWeighted(frame, 1 + amount, soft, -amount, 0)
    if rng.random() < 0.7:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))]
        frame = np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, quality)[1], cv2.IMREAD_COLOR))
    return frame


def disturb(frame: Image, rng: np.random.Generator, detail_px: float) -> Image:
    """A random chain of faults, as a camera would add them.

    Blur is scaled to `detail_px`; in training that is the height of the rank alone (`rank_px`).
    """
    frame = light(frame, rng)
    if rng.random() < 0.35:
        frame = shadows(frame, rng)
    if rng.random() < 0.25:
        frame = glare(frame, rng)
    return sensor(blur(frame, rng, detail_px), rng)
