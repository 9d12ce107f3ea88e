"""A drawn deck of its own, spread in order before a camera, with the truth; and a table of its cards."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.enrolment import DeckProfile, EnrolFigures, EnrolPicture, KnownCard
from vision.geometry import Image
from vision.networks import Prototypes, fit_classes
from vision.reading import RANKS, CardName
from vision.synth import (
    CASINO_STYLE,
    CardStyle,
    DrawnCard,
    Scene,
    card_quad,
    draw_card,
    random_felt,
    take_picture,
    with_noise,
)

ORDER = [CardName(rank, suit) for suit in "shcd" for rank in RANKS]
ENGLISH = CASINO_STYLE._replace(font=3, pip_set=2, rank_height=0.13, pip_height=0.09, seed=5)
FRENCH = ENGLISH._replace(letters=("1", "V", "D", "R"))
"""The same print with the letters of another language."""

ART_PX = 264


class Spread(NamedTuple):
    """A picture, and its cards with their corners, the lowest first."""

    image: Image
    cards: list[KnownCard]

    def labelled(self, file: str = "a.png") -> EnrolPicture:
        return EnrolPicture(file, file, self.image, self.cards)

    def ordered(self, order: Sequence[CardName] = ORDER) -> EnrolPicture:
        return EnrolPicture("a.png", "a.png", self.image, (), order)


def spread(style: CardStyle, seed: int, card_px: float = 150.0, names: Sequence[CardName] = ORDER) -> Spread:
    """Cards in rows of thirteen, each a little over the one before, as they are dealt out to show a deck."""
    rng = np.random.default_rng((404, seed))
    step, row = 0.36 * card_px, 1.15 * card_px
    wide, high = round(13 * step + 1.2 * card_px), round(row * -(-len(names) // 13) + 0.3 * card_px)
    laid = []
    for number, name in enumerate(names):
        x = 0.6 * card_px + number % 13 * step + rng.normal(0, 1)
        y = 0.7 * card_px + number // 13 * row + rng.normal(0, 1)
        art = draw_card(style, name.rank, name.suit, ART_PX)
        laid.append(DrawnCard(art, x, y, float(rng.normal(0, 1)), card_px, name.rank, name.suit))
    side = max(wide, high)
    felt = np.ascontiguousarray(random_felt(np.random.default_rng(9), side)[:high, :wide])
    frame = take_picture(Scene(wide, high, felt, tuple(laid))).frame
    known = [KnownCard(name, card_quad(card, None), None) for name, card in zip(names, laid, strict=True)]
    return Spread(with_noise(frame, rng, 3.0), known)


def made_up_profile(network: str = "1" * 64, count: int = 12) -> tuple[DeckProfile, np.ndarray]:
    """A profile of so many made-up features of a network, and some of these."""
    rng = np.random.default_rng(1)
    ranks, suits = np.arange(208) % 13, np.arange(208) // 13 % 4
    features = rng.normal(0, 0.1, (208, count))
    features[np.arange(208), ranks % 8] += 1.0 + ranks // 8
    features[np.arange(208), 8 + suits] += 1.0
    deck = Prototypes(fit_classes(features, ranks, 13), fit_classes(features, suits, 4), 2.0, 18.0)
    figures = EnrolFigures(208, 200, 0, 0.0149, 52)
    return DeckProfile(deck, figures, (("a.jpg", "0" * 64),), network), features


def reading_at(quad: object) -> np.ndarray:
    """About where this deck's index stands on a card."""
    corners = np.asarray(quad)
    across, along = corners[1] - corners[0], corners[3] - corners[0]
    return np.asarray(corners[0] + 0.11 * across + 0.175 * along)
