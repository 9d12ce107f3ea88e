"""The whole way on one tilted camera: sheets, then cards, then boxes; and the live camera's view of it."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli.calibration import CalibrateArgs, wanted_of
from controller.devices.cameras.tracker import CameraTracker
from tests.vision.calibration.table_kit import Laid, Shot, felt, lay_cards, lay_sheet, shoot
from vision.calibration.calibrate import CalibrationPicture, calibrate_by_sheets
from vision.calibration.layout import Layout, TableMap
from vision.calibration.outcome_files import CalibrationRecord, write_layout
from vision.geometry import Image
from vision.reader import CardReader
from vision.sequence import RestingReader

PLAN = Path(__file__).parents[3] / "examples" / "plan.toml"
SHOT = Shot(2208, 1242, tilt_deg=20, axis_deg=10, k1=-0.06, view_mm=2050)
SHEETS = {"A4-1": (794, 420, 0), "A4-2": (1450, 120, 3), "A4-3": (120, 130, -5), "A4-5": (1400, 700, 10)}
HANDS = {
    1: [("A", "s"), ("9", "h")],
    3: [("10", "d"), ("4", "c"), ("2", "h")],
    4: [("K", "c"), ("Q", "d")],
    7: [("8", "s"), ("5", "d"), ("6", "c")],
}


def fan(box: int) -> list[Laid]:
    """A hand as it lies at its box of the plan, turned towards the dealer's side."""
    turn = np.deg2rad(-40 + 80 * (box - 1) / 6)
    middle = np.array([920 + 1150 * np.sin(turn), 1450 - 1150 * np.cos(turn)])
    cos, sin = np.cos(turn), np.sin(turn)
    cards = []
    for number, (rank, suit) in enumerate(HANDS[box]):
        right, down = -25 + 24 * number, 10 - 8 * number
        x, y = middle + np.array([cos * right - sin * down, sin * right + cos * down])
        cards.append(Laid(rank, suit, float(x), float(y), float(np.rad2deg(turn))))
    return cards


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    canvas = felt()
    for name, (x, y, turn) in SHEETS.items():
        lay_sheet(canvas, name, (x, y), turn)
    asked = CalibrateArgs(PLAN, square_mm=36, index_mm=22)
    outcome = calibrate_by_sheets([CalibrationPicture("1", shoot(canvas, SHOT, noise=4))], wanted_of(asked))
    assert [one.code for one in outcome.complaints if one.refuses] == []
    path = tmp_path_factory.mktemp("layout") / "layout.toml"
    empty = np.zeros((SHOT.height, SHOT.width, 3), np.uint8)
    return write_layout(
        path, outcome, wanted_of(asked).cards, empty, CalibrationRecord("sheet", "2026-01-31")
    )


@pytest.fixture(scope="module")
def dealt() -> Image:
    canvas = felt()
    lay_cards(canvas, [card for box in HANDS for card in fan(box)])
    return shoot(canvas, SHOT, 3, noise=4)


def test_the_cards_of_a_tilted_table_come_to_their_boxes(
    reader: CardReader, layout: Layout, dealt: Image
) -> None:
    assigned = TableMap(layout, SHOT.width, SHOT.height).assign(reader.read(dealt))
    found = {(one.box, one.card.rank, one.card.suit) for one in assigned.cards}
    laid = {(box, rank, suit) for box, hand in HANDS.items() for rank, suit in hand}
    assert found <= laid
    assert len(found) == len(assigned.cards) >= len(laid) - 1


def test_the_live_camera_tells_places_as_they_were_calibrated(
    reader: CardReader, layout: Layout, dealt: Image
) -> None:
    small = cv2.resize(dealt, (1920, 1080), interpolation=cv2.INTER_AREA)
    rng = np.random.default_rng(5)
    look, box_at = (
        CameraTracker(RestingReader(reader), layout),
        TableMap(layout, SHOT.width, SHOT.height).box_at,
    )
    for moment in range(12):
        noisy = np.clip(small + rng.normal(0, 1.5, small.shape), 0, 255).astype(np.uint8)
        view = look(noisy, moment * 60_000_000)
    found = {(box_at(card.at), card.card.rank, card.card.suit) for card in view.cards}
    laid = {(box, rank, suit) for box, hand in HANDS.items() for rank, suit in hand}
    assert found <= laid
    assert len(found) >= len(laid) - 2
