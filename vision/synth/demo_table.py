"""The demo's camera: draws a table state as the camera would see it.

Source of all sizes and colours here: chosen by eye; not measured.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth.card import draw_card
from vision.synth.demo_layout import BOXES, CARD_PX, FRAME_HEIGHT, FRAME_WIDTH, box_origin, card_place
from vision.synth.scene import DrawnCard, DrawnChip, Scene, take_picture
from vision.synth.special_cards import draw_back, draw_cut_card
from vision.synth.style import CASINO_STYLE, Colour

_DEMO_ART_PX: Final = 276
"""Height at which the demo's cards are drawn before they are scaled to the picture."""

_FELT_GREEN: Final[Colour] = (62, 104, 24)
PRINT_INK: Final[Colour] = (96, 168, 178)
CHIP_COLOURS: Final[tuple[Colour, ...]] = ((40, 40, 190), (150, 70, 20), (40, 40, 40), (120, 40, 120))
CHIP_PX: Final = 20.0


class TableCard(NamedTuple):
    """A card of a hand; rank and suit may be None when it lies face down, `face` is up or down."""

    rank: str | None
    suit: str | None
    face: str = "up"
    across: bool = False


class TableHand(NamedTuple):
    """A hand from its lowest card; `box` DEALER (0) for the dealer's."""

    box: int
    hand: int
    cards: tuple[TableCard, ...]


class DrawnTableView(NamedTuple):
    """The table's content: hands, boxes with a stake, optionally the cut card before the shoe."""

    hands: tuple[TableHand, ...] = ()
    staked: tuple[int, ...] = ()
    cut_card: bool = False


@lru_cache(maxsize=2)
def felt_with_print(colour: Colour = _FELT_GREEN) -> Image:
    """The empty layout. Cached: callers must not write into it."""
    rng = np.random.default_rng(7)
    grain = rng.normal(0, 3.0, (FRAME_HEIGHT, FRAME_WIDTH, 1))
    grainy = np.clip(np.array(colour) + grain, 0, 255).astype(np.uint8)
    felt: Image = cv2.GaussianBlur(grainy, (0, 0), 0.8)
    for box in range(1, BOXES + 1):
        x, y = box_origin(box, 1)
        cv2.circle(felt, (round(x + 60), round(y - 112)), 40, PRINT_INK, 2, cv2.LINE_AA)
        cv2.putText(felt, str(box), (round(x + 52), round(y - 60)), 0, 0.6, PRINT_INK, 1, cv2.LINE_AA)
    middle = FRAME_WIDTH // 2
    cv2.ellipse(felt, (middle, 1900), (1240, 1010), 0, 180, 360, PRINT_INK, 2, cv2.LINE_AA)
    for text, y, size in (("BLACKJACK PAYS 3 TO 2", 870, 1.1), ("DEALER STANDS ON ALL 17S", 905, 0.7)):
        width = cv2.getTextSize(text, 2, size, 2)[0][0]
        cv2.putText(felt, text, (middle - width // 2, y), 2, size, PRINT_INK, 2, cv2.LINE_AA)
    return felt


@lru_cache(maxsize=1)
def _noise() -> tuple[Image, Image]:
    rng = np.random.default_rng(11)
    shape = (FRAME_HEIGHT + 64, FRAME_WIDTH + 64, 3)
    noise = rng.normal(0, 2.2, shape)
    return np.clip(noise, 0, 20).astype(np.uint8), np.clip(-noise, 0, 20).astype(np.uint8)


_SMEAR_PX: Final = 3.5
"""Standard deviation of the blur. Measured: the reader sees cards and reads none; at 1.5 it reads them, at
7.5 it sees none."""


def _placed(hand: TableHand, number: int, rng: np.random.Generator) -> DrawnCard:
    card = hand.cards[number]
    rest = card_place(hand.box, hand.hand, number, card.across)
    dx, dy, turn = rng.normal(0, 0.6, 3)
    place = (rest.x + dx, rest.y + dy, rest.angle + turn, CARD_PX)
    if card.face == "down" or card.rank is None or card.suit is None:
        return DrawnCard(draw_back(CASINO_STYLE, _DEMO_ART_PX), *place, face="down")
    return DrawnCard(
        draw_card(CASINO_STYLE, card.rank, card.suit, _DEMO_ART_PX), *place, card.rank, card.suit
    )


def _chips(view: DrawnTableView) -> tuple[DrawnChip, ...]:
    chips = []
    for box in view.staked:
        x, y = box_origin(box, 1)
        for level in range(3):
            chips.append(DrawnChip(x + 60 + level, y - 112 - level, CHIP_PX, CHIP_COLOURS[(box + level) % 4]))
    return tuple(chips)


def table_scene(view: DrawnTableView, seed: int) -> Scene:
    """The scene of a table state; the same seed lays the cards down in the same way.

    A card keeps its place when later ones arrive: its own hand and number give its small disorder.
    """
    cards = []
    for hand in view.hands:
        for number in range(len(hand.cards)):
            rng = np.random.default_rng((seed, hand.box, hand.hand, number))
            cards.append(_placed(hand, number, rng))
    if view.cut_card:
        cards.append(DrawnCard(draw_cut_card(CASINO_STYLE, _DEMO_ART_PX), 330, 1000, 90, CARD_PX, face="cut"))
    return Scene(FRAME_WIDTH, FRAME_HEIGHT, felt_with_print(), tuple(cards), _chips(view))


def render_frame(scene: Scene, seed: int) -> Image:
    """The camera's picture of a 1920 x 1080 scene, BGR uint8, with the camera's noise for this frame."""
    frame = take_picture(scene).frame
    more, less = _noise()
    rng = np.random.default_rng(seed)
    x, y = (int(value) for value in rng.integers(0, 64, 2))
    window = (slice(y, y + scene.height), slice(x, x + scene.width))
    return cv2.subtract(cv2.add(frame, more[window]), less[window])


def smeared_picture(picture: Image) -> Image:
    """The picture through a smeared lens: cards still show, and none can be read."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), _SMEAR_PX), np.uint8)
