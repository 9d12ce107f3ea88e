"""A deck that is enrolled from pictures of known cards, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from controller.devices.cameras.tracker import open_tracker
from controller.domain import TableError
from tests.vision.enrolment.deck_kit import ENGLISH, FRENCH, ORDER, Spread, reading_at, spread
from vision.enrolment import DeckProfile, EnrolPicture, enrol, load_profile, write_profile
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import CardName
from vision.synth import CardStyle, DrawnCard, Scene, draw_card, random_felt, take_picture


@pytest.fixture(scope="module")
def french(reader: CardReader) -> DeckProfile:
    """The profile of a deck that prints 1, V, D and R."""
    return enrol([spread(FRENCH, seed).labelled() for seed in range(2)], reader.networks)


def told(reader: CardReader, shown: Spread, card_px: float | None = None) -> tuple[int, int]:
    """How many cards are told rightly, and how many wrongly."""
    right, cards = 0, reader.read(shown.image, card_px=card_px).cards
    for card in cards:
        nearest = min(
            (known for known in shown.cards if known.name == (card.rank, card.suit)),
            key=lambda known: float(np.hypot(*(np.asarray(known.quad).mean(0) - card.at))),
            default=None,
        )
        inside = nearest is not None and np.hypot(*(np.asarray(nearest.quad).mean(0) - card.at)) < 90
        right += bool(inside)
    return right, len(cards) - right


def test_a_profile_names_letters_that_no_network_knows(reader: CardReader, french: DeckProfile) -> None:
    assert (french.figures.wrong, french.figures.cards) == (0, 52)
    assert (french.figures.bound < 0.1, french.deck.beside, french.deck.faces is None) == (True, False, False)
    courts = spread(FRENCH, 7, names=[name for name in ORDER if name.rank in "JQK"])
    own = CardReader.open(threads=1, deck=french.deck)
    assert told(reader, courts) == (0, 0)
    right, wrong = told(own, courts)
    assert (right >= 10, wrong) == (True, 0)


def test_a_table_follows_its_cards_with_the_profile_of_its_deck(french: DeckProfile, tmp_path: Path) -> None:
    profile = write_profile(french, tmp_path / "house.profile")
    tracker = open_tracker(None, deck=tmp_path / "house.profile")
    courts = spread(FRENCH, 7, names=[name for name in ORDER if name.rank in "JQK"])
    for number in range(12):
        tracker(courts.image, number * 40_000_000)
    assert tracker.last is not None
    certain = [card.name for card in tracker.last.scene.tracks if card.name is not None]
    assert (tracker.deck_sha256, len(certain) >= 10) == (profile.sha256, True)
    faces, read = french.deck.faces, load_profile(tmp_path / "house.profile").deck.faces
    assert faces is not None
    assert read is not None
    assert (faces.tones == read.tones).all()
    assert (faces.shown == read.shown).all()
    assert set(certain) <= {known.name for known in courts.cards}


BESIDE = ENGLISH._replace(rank_height=0.13, pip_height=0.1, pip_level=0.5, gap=0.02)


def test_a_deck_with_its_pips_beside_the_ranks_is_enrolled_by_its_outlines(reader: CardReader) -> None:
    profile = enrol([spread(BESIDE, seed).labelled() for seed in range(2)], reader.networks)
    assert (profile.figures.wrong, profile.figures.cards, profile.deck.beside) == (0, 52, True)
    shown = spread(BESIDE, 7, names=[name for name in ORDER if name.suit == "h"])
    own = CardReader.open(threads=1, deck=profile.deck)
    right, wrong = told(own, shown)
    assert (right >= 9, wrong) == (True, 0)
    alone = [spread(BESIDE, 7, 184.0, [name]) for name in ORDER if name.rank in "QK"]
    assert all(told(own, card) in {(0, 0), (1, 0)} and told(own, card, 184.0) == (1, 0) for card in alone)


def laid(deck: CardStyle, cards: list[tuple[str, str, float, float, float]]) -> Image:
    """Cards on a felt: rank, suit, place of the middle, turn."""
    felt = np.ascontiguousarray(random_felt(np.random.default_rng(9), 520)[:470])
    drawn = [DrawnCard(draw_card(deck, *card[:2], 552), *card[2:], 184.0, *card[:2]) for card in cards]
    return take_picture(Scene(520, 470, felt, tuple(drawn))).frame


def test_a_card_with_one_large_pip_is_no_ace_to_the_profile_of_its_deck(reader: CardReader) -> None:
    """Nor are its courts lost whose indices touch their frames: the profile says where they stand."""
    deck = ENGLISH._replace(one_pip=True, clearance=0.0, rank_height=0.19, pip_height=0.13)
    profile = enrol([spread(deck, seed).labelled() for seed in range(2)], reader.networks)
    own = CardReader.open(threads=1, deck=profile.deck)
    assert profile.deck.faces is not None
    for name in ORDER[3:9:2]:
        assert told(own, spread(deck, 7, 184.0, [name])) == (1, 0)
    jack = spread(deck, 7, 184.0, [CardName("J", "s")])
    assert (told(own, jack), told(own, jack, 184.0)) == ((0, 0), (1, 0))
    under = [("9", "d", 200.0, 250.0, 0.0), ("8", "h", 240.0, 222.0, 0.0)]
    seen = own.read(laid(deck, [*under, ("K", "c", 282.0, 190.0, 90.0)]), card_px=184.0)
    assert {(card.rank, card.suit) for card in seen.cards} == {("9", "d"), ("K", "c")}


def test_a_lower_index_that_stands_upright_is_no_card_of_its_own(reader: CardReader) -> None:
    """Turned, the lower index of this deck's ace looks like a king, a nine's like a six: its faces tell."""
    deck = ENGLISH._replace(lower="pip_first")
    profile = enrol([spread(deck, seed, 184.0).labelled() for seed in range(2)], reader.networks)
    own = CardReader.open(threads=1, deck=profile.deck)
    assert profile.deck.foot_differs
    for name in (CardName("9", "d"), CardName("6", "c"), CardName("A", "c")):
        assert told(own, spread(deck, 7, 184.0, [name]), 184.0) == (1, 0), name
    seen = own.read(laid(deck, [("9", "d", 200.0, 250.0, 0.0), ("A", "c", 246.0, 236.0, 0.0)]), card_px=184.0)
    assert [(card.rank, card.suit) for card in seen.cards] == [("9", "d"), ("A", "c")]


def test_another_deck_is_never_misread_with_a_profile(french: DeckProfile) -> None:
    """Prints that look like the profile's are told, others have no name."""
    other = ENGLISH._replace(font=40, pip_set=-1, rank_height=0.19, pip_height=0.11)
    right, wrong = told(CardReader.open(threads=1, deck=french.deck), spread(other, 8))
    assert (right < 52, wrong) == (True, 0)


