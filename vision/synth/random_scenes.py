"""Draw random tables for training and stress runs: hands, fans, backs, chips, hands of people, print, tilt.

Source of all shares and ranges: chosen by eye after photographs of tables; not measured.
models/MODEL_CARD.md, Data, names those that were found to matter.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.labels import RANKS, SUITS
from vision.synth.camera_faults import disturb
from vision.synth.card import CardArt, draw_card
from vision.synth.scene import DrawnCard, DrawnChip, RenderedScene, Scene, index_truths, take_picture
from vision.synth.special_cards import draw_back, draw_cut_card, draw_joker
from vision.synth.style import CardStyle, Colour, random_style

ART_PX: Final = 352
"""Height at which cards are drawn before they are scaled to the picture."""

FELTS: Final[tuple[Colour, ...]] = (
    (60, 110, 30),
    (45, 70, 20),
    (110, 60, 20),
    (120, 40, 30),
    (40, 30, 150),
    (50, 20, 90),
    (40, 40, 40),
    (90, 90, 20),
    (25, 50, 90),
    (140, 90, 40),
)


_TIGHT_SHARE: Final = 0.28
_TIGHT: Final = (1.0, 2.4)
"""Share of the hands whose cards cover the lower ones but for their ranks, and their step in heights of a
rank: what stands beside such a rank is another card's pip."""

_AIMED_SHARE: Final = 0.6
"""Share of the fingers that point at an index."""

DARK_SHARE: Final = 0.15
_BRIGHT_SHARE: Final = 0.12
_DARK_GAIN: Final = (0.15, 0.6)
_BRIGHT_GAIN: Final = (1.1, 1.7)
"""Shares of the pictures that are under- and overexposed, and by which factors."""


CARD_HEIGHTS_PX: Final = (75.0, 330.0)
"""Long side of a card in its picture, evenly spread in its logarithm."""


class DeckArt(NamedTuple):
    """The card art of a scene; `face(rank, suit)` is None for a card that the deck lacks.

    `rank_share` is the height of the rank alone as a share of the card's, for scaling blur. Cards are drawn
    from `ranks`; a rank that is listed twice comes twice as often.
    """

    face: Callable[[str, str], CardArt | None]
    back: Callable[[], CardArt]
    joker: Callable[[], CardArt]
    rank_share: float
    ranks: tuple[str, ...] = RANKS


def drawn_deck(style: CardStyle) -> DeckArt:
    """A deck of our own drawing."""
    return DeckArt(
        lambda rank, suit: draw_card(style, rank, suit, ART_PX),
        lambda: draw_back(style, ART_PX),
        lambda: draw_joker(style, ART_PX),
        style.rank_height,
    )


def random_deck(rng: np.random.Generator, held_out: bool = False) -> DeckArt:
    """A deck that never existed."""
    return drawn_deck(random_style(rng, held_out))


def random_felt(rng: np.random.Generator, size: int) -> Image:
    """A square of cloth in any colour, with or without print."""
    colour = np.array(FELTS[rng.integers(len(FELTS))], np.float32) * rng.uniform(0.6, 1.3)
    if rng.random() < 0.08:
        colour = np.array((225, 230, 232), np.float32) * rng.uniform(0.7, 1.0)
    grain = rng.normal(0, rng.uniform(1, 9), (size // 2, size // 2, 1)).astype(np.float32)
    coarse = rng.normal(0, rng.uniform(1, 14), (8, 8, 1)).astype(np.float32)
    felt = colour + cv2.resize(grain, (size, size))[..., None] + cv2.resize(coarse, (size, size))[..., None]
    if rng.random() < 0.15:
        y = np.arange(size, dtype=np.float32)[:, None, None]
        felt = felt + 25 * np.sin(y / rng.uniform(3, 20) + rng.uniform(0, 6))
    picture: Image = np.clip(felt, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 4))):
        _print(picture, rng)
    return picture


