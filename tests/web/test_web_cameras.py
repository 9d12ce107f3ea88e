"""The cameras' whole pictures: what is known is outlined, and nothing tells of a card that lies face down."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from sight_kit import StageCamera, at
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal
from drivers.camera import edges_of
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene


def seen(served: Served) -> dict[str, Any]:
    (found,) = json.loads(served.get("/api/cameras"))
    assert isinstance(found, dict)
    return found


def knows(served: Served, box: int, name: str) -> bool:
    return any(str(spot.card) == name for spot in served.spots(box))


def brightness(served: Served, view: dict[str, Any], x: int, y: int) -> float:
    """Of a place of the camera's picture, as the screen gets it."""
    picture = cv2.imdecode(np.frombuffer(served.get(view["picture"]), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    scale = picture.shape[1] / view["width"]
    return float(
        picture[int(y * scale) - 2 : int(y * scale) + 3, int(x * scale) - 2 : int(x * scale) + 3].mean()
    )


def test_the_dealers_cards_are_black_until_the_hole_card_is_turned(tmp_path: Path) -> None:
    camera = StageCamera()
    with Served(tmp_path, camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        camera.lay(at(1, "8h"), at(0, "10s"))
        served.deal("8h", "10s", "9d", "9c")
        served.until(lambda: knows(served, 0, "10s") and knows(served, 1, "8h"), 15)
        view = seen(served)
        assert [(one["look"], one["card"]) for one in view["cards"]] == [("certain", "8h")]
        corners = view["cards"][0]["corners"]
        x, y = sum(corners[::2]) // 4, sum(corners[1::2]) // 4
        assert brightness(served, view, x, y) > 80
        assert brightness(served, view, 290, 40) < 40, "the dealer's up card lies beside the hidden one"
        assert [rank["box"] for rank in view["ranks"]] == [0, 1]
        assert [(rank["px"], rank["read_percent"]) for rank in view["ranks"]] == [(5.9, 48), (5.9, 48)]
        served.say(Decision(1, 1, "stand"), Reveal())
        view = seen(served)
        assert {one["card"] for one in view["cards"]} == {"8h", "10s"}
        assert brightness(served, view, 290, 40) > 80


def test_nothing_is_shown_near_a_card_that_lies_face_down(tmp_path: Path) -> None:
    camera = StageCamera()
    with Served(tmp_path, rules="fr", camera=camera) as served:
        camera.lay(at(1, "8h"), at(1, "down", 1), at(2, "5c"))
        served.until(lambda: knows(served, 1, "8h") and knows(served, 2, "5c"), 15)
        served.until(lambda: len(served.lying()) == 3, 15)
        looks = {(one["look"], one["card"]) for one in seen(served)["cards"]}
        assert looks == {("down", ""), ("certain", "5c")}


def test_a_table_without_cameras_has_no_pictures(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        assert json.loads(served.get("/api/cameras")) == []


def test_edges_are_about_a_pixel_wide_in_focus_and_wider_out_of_it() -> None:
    cards = DrawnTableView((TableHand(1, 1, (TableCard("8", "h"),)), TableHand(2, 1, (TableCard("K", "s"),))))
    for view in (DrawnTableView(), cards):
        picture = render_frame(table_scene(view, 3), 3)
        assert edges_of(picture).width < 1.6
        assert edges_of(np.asarray(cv2.GaussianBlur(picture, (0, 0), 2), np.uint8)).width > 3.5
    assert edges_of(np.full((90, 160, 3), 90, np.uint8)).width == pytest.approx(0.0)
