"""Whole rendered tables: every card read, none wrong, in order, by box."""

import itertools

import cv2
import numpy as np
import pytest

from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, ReadCard
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.synth.demo_table import card_place, hand_at

ALL_CARDS = list(itertools.product(RANKS, SUITS))


def middle_of(card: ReadCard) -> tuple[float, float]:
    """Centre of a read card: of its quad where known, else the place that was read."""
    if card.quad is None:
        return card.at
    return sum(x for x, _ in card.quad) / 4, sum(y for _, y in card.quad) / 4


def cards_by_hand(cards: tuple[ReadCard, ...]) -> dict[tuple[int, int], tuple[ReadCard, ...]]:
    """Read cards by (box, hand), each hand from its lowest card; the dealer is (DEALER, 1).

    Cards outside every zone are under (-1, 0).
    """
    hands: dict[tuple[int, int], list[tuple[float, ReadCard]]] = {}
    for card in cards:
        x, y = middle_of(card)
        hands.setdefault(hand_at(x, y) or (-1, 0), []).append((x, card))
    return {
        key: tuple(card for _, card in sorted(found, key=lambda pair: pair[0]))
        for key, found in hands.items()
    }


def names(cards: tuple[ReadCard, ...]) -> list[tuple[str | None, str | None]]:
    return [(card.rank, card.suit) for card in cards]


def wanted(hand: TableHand) -> list[tuple[str | None, str | None]]:
    return [(card.rank, card.suit) if card.face == "up" else (None, None) for card in hand.cards]


def dealt(seed: int) -> DrawnTableView:
    """A busy table: splits, fans up to five and a card laid across, the dealer's card face down."""
    rng = np.random.default_rng(seed)

    def card(*, across: bool = False, face: str = "up") -> TableCard:
        rank, suit = ALL_CARDS[rng.integers(52)]
        return TableCard(rank, suit, face, across)

    hands = []
    for box in range(1, 8):
        for number in range(1, 1 + int(rng.integers(1, 4))):
            cards = [card() for _ in range(int(rng.integers(2, 6)))]
            across = [card(across=True)] if rng.random() < 0.3 else []
            hands.append(TableHand(box, number, (*cards, *across)))
    hands.append(TableHand(DEALER, 1, (card(), card(face="down"))))
    return DrawnTableView(tuple(hands), tuple(range(1, 8)))


def picture(view: DrawnTableView, seed: int) -> Image:
    return render_frame(table_scene(view, seed), seed)


@pytest.mark.parametrize("seed", range(4))
def test_a_full_table_is_read_exactly(reader: CardReader, seed: int) -> None:
    view = dealt(seed)
    hands = cards_by_hand(reader.read(picture(view, seed)).cards)
    assert {key: names(cards) for key, cards in hands.items()} == {
        (hand.box, hand.hand): wanted(hand) for hand in view.hands
    }


def test_every_card_of_the_deck_is_read(reader: CardReader) -> None:
    cards = iter(ALL_CARDS)
    groups = [tuple(TableCard(*next(cards)) for _ in range(4)) for _ in range(13)]
    hands = [TableHand(1 + slot % 7, 1 + slot // 7, group) for slot, group in enumerate(groups)]
    reading = reader.read(picture(DrawnTableView(tuple(hands)), 5))
    assert sorted(names(reading.cards)) == sorted(ALL_CARDS)
    assert reading.unclear == ()


def test_the_cards_of_one_hand_lie_together_from_the_lowest(reader: CardReader) -> None:
    cards = tuple(TableCard(rank, suit) for rank, suit in (("9", "h"), ("2", "c"), ("K", "d"), ("5", "s")))
    reading = reader.read(picture(DrawnTableView((TableHand(3, 1, cards),)), 1))
    assert len({card.hand for card in reading.cards}) == 1
    assert names(reading.cards) == [(card.rank, card.suit) for card in cards]


def test_both_corners_of_a_card_make_one_card(reader: CardReader) -> None:
    view = DrawnTableView((TableHand(DEALER, 1, (TableCard("7", "d"),)),))
    assert names(reader.read(picture(view, 2)).cards) == [("7", "d")]


def test_two_like_cards_in_a_hand_stay_two(reader: CardReader) -> None:
    view = DrawnTableView((TableHand(2, 1, (TableCard("8", "h"), TableCard("8", "h"))),))
    assert names(reader.read(picture(view, 2)).cards) == [("8", "h"), ("8", "h")]


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_a_turned_picture_reads_the_same(reader: CardReader, quarter_turns: int) -> None:
    view = dealt(11)
    turned = np.ascontiguousarray(np.rot90(picture(view, 3), quarter_turns))
    expected = [name for hand in view.hands for name in wanted(hand)]
    assert sorted(map(str, names(reader.read(turned).cards))) == sorted(map(str, expected))


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_a_grey_picture_loses_no_card_and_names_no_suit(reader: CardReader, seed: int) -> None:
    """An infrared camera shows no colour: a heart and a spade differ in little there."""
    colourless = cv2.cvtColor(
        cv2.cvtColor(picture(dealt(seed), seed), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR
    )
    reading = reader.read(np.asarray(colourless, np.uint8))
    assert reading.steps == ("grey",)
    assert sorted(str(card.rank) for card in reading.cards) == sorted(
        str(rank) for hand in dealt(seed).hands for rank, _ in wanted(hand)
    )
    assert {card.suit for card in reading.cards} == {None}


def test_the_face_down_card_says_nothing_but_where_it_lies(reader: CardReader) -> None:
    view = DrawnTableView((TableHand(DEALER, 1, (TableCard("A", "s"), TableCard("K", "s", "down"))),))
    up, down = reader.read(picture(view, 4)).cards
    assert (up.rank, up.face) == ("A", "up")
    assert (down.rank, down.suit, down.face) == (None, None, "down")
    spot = card_place(DEALER, 1, 1)
    assert np.hypot(down.at[0] - spot.x, down.at[1] - spot.y) < 6


def covered(frame: Image, x: float, y: float, radius: int) -> Image:
    rows, columns = np.ogrid[: frame.shape[0], : frame.shape[1]]
    frame = frame.copy()
    frame[(rows - y) ** 2 + (columns - x) ** 2 < radius**2] = (40, 40, 160)
    return frame


def test_a_card_whose_indices_are_covered_is_unclear_not_guessed(reader: CardReader) -> None:
    frame = picture(DrawnTableView((TableHand(DEALER, 1, (TableCard("9", "c"),)),)), 6)
    spot = card_place(DEALER, 1, 0)
    for side in (-1, 1):
        frame = covered(frame, spot.x + side * 24, spot.y + side * 34, 16)
    reading = reader.read(frame)
    assert reading.cards == ()
    assert len(reading.unclear) >= 1


def test_an_empty_table_has_no_cards(reader: CardReader) -> None:
    reading = reader.read(picture(DrawnTableView((), tuple(range(1, 8))), 7))
    assert (reading.cards, reading.unclear) == ((), ())


def test_an_index_cut_by_the_border_is_not_guessed(reader: CardReader) -> None:
    frame = picture(DrawnTableView((TableHand(DEALER, 1, (TableCard("10", "c"),)),)), 8)
    spot = card_place(DEALER, 1, 0)
    left, foot = round(spot.x), round(spot.y)
    parts = {cut: np.ascontiguousarray(frame[:foot, left - cut :]) for cut in range(16, 46)}
    read = {cut: names(reader.read(part).cards) for cut, part in parts.items()}
    assert read[45] == [("10", "c")]
    assert all(found in ([], [("10", "c")]) for found in read.values())
    assert not any(read[cut] for cut in range(16, 25))
