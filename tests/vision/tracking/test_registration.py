"""Where the camera stands, from drawn tables: print, cards that lie there, hands that cross."""

from random import Random

import cv2
import numpy as np
import pytest

from vision.geometry import Image, Points
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.tracking.steady_camera import PictureRegistration

EMPTY = DrawnTableView()
ROUND = DrawnTableView(
    tuple(TableHand(box, 1, (TableCard("8", "h"), TableCard("K", "s"))) for box in range(1, 8)),
    tuple(range(1, 8)),
)
CORNERS = np.array([[0, 0], [1919, 0], [1919, 1079], [0, 1079]], np.float64)


def picture(view: DrawnTableView, seed: int = 1) -> Image:
    return render_frame(table_scene(view, 5), seed)


def way(right: float, down: float, turn_deg: float) -> Points:
    """How a bump moves the picture about its middle."""
    found = cv2.getRotationMatrix2D((960, 540), turn_deg, 1)
    found[:, 2] += np.array((right, down))
    return np.vstack([found, [0, 0, 1]])


def placed(matrix: Points, places: Points) -> Points:
    """Where places of the picture come to lie."""
    mapped = np.column_stack([places, np.ones(len(places))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def bumped(image: Image, *bump: float) -> Image:
    return np.asarray(cv2.warpPerspective(image, way(*bump), (1920, 1080), borderMode=cv2.BORDER_REPLICATE))


@pytest.mark.parametrize("view", [EMPTY, ROUND], ids=["print alone", "with cards"])
@pytest.mark.parametrize(
    "bump", [(5, 0, 0), (0, -5, 0), (20, 5, 0), (80, 0, 0), (0, 0, 1), (0, 0, 2), (10, 10, -3)], ids=str
)
def test_a_bump_is_measured_to_a_millimetre(view: DrawnTableView, bump: tuple[float, ...]) -> None:
    found = PictureRegistration(picture(view)).look(bumped(picture(view, 2), *bump))
    assert found.verdict == "moved"
    # A pixel of this camera is a millimetre.
    right = placed(way(*bump), found.start)
    assert np.abs(placed(found.matrix, found.start) - right).max() < 1.3
    # No print stands at the picture's own corners.
    assert np.abs(placed(found.matrix, CORNERS) - placed(way(*bump), CORNERS)).max() < 2.5
    assert found.turn_deg == pytest.approx(-bump[2], abs=0.05)


@pytest.mark.parametrize("tilt_deg", [0.3, 1.5, 2.5])
def test_a_camera_that_looks_elsewhere_sees_the_table_from_another_side(tilt_deg: float) -> None:
    turned = cv2.Rodrigues(np.radians((tilt_deg, -tilt_deg / 2, 0.5)))[0]
    lens = np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]])
    tilted = lens @ turned @ np.linalg.inv(lens)
    image = np.asarray(cv2.warpPerspective(picture(ROUND, 2), tilted, (1920, 1080)))
    found = PictureRegistration(picture(ROUND)).look(image)
    assert found.verdict == "moved"
    assert np.abs(placed(found.matrix, CORNERS) - placed(tilted, CORNERS)).max() < 1.5


@pytest.mark.parametrize("view", [EMPTY, ROUND], ids=["print alone", "with cards"])
def test_a_picture_in_its_place_is_told_as_such(view: DrawnTableView) -> None:
    assert PictureRegistration(picture(view)).look(picture(view, 2)).verdict == "in_place"


def test_cards_that_came_and_went_move_no_camera() -> None:
    registration = PictureRegistration(picture(EMPTY))
    assert registration.look(picture(ROUND, 2)).verdict == "in_place"
    registration.adopt()
    assert registration.look(picture(EMPTY, 3)).verdict == "in_place"


def test_one_hand_of_cards_that_is_pushed_is_no_moved_camera() -> None:
    pushed = picture(ROUND)
    first = pushed.copy()
    pushed[150:450, 860:1100] = first[150:450, 850:1090]
    assert PictureRegistration(first).look(pushed).verdict == "in_place"


def test_slow_steps_do_not_add_up_to_a_new_place() -> None:
    registration = PictureRegistration(picture(EMPTY))
    verdicts = []
    for step in range(1, 21):
        verdicts.append(registration.look(bumped(picture(EMPTY, step), 0.4 * step, 0, 0)).verdict)
        if verdicts[-1] == "in_place":
            registration.adopt()
    assert verdicts[-1] == "moved"


def test_a_felt_without_print_or_cards_tells_nothing() -> None:
    plain = np.full((1080, 1920, 3), (62, 104, 24), np.uint8)
    noise = np.asarray(np.random.default_rng(Random(3).randrange(9)).integers(0, 4, plain.shape), np.uint8)
    registration = PictureRegistration(plain)
    assert registration.look(cv2.add(plain, noise)).verdict == "unknown"
