"""Rendered tables with printed sheets: where things are comes out right, bad set-ups are refused."""

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest

from tests.vision.calibration.table_kit import Shot, felt, grid_mm, lay, lay_sheet, shoot
from vision.calibration.calibrate import (
    CalibrationInputs,
    CalibrationOutcome,
    CalibrationPicture,
    art_print,
    calibrate_by_print,
    calibrate_by_sheets,
    picture_print,
)
from vision.calibration.felt_plane import FeltPlane
from vision.calibration.layout import CardsPart, SheetPlace, Zone
from vision.calibration.outcome_files import draw_outcome
from vision.geometry import Image
from vision.synth import felt_with_print

PLACES = {
    "A4-1": (794.0, 420.0, 0.0),
    "A4-2": (1450.0, 120.0, 3.0),
    "A4-3": (120.0, 130.0, -5.0),
    "A4-4": (350.0, 700.0, 90.0),
    "A4-5": (1400.0, 700.0, 10.0),
}
CLOSE = Shot(1280, 720, view_mm=640, tilt_deg=8, axis_deg=60)
"""A camera that sees one sheet in the middle of the table at two pixels a millimetre."""


def rectangle(box: int, left: float, top: float, right: float, foot: float) -> Zone:
    return Zone(kind="box", box=box, outline_mm=((left, top), (right, top), (right, foot), (left, foot)))


def wanted(*zones: Zone, index_mm: float = 13, places: tuple[SheetPlace, ...] = ()) -> CalibrationInputs:
    return CalibrationInputs(lambda _: zones, CardsPart(index_mm=index_mm), places)


NEAR = rectangle(4, 800, 430, 1000, 600)
FIXED = (SheetPlace(name="A4-1", at_mm=(794, 420)),)


@cache
def table() -> Image:
    canvas = felt()
    for name, (x, y, turn) in PLACES.items():
        lay_sheet(canvas, name, (x, y), turn)
    return canvas


@cache
def middle() -> Image:
    canvas = felt()
    lay_sheet(canvas, "A4-1", (794, 420))
    return canvas


@cache
def close(light: float = 1.0, blur: float = 0.5, turn_deg: float = 0.0) -> Image:
    return shoot(middle(), CLOSE._replace(turn_deg=turn_deg), light=light, blur=blur)


def frames(*images: Image) -> list[CalibrationPicture]:
    return [CalibrationPicture(f"{number}.png", image) for number, image in enumerate(images, start=1)]


def errors_mm(found: FeltPlane, shot: Shot) -> np.ndarray:
    places, true = grid_mm(), shot.plane()
    pixels = true.to_px(places)
    seen = (pixels >= 0).all(1) & (pixels < (shot.width, shot.height)).all(1)
    return np.asarray(np.hypot(*(found.to_mm(pixels[seen]) - places[seen]).T))


def codes(outcome: CalibrationOutcome) -> set[str]:
    return {complaint.code for complaint in outcome.complaints if complaint.refuses}


def photographed(frame: Image, quality: int) -> Image:
    data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))


@pytest.mark.parametrize(
    ("shot", "most_mm"),
    [
        pytest.param(
            *(Shot(1920, 1080, tilt_deg=20, axis_deg=30, k1=-0.12, turn_deg=180), 1.5),
            marks=pytest.mark.night,
        ),
        (Shot(1280, 720, tilt_deg=15, axis_deg=100, k1=0.08), 2.0),
    ],
)
def test_sheets_anywhere_on_the_felt_tell_where_every_pixel_lies(shot: Shot, most_mm: float) -> None:
    noisy = frames(*(photographed(shoot(table(), shot, seed, noise=4), 80) for seed in (1, 2)))
    outcome = calibrate_by_sheets(noisy, wanted(NEAR, index_mm=40, places=FIXED))
    assert outcome.fit is not None
    assert codes(outcome) == set()
    assert {target.name for target in outcome.targets} == set(PLACES)
    assert errors_mm(outcome.fit.plane, shot).max() < most_mm
    assert outcome.fit.residual_px < 0.3
    assert outcome.zones[0].px_per_mm == pytest.approx(shot.plane().px_per_mm(NEAR.corners()).min(), rel=0.01)


def test_one_sheet_is_enough_near_it_but_not_across_the_table() -> None:
    shot = Shot(1280, 720, tilt_deg=20, k1=-0.12)
    far = rectangle(1, 60, 60, 260, 300)
    outcome = calibrate_by_sheets(frames(shoot(middle(), shot)), wanted(NEAR, far, index_mm=40, places=FIXED))
    (complaint,) = (one for one in outcome.complaints if one.code == "PLACES_UNCERTAIN")
    assert [zone.box for zone, _ in complaint.zones] == [1]
    assert outcome.refused
    assert outcome.fit is not None
    real = outcome.fit.plane.to_mm(shot.plane().to_px(far.corners())) - far.corners()
    assert np.hypot(*real.T).max() < 3 * outcome.zones[1].spread_mm


