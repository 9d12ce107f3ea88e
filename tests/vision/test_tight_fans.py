"""No card of a tight fan is passed over: it is read, or a question lies on what shows of it."""

import numpy as np
import pytest

from vision.reader import CardReader
from vision.reading import Reading
from vision.synth import (
    ART_PX,
    CardStyle,
    DrawnCard,
    RenderedScene,
    Scene,
    draw_card,
    random_felt,
    random_style,
    take_picture,
)

CARD_PX = 180
NEAR_PX = 6


def fan(style: CardStyle, names: list[str], step: float, seed: int) -> RenderedScene:
    """Cards from the lowest, each so many card heights further to the right."""
    cards = tuple(
        DrawnCard(
            draw_card(style, name[:-1], name[-1], ART_PX),
            220 + place * step * CARD_PX,
            320,
            0,
            CARD_PX,
            name[:-1],
            name[-1],
        )
        for place, name in enumerate(names)
    )
    felt = random_felt(np.random.default_rng(seed), 640)
    return take_picture(Scene(640, 640, felt, cards, (), None, 0.3))


def held_out_style(seed: int, **changes: object) -> CardStyle:
    """A deck with two indices that training never saw; some fields changed."""
    style = random_style(np.random.default_rng(seed), held_out=True)._replace(corners=2)
    return style._replace(**changes)  # type: ignore[arg-type]  # fields by name, as the test gives them


def passed_over(picture: RenderedScene, names: list[str], reading: Reading) -> list[str]:
    """Cards that are neither among those read nor have an unclear spot on what shows of them."""
    read = [card.rank for card in reading.cards]
    asked = {
        int(card)
        for spot in reading.unclear
        for x, y in [np.round(spot.at).astype(int)]
        for card in picture.owner[y - NEAR_PX : y + NEAR_PX, x - NEAR_PX : x + NEAR_PX].flat
    }
    return [name for place, name in enumerate(names) if name[:-1] not in read and place not in asked]


@pytest.mark.parametrize("seed", [3, 6, 36])
def test_an_index_less_than_half_its_height_from_the_next_one_is_read(reader: CardReader, seed: int) -> None:
    style, names = held_out_style(seed, rank_height=0.2, pip_height=0.15, gap=0.03), ["Jh", "5h", "Qc"]
    reading = reader.read(fan(style, names, 0.165, seed).frame)
    suits = {name[:-1]: name[-1] for name in names}
    read = {f"{card.rank}{card.suit or suits.get(str(card.rank))}" for card in reading.cards}
    assert (len(reading.cards), read) == (len(names), set(names))


@pytest.mark.parametrize(
    ("seed", "names", "step"),
    [
        (21, ["9c", "10h", "8s", "5s"], 0.113),
        (113, ["8c", "Qc", "9d", "2c"], 0.144),
        (119, ["6h", "Ah", "7s", "Ks"], 0.11),
        (148, ["9c", "Kc", "10h", "3s"], 0.128),
    ],
)
def test_a_card_of_which_a_sliver_shows_between_two_others_is_asked_for(
    reader: CardReader, seed: int, names: list[str], step: float
) -> None:
    picture = fan(held_out_style(seed), names, step, seed)
    assert passed_over(picture, names, reader.read(picture.frame)) == []
