"""The survey of a whole picture: what only it sees is told, and an empty felt holds nothing."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from models.measure.hands import judge_hands
from models.stress.tables import shoot
from vision.acceptance.card_acceptance import accept_cards
from vision.assembly.assembled_card import AssembledCard
from vision.classifier.index import Index
from vision.classifier.index_reading import read_indices
from vision.geometry.arrays import Image
from vision.inference.manifest import default_models_dir
from vision.objects.face_down import assign_to_hands
from vision.objects.heat_map_audit import cards_without_heat
from vision.proposal.heat_map import HeatMap
from vision.proposal.heat_map_input import ALIGN_PX, prepared_picture
from vision.proposal.heat_map_network import HeatMapNetwork
from vision.proposal.index_pairs import propose_indices
from vision.proposal.paper_mask import coarse_sample
from vision.reader import CardReader
from vision.reading import Face, PointPx, ReadCard, Reading
from vision.synth import DEALER, TableCard, TableHand, TableView, felt_with_print, table_scene
from vision.synth.card import draw_card
from vision.synth.scene import LaidCard, Scene, index_truths, take_picture
from vision.synth.special_cards import draw_back
from vision.synth.style import CASINO_STYLE

MISSED_ON = (5, 19, 41)
"""Drawn tables on which the search for ink alone leaves out cards without a word."""

INDEX_PX = 24.0
"""Height of an index of the demo's cards, at the least."""


@pytest.fixture(scope="module")
def network() -> HeatMapNetwork:
    return HeatMapNetwork.open(default_models_dir() / "survey")


def placed(x: float, y: float, angle: float, name: str | None) -> LaidCard:
    """A card of the demo's deck, its back where it has no name; 130 pixels high."""
    if name is None:
        return LaidCard(draw_back(CASINO_STYLE, 276), x, y, angle, 130, face="down")
    return LaidCard(draw_card(CASINO_STYLE, name[:-1], name[-1], 276), x, y, angle, 130, name[:-1], name[-1])


def table(*cards: LaidCard) -> Scene:
    """Cards beside a few others that show how large a card is."""
    known = [placed(250 + 200 * slot, 850, 3.0 * slot, name) for slot, name in enumerate(("7h", "9s", "Kd"))]
    return Scene(1920, 1080, felt_with_print(), (*known, *cards))


def near(reading: Reading, at: PointPx, reach: float) -> set[str]:
    """Why something is unclear about a place."""
    return {spot.reason for spot in reading.unclear if np.hypot(*np.subtract(spot.at, at)) < reach}


def test_an_empty_felt_with_print_holds_nothing(reader: CardReader) -> None:
    reading = reader.read(felt_with_print().copy())
    assert reading.cards == ()
    assert reading.unclear == ()


def test_light_felt_with_chips_holds_nothing(reader: CardReader) -> None:
    scene = table_scene(TableView(staked=(1, 2, 3, 4, 5, 6, 7)), 3)
    frame = take_picture(
        scene._replace(felt=cv2.convertScaleAbs(felt_with_print(), alpha=1.2, beta=90))
    ).frame
    assert reader.read(frame).cards == ()
    assert reader.read(frame).unclear == ()


def test_chips_beside_a_hand_are_no_card_face_down(reader: CardReader) -> None:
    cards = tuple(
        TableCard(rank, suit) for rank, suit in (("K", "s"), ("2", "h"), ("10", "s"), ("J", "h"), ("K", "h"))
    )
    view = TableView(tuple(TableHand(box, 1, cards) for box in (4, 5, 6)), staked=(3, 4, 5, 6, 7))
    assert reader.read(take_picture(table_scene(view, 14)).frame).unclear == ()


@pytest.mark.parametrize("number", MISSED_ON)
def test_a_card_that_the_search_for_ink_misses_is_told(reader: CardReader, number: int) -> None:
    _, shot = shoot(number, [], "dealt")
    reading = reader.read(shot.picture.frame)
    blind = reading._replace(
        unclear=tuple(spot for spot in reading.unclear if spot.reason not in {"missed", "face_down"})
    )
    assert judge_hands(blind, shot.hands)["short"] > judge_hands(reading, shot.hands)["short"]
    assert judge_hands(reading, shot.hands)["exact"] == judge_hands(blind, shot.hands)["exact"]