def _print(felt: Image, rng: np.random.Generator) -> None:
    """Words and arcs as layouts carry them."""
    size = felt.shape[0]
    ink = (40, 200, 230) if rng.random() < 0.5 else (235, 235, 235)
    at = (int(rng.integers(-50, size)), int(rng.integers(0, size)))
    text = str(
        rng.choice(["BLACKJACK PAYS 3 TO 2", "INSURANCE 2 : 1", "DEALER", "17", "A K Q J 10 9 8 7 6 5 4 3 2"])
    )
    cv2.putText(
        felt, text, at, int(rng.integers(0, 5)), float(rng.uniform(0.4, 2)), ink, int(rng.integers(1, 4))
    )
    axes = (int(rng.integers(60, size)), int(rng.integers(60, size)))
    cv2.ellipse(felt, at, axes, 0, 0, 180, ink, int(rng.integers(1, 4)), cv2.LINE_AA)


def _offsets(
    rng: np.random.Generator, height: float, count: int, rank_px: float
) -> list[tuple[float, float, float]]:
    """Steps of the cards of one hand: right, down, turn, in the hand's own frame."""
    kind, width = rng.random(), height * 0.7
    right, up = rng.uniform(0.2, 0.75) * width, rng.uniform(-0.05, 0.5) * height
    if kind < _TIGHT_SHARE:
        right, up = rng.uniform(0.05, 0.75) * width, rng.uniform(*_TIGHT) * rank_px * rng.choice([1, 1, -1])
    splay = rng.uniform(6, 22) * rng.choice([-1, 1])
    steps = []
    for step in range(count):
        wobble = rng.normal(0, 2.0)
        if kind < 0.55:
            place = (step * right, -step * up, wobble)
        elif kind < 0.8:
            turn = np.deg2rad(splay * step)
            place = (float(np.sin(turn)) * height, float(1 - np.cos(turn)) * height, splay * step + wobble)
        else:
            place = (rng.uniform(-1, 1) * height, rng.uniform(-1, 1) * height, rng.uniform(0, 360))
        steps.append(place)
    if count > 1 and rng.random() < 0.2:
        last = steps[-1]
        steps[-1] = (
            last[0] + rng.uniform(-0.2, 0.2) * width,
            last[1] + rng.uniform(0.1, 0.5) * height,
            90 + wobble,
        )
    return steps


def _pick(rng: np.random.Generator, deck: DeckArt) -> tuple[CardArt, str | None, str | None, str]:
    chance = rng.random()
    if chance < 0.09:
        return deck.back(), None, None, "down"
    if chance < 0.12:
        return draw_cut_card(random_style(rng), ART_PX), None, None, "cut"
    if chance < 0.15:
        return deck.joker(), None, None, "joker"
    for _ in range(99):
        rank, suit = deck.ranks[rng.integers(len(deck.ranks))], SUITS[rng.integers(4)]
        art = deck.face(rank, suit)
        if art is not None:
            return art, rank, suit, "up"
    return deck.back(), None, None, "down"


def _hand(rng: np.random.Generator, deck: DeckArt, size: int, height: float, most: int) -> list[DrawnCard]:
    x, y, angle = rng.uniform(0.1, 0.9) * size, rng.uniform(0.1, 0.9) * size, rng.uniform(0, 360)
    cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    cards, rank_px = [], deck.rank_share * height
    for right, down, turn in _offsets(rng, height, int(rng.integers(1, most + 1)), rank_px):
        art, rank, suit, face = _pick(rng, deck)
        place = (x + cos * right - sin * down, y + sin * right + cos * down)
        cards.append(DrawnCard(art, *place, angle + turn, height, rank, suit, face))
    return cards


def random_tilt(rng: np.random.Generator, size: int, strongest_deg: float, least_deg: float = 0) -> Points:
    """A homography (3 x 3) that leans the picture about its middle, towards any side."""
    turn, lean = rng.uniform(0, 2 * np.pi), np.deg2rad(rng.uniform(least_deg, strongest_deg))
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    fall = np.array([[1, 0, 0], [0, np.cos(lean), 0], [0, np.sin(lean) / (1.6 * size), 1]])
    shift = np.array([[1, 0, size / 2], [0, 1, size / 2], [0, 0, 1.0]])
    return np.asarray(shift @ spin.T @ fall @ spin @ np.linalg.inv(shift))


