"""No card is passed over without a word, nor read as another: tables on which one was, of decks left out."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from benchmarks.reader_stress_reads import judge
from models.decks import layout_deck
from models.judging import DOWN, judge_hands
from models.stress_scenes import SEED, Shot, dealt_table, take
from tests.measures.sealed import SEALED
from vision.geometry import Image
from vision.reader import CardReader
from vision.synth import DeckArt, drawn_deck, random_style

OPEN_NUMBERS = 55_000_000
"""Decks of the sealed kinds, but of numbers that may be looked at."""


def photograph(shot: Shot, rng: np.random.Generator) -> Image:
    noisy = np.clip(shot.picture.frame + rng.normal(0, 4, shot.picture.frame.shape), 0, 255)
    _, packed = cv2.imencode(".jpg", noisy.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))


def usual_deck(rng: np.random.Generator, held_out: bool) -> DeckArt:
    return drawn_deck(random_style(rng, held_out))


@pytest.mark.parametrize(
    ("deck", "table"),
    [
        (layout_deck, (990_033, 25)),
        (layout_deck, (990_033, 119)),  # a four, its pips beside the ranks, was two cards
        (usual_deck, (770_100, 40)),  # the next card's index in a tight fan counted as the read one's
        (usual_deck, (770_100, 54)),  # corners of a red and a black queen were one card
        (usual_deck, (770_100, 49)),  # a card face down on striped felt was nothing
    ],
)
def test_every_card_of_a_fan_is_told_or_unclear(
    deck: Callable[[np.random.Generator, bool], DeckArt], table: tuple[int, int]
) -> None:
    rng = np.random.default_rng(table)
    scene, hands = dealt_table(rng, deck(rng, True))
    shot = take(scene, hands)
    judged = judge_hands(CardReader.open(threads=1).read(photograph(shot, rng), thorough=True), shot.hands)
    assert judged["short"] == judged["false"] == 0, judged


@pytest.mark.parametrize(
    ("deck", "table"),
    [
        ("German letters", 4),  # a B was an eight
        ("jumbo, pip beside", 2),  # a ten was a queen, covered cards were passed over
        ("upright lower index, pip first", 4),  # a lower ten was a queen
    ],
)
def test_print_that_the_reader_does_not_know_is_unclear(deck: str, table: int) -> None:
    plain = random_style(np.random.default_rng((SEED, OPEN_NUMBERS, table)), held_out=True)
    changes = next(one.changes for one in SEALED if one.name == deck)
    rng = np.random.default_rng((SEED, OPEN_NUMBERS + 1 + table))
    style = plain._replace(corners=2)._replace(**changes)  # type: ignore[arg-type]  # fields of a style
    shot = take(*dealt_table(rng, drawn_deck(style)))
    reading = CardReader.open(threads=1).read(photograph(shot, rng), thorough=True)
    seen: set[int] = set()
    for card in reading.cards:
        found = judge(card, shot, seen)
        assert found.verdict == "right", (card, found)
        seen |= set() if found.card is None else {found.card}
    faces = [hand for hand in shot.hands if (DOWN, None) not in hand.cards]
    judged = judge_hands(reading, faces)
    assert judged["short"] == judged["false"] == 0, judged