def test_a_good_close_set_up_is_accepted() -> None:
    outcome = calibrate_by_sheets(frames(close(), close()), wanted(NEAR, places=FIXED))
    assert not outcome.refused
    assert outcome.zones[0].rank_px == pytest.approx(13 * 1280 / 640, rel=0.1)


def covered(frame: Image) -> Image:
    frame = frame.copy()
    cv2.circle(frame, (520, 300), 110, (120, 150, 200), -1)
    return frame


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: [close(blur=2.2)], "BLURRED"),
        (lambda: [close(light=1.25)], "BURNT"),
        (lambda: [close(light=0.25)], "DARK"),
        (lambda: [covered(close())], "SHEET_HIDDEN"),
        (lambda: [close(), close(turn_deg=0.3), close()], "FRAMES_MOVED"),
        (lambda: [close(), close()[:700]], "FRAME_SIZE"),
        (lambda: [np.full((720, 1280, 3), 90, np.uint8)], "SHEET_MISSING"),
        (lambda: [np.random.default_rng(1).integers(0, 256, (720, 1280, 3), np.uint8)], "SHEET_MISSING"),
    ],
)
def test_a_bad_set_up_is_refused_by_its_reason(make: Callable[[], list[Image]], code: str) -> None:
    outcome = calibrate_by_sheets(frames(*make()), wanted(NEAR, places=FIXED))
    assert codes(outcome) == {code}
    assert outcome.refused
    if code == "FRAMES_MOVED":
        assert [one.params["frame"] for one in outcome.complaints if one.refuses] == ["2.png"]


def test_a_small_index_is_refused_and_a_middling_one_warned_of() -> None:
    small, middling = (
        calibrate_by_sheets(frames(close()), wanted(NEAR, places=FIXED, index_mm=height))
        for height in (6.5, 10)
    )
    assert codes(small) == {"INDEX_TOO_SMALL"}
    assert codes(middling) == set()
    assert "INDEX_SMALL" in {one.code for one in middling.complaints}


def test_a_zone_that_the_picture_cuts_is_refused() -> None:
    outcome = calibrate_by_sheets(frames(close()), wanted(rectangle(2, 400, 430, 700, 600), places=FIXED))
    assert codes(outcome) == {"ZONE_CUT"}


def test_a_sheet_that_lies_beside_its_mark_or_is_absent_is_refused() -> None:
    shot = Shot(1280, 720, tilt_deg=5)
    picture = frames(shoot(table(), shot))
    planned = (
        *FIXED,
        SheetPlace(name="A4-2", at_mm=(1420, 120), turn_deg=3),
        SheetPlace(name="A3-1", at_mm=(0, 0)),
    )
    outcome = calibrate_by_sheets(picture, wanted(NEAR, index_mm=40, places=planned))
    assert codes(outcome) == {"SHEET_MISPLACED", "SHEET_MISSING"}
    named = {one.code: one.params["sheet"] for one in outcome.complaints if one.refuses}
    assert named == {"SHEET_MISPLACED": "A4-2", "SHEET_MISSING": "A3-1"}


@cache
def printed() -> Image:
    canvas = felt()
    lay(canvas, felt_with_print(), 1920 / 1840, (0, 0))
    return canvas


def test_the_felt_s_own_print_tells_where_every_pixel_lies() -> None:
    shot = Shot(1280, 720, tilt_deg=15, axis_deg=40, k1=-0.1)
    known = art_print(felt_with_print(), 1840, (0, 0))
    outcome = calibrate_by_print(frames(shoot(printed(), shot)), known, wanted(NEAR, index_mm=40))
    assert outcome.fit is not None
    assert codes(outcome) == set()
    box = NEAR.corners()
    assert np.hypot(*(outcome.fit.plane.to_mm(shot.plane().to_px(box)) - box).T).max() < 3
    assert errors_mm(outcome.fit.plane, shot).max() < 3 * outcome.fit.spread(grid_mm(230)).max()


def test_a_moved_camera_is_found_again_from_its_earlier_picture() -> None:
    before, after = Shot(1280, 720, tilt_deg=10), Shot(1280, 720, tilt_deg=13, axis_deg=20, turn_deg=4)
    known = picture_print(shoot(printed(), before), before.plane())
    outcome = calibrate_by_print(frames(shoot(printed(), after, 7)), known, wanted(NEAR, index_mm=40))
    assert outcome.fit is not None
    assert np.median(errors_mm(outcome.fit.plane, after)) < 1.5


@pytest.mark.night
def test_another_felt_is_not_taken_for_the_print() -> None:
    known = art_print(felt_with_print(), 1840, (0, 0))
    outcome = calibrate_by_print(frames(close()), known, wanted(NEAR))
    assert codes(outcome) == {"PRINT_NOT_FOUND"}


def test_the_picture_shows_what_was_found_and_leaves_the_original() -> None:
    image = close()
    before = image.copy()
    outcome = calibrate_by_sheets(frames(image), wanted(NEAR, places=FIXED))
    drawn = draw_outcome(image, outcome)
    assert (image == before).all()
    assert drawn.shape == image.shape
    assert (drawn != image).any(axis=2).mean() > 0.02