def test_a_back_half_under_a_card_is_told(reader: CardReader) -> None:
    frame = take_picture(table(placed(960, 400, 4, None), placed(1005, 425, 2, "4c"))).frame
    reading = reader.read(frame)
    assert ("4", "c") in [(card.rank, card.suit) for card in reading.cards]
    assert all(card.face == "up" for card in reading.cards)
    assert near(reading, (940, 390), 60)


def test_a_back_that_lies_alone_is_a_card_face_down(reader: CardReader) -> None:
    reading = reader.read(take_picture(table(placed(960, 400, 30, None))).frame)
    down = [card for card in reading.cards if card.face == "down"]
    assert len(down) == 1
    assert np.hypot(*np.subtract(down[0].at, (960, 400))) < 12
    assert down[0].rank is None
    assert reading.unclear == ()


def read(at: PointPx, face: Face, hand: int) -> ReadCard:
    x, y = at
    quad = ((x - 30, y - 45), (x + 30, y - 45), (x + 30, y + 45), (x - 30, y + 45))
    return ReadCard("5" if face == "up" else None, "h" if face == "up" else None, 1.0, at, quad, face, hand)


def test_a_back_that_overlaps_a_hand_is_its_last_card() -> None:
    up = [read((100, 100), "up", 1), read((130, 110), "up", 1), read((500, 100), "up", 2)]
    cards = assign_to_hands(up, [read((175, 120), "down", 0), read((562, 100), "down", 0)])
    assert [(card.face, card.hand) for card in cards] == [
        ("up", 1),
        ("up", 1),
        ("down", 1),
        ("up", 2),
        ("down", 3),
    ]


def test_a_read_where_the_survey_sees_nothing_is_doubted(reader: CardReader, network: HeatMapNetwork) -> None:
    frame = take_picture(table()).frame
    indices, _ = read_indices(frame, propose_indices(frame, coarse_sample(frame)), reader._networks)
    verdict = accept_cards(indices, frame)
    assert len(verdict.accepted) == 3
    assert cards_without_heat(network.look(frame), verdict.accepted) == set()
    doubted = verdict.without(cards_without_heat(network.look(felt_with_print()), verdict.accepted))
    assert doubted.accepted == []
    assert [reason for _, reason in doubted.unclear] == ["disagreement"] * 3


@pytest.mark.parametrize(("heat", "doubted"), [(0.9, set()), (0.0, {0})])
def test_an_index_past_the_last_whole_cell_is_compared_too(heat: float, doubted: set[int]) -> None:
    """A picture of 6,053 pixels is made six times smaller: five of them have no cell of their own."""
    survey = HeatMap(np.zeros((2, 2, 5)), np.full((4, 4), heat), np.full((2, 2), 20.0), 6)
    place, down = np.array([99.0, 50.0]), np.array([0.0, 1.0])
    last = Index(place, down, 20.0, 5, 1, 0.99, 0.99, 0.99, True, [[0.0, 0.5, 0.5]] * 2, True)
    assert cards_without_heat(survey, [AssembledCard((last,), None)]) == doubted


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
    scene = table_scene(TableView((TableHand(DEALER, 1, (TableCard("7", "d"), TableCard("K", "s"))),)), 1)
    picture = take_picture(scene)
    frame = light(picture.frame)
    wanted = np.array([np.add(truth.top, truth.foot) / 2 for truth in index_truths(scene, picture)])
    peaks = network.look(frame).peaks(0.3).centres * picture.frame.shape[0] / frame.shape[0]
    apart = np.hypot(*(peaks[:, None] - wanted[None]).transpose(2, 0, 1))
    assert (apart.min(0) < INDEX_PX / 2).all()
    assert (apart.min(1) < INDEX_PX).all()


@pytest.mark.parametrize("shape", [(1, 1), (7, 900), (33, 35), (1081, 1919), (540, 4000)])
def test_pictures_of_any_size_are_surveyed(network: HeatMapNetwork, shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (*shape, 3), np.uint8)
    picture = prepared_picture(noise)
    assert picture.shape[0] % ALIGN_PX == picture.shape[1] % ALIGN_PX == 0
    survey = network.look(noise)
    assert survey.heat.shape == (picture.shape[0] // 4, picture.shape[1] // 4)
    assert np.allclose(survey.kinds.sum(2), 1, atol=1e-4)
    assert np.isfinite(survey.peaks(0.0).index_px).all()
    assert survey.scale * max(picture.shape[:2]) >= max(shape) - survey.scale
