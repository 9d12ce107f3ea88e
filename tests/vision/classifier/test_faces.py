"""A deck's faces say which card lies near an outline, where exactly, and nothing of bare felt."""

import cv2
import numpy as np
import pytest

from vision.faces import CARDS, FACE_CROP, Faces
from vision.geometry import Image, Points

LEFT, TOP = 60.0, 40.0


@pytest.fixture(scope="module")
def faces() -> Faces:
    """52 faces of paper with dark and red spots, seen everywhere but at the edge."""
    rng = np.random.default_rng(4)
    tones = np.full((CARDS, *FACE_CROP, 3), 170, np.uint8)
    for face in tones:
        for x, y, red in zip(
            rng.integers(6, 58, 9), rng.integers(6, 82, 9), rng.integers(0, 2, 9), strict=True
        ):
            cv2.circle(face, (int(x), int(y)), 4, (30, 30, 30 + 130 * int(red)), -1)
    shown = np.zeros(FACE_CROP, bool)
    shown[4:-4, 4:-4] = True
    return Faces(tones, shown)


def outline(right: float = 0.0, down: float = 0.0) -> Points:
    """A card of a face's own size, so much further right and down."""
    high, wide = FACE_CROP
    corners = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], float)
    return np.asarray(corners + np.array((LEFT + right - 0.5, TOP + down - 0.5)))[None]


def table(face: Image) -> Image:
    """A face on noisy felt."""
    picture = np.random.default_rng(1).normal((60, 110, 50), 3, (180, 200, 3)).clip(0, 255).astype(np.uint8)
    picture[int(TOP) : int(TOP) + FACE_CROP.height_px, int(LEFT) : int(LEFT) + FACE_CROP.width_px] = face
    return picture


@pytest.mark.parametrize("card", [0, 17, 51])
def test_a_face_is_placed_where_it_lies(faces: Faces, card: int) -> None:
    fits, outlines = faces.place(table(faces.tones[card]), outline(5.0, -4.0))
    assert int(fits[0].argmax()) == card
    assert fits[0].max() > 0.9
    assert np.abs(outlines[0] - outline()[0]).max() < 1.5


def test_a_fit_is_the_weighted_correlation(faces: Faces) -> None:
    looks = np.random.default_rng(2).random((2, 7, int(faces.shown.sum())), np.float32) - 0.5
    fits = faces._correlations(looks)
    assert np.allclose(fits, faces._standardised(looks.transpose(1, 0, 2)) @ faces._axes.T, atol=1e-5)


@pytest.mark.parametrize("tone", [0.0, 0.25, -0.5])
def test_what_is_flat_fits_nothing(faces: Faces, tone: float) -> None:
    flat = np.full((2, 3, int(faces.shown.sum())), tone, np.float32)
    assert np.abs(faces._correlations(flat)).max() < 0.1
