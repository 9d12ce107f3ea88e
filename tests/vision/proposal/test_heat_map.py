"""The heat map of a whole picture: where indices are, in any light and at any size."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.geometry import Image
from vision.heat_map import ALIGN_PX, OUTPUTS, HeatMap, HeatMapNetwork, decode_heat_map, prepared_picture
from vision.inference import default_models_dir
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, index_truths, table_scene, take_picture

INDEX_PX = 24.0
"""Height of an index of the demo's cards, at the least."""


@pytest.fixture(scope="module")
def network() -> HeatMapNetwork:
    return HeatMapNetwork.open(default_models_dir() / "survey")


@pytest.mark.parametrize(
    "light",
    [
        lambda frame: frame,
        lambda frame: cv2.convertScaleAbs(frame, alpha=0.3),
        lambda frame: (frame * np.array([0.7, 0.9, 1.0])).astype(np.uint8),
        lambda frame: cv2.resize(frame, None, fx=2, fy=2),
    ],
    ids=["plain", "dark", "warm", "4K"],
)
def test_indices_are_seen_in_any_light(network: HeatMapNetwork, light: Callable[[Image], Image]) -> None:
    scene = table_scene(
        DrawnTableView((TableHand(DEALER, 1, (TableCard("7", "d"), TableCard("K", "s"))),)), 1
    )
    picture = take_picture(scene)
    frame = light(picture.frame)
    wanted = np.array([np.add(truth.top, truth.foot) / 2 for truth in index_truths(scene, picture)])
    peaks = network.look(frame).peaks(0.3).centres * picture.frame.shape[0] / frame.shape[0]
    apart = np.hypot(*(peaks[:, None] - wanted[None]).transpose(2, 0, 1))
    assert (apart.min(0) < INDEX_PX / 2).all()
    assert (apart.min(1) < INDEX_PX).all()


@pytest.mark.parametrize("shape", [(1, 1), (7, 900), (33, 35), (1081, 1919), (540, 4000)])
def test_pictures_of_any_size_have_a_heat_map(network: HeatMapNetwork, shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (*shape, 3), np.uint8)
    picture = prepared_picture(noise)
    assert picture.shape[0] % ALIGN_PX == picture.shape[1] % ALIGN_PX == 0
    heat_map = network.look(noise)
    assert heat_map.heat.shape == (picture.shape[0] // 4, picture.shape[1] // 4)
    assert np.allclose(heat_map.kinds.sum(2), 1, atol=1e-4)
    assert np.isfinite(heat_map.peaks(0.0).index_px).all()
    assert heat_map.scale * max(picture.shape[:2]) >= max(shape) - heat_map.scale


def test_a_peak_of_the_outputs_is_a_place_and_a_height_in_the_picture() -> None:
    outputs = np.full((OUTPUTS, 4, 6), -8.0)
    outputs[5 + 3, 2, 1] = 8.0  # the lower right quarter of the cell in the third row and the second column
    outputs[-1] = 5 / 4  # 2 to the power of 5: 32 pixels of the network's picture
    found = decode_heat_map(outputs, 2.0).peaks(0.5)
    assert found.centres.tolist() == [[2 * (3.5 * 4 - 0.5), 2 * (5.5 * 4 - 0.5)]]
    assert found.index_px.tolist() == [64.0]
    assert found.p[0] > 0.99


def test_the_share_of_a_kind_is_that_within_an_outline() -> None:
    kinds = np.zeros((4, 4, 5))
    kinds[:, :2, 2] = 1.0
    heat_map = HeatMap(kinds, np.zeros((8, 8)), np.zeros((4, 4)), 1.0)
    left = np.array([[0, 0], [12, 0], [12, 31], [0, 31]], float)
    assert heat_map.mean_within(left, "back") == 1.0
    assert heat_map.mean_within(left + np.array([16, 0]), "back") == 0.0
    assert heat_map.mean_within(left + np.array([500, 0]), "back") == 0.0
