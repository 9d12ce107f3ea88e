"""What only the heat map sees is told, and an empty felt holds nothing."""

import cv2
import numpy as np
import pytest

from benchmarks.reader_stress_reads import shoot
from models.judging import judge_hands
from tests.vision.index_kit import card, index
from tests.vision.objects.table_kit import near, placed, table
from vision.acceptance import accept_cards
from vision.assembly import AssembledCard
from vision.heat_map import HeatMap, HeatMapNetwork
from vision.heat_map_audit import cards_without_heat, faint_places, is_strange_deck
from vision.indices import Index, read_indices
from vision.inference import default_models_dir
from vision.proposal import coarse_sample, propose_indices
from vision.reader import CardReader
from vision.synth import DrawnTableView, TableCard, TableHand, felt_with_print, table_scene, take_picture

MISSED_ON = (5, 42)
"""Drawn tables on which the search for ink alone leaves out cards without a word."""


@pytest.fixture(scope="module")
def network() -> HeatMapNetwork:
    return HeatMapNetwork.open(default_models_dir() / "survey")


def test_an_empty_felt_with_print_holds_nothing(reader: CardReader) -> None:
    reading = reader.read(felt_with_print().copy())
    assert reading.cards == ()
    assert reading.unclear == ()


def test_light_felt_with_chips_holds_nothing(reader: CardReader) -> None:
    scene = table_scene(DrawnTableView(staked=(1, 2, 3, 4, 5, 6, 7)), 3)
    frame = take_picture(
        scene._replace(felt=cv2.convertScaleAbs(felt_with_print(), alpha=1.2, beta=90))
    ).frame
    assert reader.read(frame).cards == ()
    assert reader.read(frame).unclear == ()


def test_chips_beside_a_hand_are_no_card_face_down(reader: CardReader) -> None:
    cards = tuple(
        TableCard(rank, suit) for rank, suit in (("K", "s"), ("2", "h"), ("10", "s"), ("J", "h"), ("K", "h"))
    )
    view = DrawnTableView(tuple(TableHand(box, 1, cards) for box in (4, 5, 6)), staked=(3, 4, 5, 6, 7))
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


def test_a_read_where_the_heat_map_sees_nothing_is_doubted(
    reader: CardReader, network: HeatMapNetwork
) -> None:
    frame = take_picture(table()).frame
    indices, _ = read_indices(frame, propose_indices(frame, coarse_sample(frame)), reader.networks)
    acceptance = accept_cards(indices, frame)
    assert len(acceptance.accepted) == 3
    assert cards_without_heat(network.look(frame), acceptance.accepted) == set()
    doubted = acceptance.without(cards_without_heat(network.look(felt_with_print()), acceptance.accepted))
    assert doubted.accepted == []
    assert [reason for _, reason in doubted.unclear] == ["disagreement"] * 3


@pytest.mark.parametrize(("heat", "doubted"), [(0.9, set()), (0.0, {0})])
def test_an_index_past_the_last_whole_cell_is_compared_too(heat: float, doubted: set[int]) -> None:
    """A picture of 6,053 pixels is made six times smaller: five of them have no cell of their own."""
    heat_map = HeatMap(np.zeros((2, 2, 5)), np.full((4, 4), heat), np.full((2, 2), 20.0), 6)
    place, down = np.array([99.0, 50.0]), np.array([0.0, 1.0])
    last = Index(place, down, 20.0, 5, 1, 0.99, 0.99, 0.99, True, True)
    assert cards_without_heat(heat_map, [AssembledCard((last,), None)]) == doubted


def test_a_place_that_is_faintly_hot_is_worth_another_look_unless_a_card_is_there() -> None:
    heat = np.zeros((20, 80), np.float32)
    heat[10, 10], heat[10, 40], heat[10, 70] = 0.3, 0.3, 0.2
    seen = HeatMap(np.zeros((10, 40, 5), np.float32), heat, np.full((10, 40), 24.0), 1.0)
    assert faint_places(seen, [], None)[:, 0].round().tolist() == [42, 162]
    assert faint_places(seen, [card(index(42.0, 42.0))], None)[:, 0].round().tolist() == [162]


def test_a_deck_of_which_next_to_no_index_can_be_read_is_not_known() -> None:
    """A rank with another card's pip beside it is all that is read of a deck with an unknown layout."""
    heat = np.zeros((20, 80), np.float32)
    heat[2:18:4, 2:78:8] = 0.9
    seen = HeatMap(np.zeros((10, 40, 5), np.float32), heat, np.full((10, 40), 24.0), 1.0)
    assert len(seen.peaks(0.5).p) == 40
    cards = [card(index(60.0 * number, 50)) for number in range(11)]
    strange = [is_strange_deck(seen, cards[:read]) for read in (1, 10, 11)]
    assert strange == [True, True, False]
    few = seen._replace(heat=np.where(np.arange(80) < 40, heat, 0))
    assert not is_strange_deck(few, [card(index(10, 10))])
