"""A card's pips against its index: a printed seven with an eight's index is told as neither."""

import numpy as np
import pytest

from tests.vision.index_kit import card, named
from tests.vision.objects.table_kit import near, placed, table
from vision.acceptance import doubts_of_whole_cards, whole_cards_to_check, with_whole_cards
from vision.assembly import AssembledCard
from vision.networks import Scores
from vision.reader import CardReader
from vision.reading import RANKS, STATES, SUITS
from vision.synth import CASINO_STYLE, draw_card, take_picture


def outlined(name: str) -> AssembledCard:
    """A card whose outline is known."""
    return card(named(name), corners=[(80, 80), (143, 80), (143, 170), (80, 170)])


def scores(*cards: tuple[str, str, float], state: str = "index") -> Scores:
    """What the network says of whole cards: rank, suit, and the probability of both."""
    rows = []
    for rank, suit, p in cards:
        ranks, suits = np.full(13, (1 - p) / 12), np.full(4, (1 - p) / 3)
        ranks[RANKS.index(rank)], suits[SUITS.index(suit)] = p, p
        rows.append((ranks, suits, np.eye(len(STATES))[STATES.index(state)]))
    by_rank, by_suit, by_state = (np.array([row[part] for row in rows]) for part in range(3))
    return Scores(by_rank, by_suit, by_state, np.full(len(rows), np.inf))


def test_a_card_with_the_index_of_another_is_told_as_neither(reader: CardReader) -> None:
    seven, eight = (draw_card(CASINO_STYLE, rank, "h", 276) for rank in ("7", "8"))
    mixed = seven.image.copy()
    for box in eight.indices:
        (x, y), (_, end) = box.top, box.foot
        rows, half = slice(round(min(y, end)) - 1, round(max(y, end)) + 2), box.half_width + 2
        columns = slice(max(round(x - half), 0), round(x + half))
        mixed[rows, columns] = eight.image[rows, columns]
    whole = placed(960, 400, 0, "7h")
    assert [c.rank for c in reader.read(take_picture(table(whole)).frame).cards].count("7") == 2
    read = reader.read(take_picture(table(whole._replace(art=seven._replace(image=mixed)))).frame)
    assert near(read, (960, 400), 100) == {"disagreement"}


def test_covered_and_unbounded_cards_are_not_counted() -> None:
    cards = [outlined("7h"), card(named("8h")), outlined("9h")]
    chosen = whole_cards_to_check(np.full((300, 300, 3), 255, np.uint8), cards, covered={2})
    assert chosen.numbers == [0]
    assert len(chosen.crops) == 1


def test_a_surely_other_rank_or_suit_contradicts() -> None:
    cards = [outlined("7h"), outlined("7h"), outlined("7h")]
    said = scores(("8", "h", 0.99), ("7", "d", 0.99), ("7", "h", 0.99))
    assert doubts_of_whole_cards(cards, [0, 1, 2], said).cards == {0, 1}


def test_another_suit_of_its_colour_leaves_the_rank_of_a_card_with_two_certain_corners() -> None:
    """Decks draw their courts and aces in their own ways: two corners know better whose rank it is."""
    twice = outlined("Jh")._replace(certain=2)
    cards = [twice, outlined("Jh")._replace(certain=1), twice, twice]
    said = scores(("Q", "d", 0.99), ("Q", "d", 0.99), ("Q", "s", 0.99), ("8", "d", 0.99))
    doubts = doubts_of_whole_cards(cards, [0, 1, 2, 3], said)
    assert (doubts.cards, doubts.suits) == ({1, 2, 3}, {0})
    told = with_whole_cards(cards, [0, 1, 2, 3], said, doubts.suits)
    assert [one.best.suit_open for one in told] == [True, False, False, False]


@pytest.mark.parametrize("p", [0.5, 0.85])
def test_a_guess_contradicts_nothing(p: float) -> None:
    assert doubts_of_whole_cards([outlined("7h")], [0], scores(("8", "d", p))).cards == set()


def test_one_court_card_does_not_contradict_another() -> None:
    """Every deck draws its courts in its own way; a number card's index on court art does contradict."""
    said = scores(("J", "s", 0.99), ("Q", "s", 0.99))
    assert doubts_of_whole_cards([outlined("Ks"), outlined("9s")], [0, 1], said).cards == {1}


def test_what_does_not_lie_open_contradicts_nothing() -> None:
    said = scores(("8", "d", 0.99), state="occluded")
    assert doubts_of_whole_cards([outlined("7h")], [0], said).cards == set()


def test_a_deck_with_one_large_pip_looks_like_aces_and_is_none() -> None:
    """Two such cards may be misread aces; with a third rank it is the deck that is printed so."""
    names = ("7h", "9h", "4h")
    said = [("A", "h", 0.99)] * 3
    cards = [outlined(name) for name in names]
    assert doubts_of_whole_cards(cards[:2], [0, 1], scores(*said[:2])).cards == {0, 1}
    assert doubts_of_whole_cards(cards, [0, 1, 2], scores(*said)).cards == set()
    alike = [outlined("7h")] * 3
    assert doubts_of_whole_cards(alike, [0, 1, 2], scores(*said)).cards == {0, 1, 2}


def test_the_suit_of_a_deck_with_one_large_pip_is_still_compared() -> None:
    cards = [outlined(name) for name in ("7h", "9h", "4h")]
    said = scores(("A", "h", 0.99), ("A", "d", 0.99), ("A", "h", 0.99))
    assert doubts_of_whole_cards(cards, [0, 1, 2], said).cards == {1}
