"""When cards at the table no longer look like the deck that the profile was made from."""

import numpy as np
import pytest

from tests.vision.enrolment.deck_kit import ENGLISH, FRENCH, Spread, reading_at, spread
from vision.enrolment import DeckProfile, PrintNotice, PrintWatch, enrol, print_distance
from vision.reader import CardReader


@pytest.fixture(scope="module")
def french(reader: CardReader) -> DeckProfile:
    return enrol([spread(FRENCH, seed).labelled() for seed in range(2)], reader.networks)


def noticed(profile: DeckProfile, shown: Spread, watch: PrintWatch) -> list[PrintNotice]:
    """What a watch notices of all cards of a picture."""
    networks = CardReader.open(threads=1, deck=profile.deck).networks
    notices = []
    for card in shown.cards:
        x, y = reading_at(card.quad).tolist()
        distance = print_distance(shown.image, (x, y), networks, profile.deck)
        notice = None if distance is None else watch.add(distance)
        if notice is not None:
            notices.append(notice)
    return notices


def fed(watch: PrintWatch, *distances: float) -> list[PrintNotice]:
    return [notice for one in distances if (notice := watch.add(one)) is not None]


@pytest.mark.parametrize("card_px", [pytest.param(75.0, marks=pytest.mark.night), 150.0])
def test_the_deck_of_the_profile_is_not_told(french: DeckProfile, card_px: float) -> None:
    watch = PrintWatch()
    assert [noticed(french, spread(FRENCH, seed, card_px), watch) for seed in (11, 12)] == [[], []]


def test_another_design_is_noticed_within_a_few_cards(french: DeckProfile) -> None:
    notices = noticed(french, spread(ENGLISH, 11), PrintWatch())
    assert [notice.what for notice in notices] == ["other"]
    assert notices[0].beyond == 4
    assert notices[0].cards <= 24


def test_empty_felt_has_no_distance(french: DeckProfile) -> None:
    networks = CardReader.open(threads=1, deck=french.deck).networks
    felt = np.full((300, 400, 3), 60, np.uint8)
    assert print_distance(felt, (2.0, 299.0), networks, french.deck) is None


def test_slow_wear_is_told_once_with_its_figures() -> None:
    watch = PrintWatch()
    assert fed(watch, *[0.33] * 60) == []
    assert fed(watch, *[0.4] * 60) == [PrintNotice("worn", 40, 0, 36)]
    assert fed(watch, *[0.5] * 60) == []


def test_a_few_damaged_cards_are_no_other_design() -> None:
    assert fed(PrintWatch(), *([1.4, *[0.32] * 9] * 10)) == []


def test_a_second_change_of_the_deck_is_told_again_once_the_cards_were_good() -> None:
    watch, other = PrintWatch(), [1.5] * 4
    assert [notice.what for notice in fed(watch, *[0.3] * 24, *other, *other)] == ["other"]
    assert fed(watch, *[0.3] * 24) == []
    assert fed(watch, *other) == [PrintNotice("other", 24, 4, 30)]