def test_pictures_of_a_deck_in_order_need_no_labels(reader: CardReader) -> None:
    profile = enrol([spread(ENGLISH, seed).ordered() for seed in range(2)], reader.networks)
    assert (profile.figures.wrong, profile.figures.cards) == (0, 52)


def test_centres_of_indices_are_labels_as_well(reader: CardReader) -> None:
    pictures = []
    for seed in range(2):
        shown = spread(ENGLISH, seed)
        at = [reading_at(known.quad) for known in shown.cards]
        cards = [known._replace(quad=None, at=place) for known, place in zip(shown.cards, at, strict=True)]
        pictures.append(EnrolPicture("a.png", "", shown.image, cards))
    assert enrol(pictures, reader.networks).figures.wrong == 0


@pytest.mark.parametrize(
    ("pictures", "code"),
    [
        (lambda shown: [shown.labelled()._replace(cards=shown.cards[:13])], "ENROL_INCOMPLETE"),
        (lambda shown: [shown.ordered(ORDER[13:] + ORDER[:13])], "ENROL_INCOMPLETE"),
        (
            lambda shown: [EnrolPicture("a", "", np.full((400, 600, 3), 60, np.uint8), shown.cards)],
            "ENROL_NOT_FOUND",
        ),
        (
            lambda _: [spread(ENGLISH, seed, card_px=45.0).labelled() for seed in range(2)],
            "ENROL_UNPROVEN",
        ),
    ],
    ids=["one suit", "another order", "no cards", "too small"],
)
def test_pictures_that_cannot_prove_a_profile_make_none(
    reader: CardReader, pictures: Callable[[Spread], list[EnrolPicture]], code: str
) -> None:
    shown = pictures(spread(ENGLISH, 0))
    with pytest.raises(TableError) as refused:
        enrol(shown, reader.networks)
    assert refused.value.code == code


def test_labels_of_other_cards_make_no_profile(reader: CardReader) -> None:
    """Every label names the next rank: the networks, sure of what they see, contradict."""
    pictures = []
    for seed in range(2):
        shown = spread(ENGLISH, seed)
        names = [known.name for known in shown.cards]
        cards = [
            known._replace(name=name) for known, name in zip(shown.cards, names[1:] + names[:1], strict=True)
        ]
        pictures.append(EnrolPicture("a.png", "", shown.image, cards))
    with pytest.raises(TableError) as refused:
        enrol(pictures, reader.networks)
    assert refused.value.code == "ENROL_UNPROVEN"