def _random_chips(rng: np.random.Generator, size: int, height: float) -> list[DrawnChip]:
    """Return up to five chips, under or on the cards."""
    count = int(rng.integers(0, 6)) if rng.random() < 0.5 else 0
    chips = []
    for _ in range(count):
        colour = FELTS[rng.integers(len(FELTS))] if rng.random() < 0.7 else (230, 230, 230)
        x, y = (float(value) for value in rng.uniform(0, size, 2))
        chips.append(
            DrawnChip(x, y, height * float(rng.uniform(0.17, 0.24)), colour, bool(rng.random() < 0.4))
        )
    return chips


def cover_with_arm(
    picture: RenderedScene, rng: np.random.Generator, height: float, aims: list[tuple[float, float]]
) -> None:
    """Draw a few skin-coloured fingers over the table, most of them near one of `aims`."""
    size = picture.frame.shape[0]
    skin = np.array(rng.choice([(150, 180, 225), (110, 140, 195), (60, 85, 140)])) * rng.uniform(0.8, 1.1)
    start = rng.uniform(0, size, 2)
    for _ in range(int(rng.integers(1, 5))):
        end = start + rng.normal(0, height, 2)
        thick = max(3, int(height * rng.uniform(0.06, 0.3)))
        if aims and rng.random() < _AIMED_SHARE:
            end = np.array(aims[rng.integers(len(aims))]) + rng.normal(0, 0.1 * height, 2)
            start = end + rng.normal(0, height, 2)
        first, last = tuple(int(v) for v in start), tuple(int(v) for v in end)
        cv2.line(picture.frame, first, last, tuple(float(v) for v in skin), thick, cv2.LINE_AA)
        cv2.line(picture.owner, first, last, -2, thick)


def random_scene(
    rng: np.random.Generator,
    deck: DeckArt,
    size: int = 640,
    tilt_deg: float = 40,
    most_cards: int = 5,
    *,
    heights_px: tuple[float, float] = CARD_HEIGHTS_PX,
) -> Scene:
    """A square picture of two to eight hands, more where the cards are small; one to `most_cards` a hand."""
    height = float(np.exp(rng.uniform(*np.log(heights_px))))
    hands = int(rng.integers(2, 4 + int(400 / height)))
    cards = [card for _ in range(hands) for card in _hand(rng, deck, size, height, most_cards)]
    tilt = random_tilt(rng, size, tilt_deg)
    chips = tuple(_random_chips(rng, size, height))
    return Scene(size, size, random_felt(rng, size), tuple(cards), chips, tilt, float(rng.uniform(0.1, 0.5)))


def shoot(scene: Scene, rng: np.random.Generator, rank_share: float) -> RenderedScene:
    """The picture with an occasional arm over it and with camera faults; `rank_share` as in `DeckArt`."""
    picture = take_picture(scene)
    height = scene.cards[0].height
    if rng.random() < 0.25:
        aims = [truth.foot if rng.random() < 0.3 else truth.top for truth in index_truths(scene, picture)]
        cover_with_arm(picture, rng, height, aims)
    return picture._replace(frame=disturb(_exposed(picture.frame, rng), rng, height * rank_share))


def _exposed(frame: Image, rng: np.random.Generator) -> Image:
    """The frame as a camera takes it that has too little or too much light, now and then."""
    chance = rng.random()
    if chance < DARK_SHARE:
        return cv2.convertScaleAbs(frame, alpha=float(rng.uniform(*_DARK_GAIN)))
    if chance < DARK_SHARE + _BRIGHT_SHARE:
        return cv2.convertScaleAbs(frame, alpha=float(rng.uniform(*_BRIGHT_GAIN)))
    return frame
