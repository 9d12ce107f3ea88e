"""Pixels to millimetres of felt and back."""

import numpy as np
from hypothesis import given, settings

from tests.vision.calibration.table_kit import Shot, grid_mm, shots


@given(shots)
@settings(max_examples=40, deadline=None)
def test_a_pixel_comes_back_from_the_felt(shot: Shot) -> None:
    plane = shot.plane()
    x, y = np.meshgrid(np.linspace(0, shot.width, 9), np.linspace(0, shot.height, 7))
    pixels = np.column_stack([x.ravel(), y.ravel()])
    assert np.abs(plane.to_px(plane.to_mm(pixels)) - pixels).max() < 1e-6


@given(shots)
@settings(max_examples=20, deadline=None)
def test_the_scale_is_that_of_two_neighbouring_places(shot: Shot) -> None:
    plane, places = shot.plane(), grid_mm(400)
    scale = plane.px_per_mm(places)
    for turn in np.linspace(0, np.pi, 7):
        step = np.array([np.cos(turn), np.sin(turn)])
        apart = np.hypot(*(plane.to_px(places + step / 2) - plane.to_px(places - step / 2)).T)
        assert (apart >= scale * 0.999).all()


def test_a_place_behind_the_horizon_is_nowhere() -> None:
    plane = Shot(tilt_deg=20).plane()
    direction = plane.mm_of_px[2, :2]
    far = -direction * (plane.mm_of_px[2, 2] / (direction @ direction)) * 2
    assert not np.isfinite(plane.to_mm(far[None])).any()
