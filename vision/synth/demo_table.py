"""The demo's camera: the places of its table, its pictures, and those of a shoe's mouth.

The camera hangs above a 1.84 m wide layout and sees it from the dealer's side: the dealer at the lower edge,
box 1 (his left, dealt first) at the left. 1920 x 1080 pixels, about one pixel a millimetre. Source of all
places, sizes, times and colours: laid out by hand and chosen by eye; not measured.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.synth.card import CardArt, draw_back, draw_card, draw_cut_card
from vision.synth.scene import DrawnCard, DrawnChip, Scene, take_picture
from vision.synth.style import CASINO_STYLE, Colour

FRAME_WIDTH: Final = 1920
FRAME_HEIGHT: Final = 1080
BOXES: Final = 7
HANDS: Final = 4
"""Hands of one box that have a place of their own."""

DEALER: Final = 0
"""Stands for the dealer where a box number is asked for."""

CARD_PX: Final = 92.0
"""Long side of a card in the picture."""

_BOX_LEFT_PX: Final = 62.0
_BOX_PITCH_PX: Final = 268.0
_FAN_STEP: Final = (23.0, -7.0)
"""Each further card of a player's hand lies this far to the right and up."""

HAND_PITCH_PX: Final = 160.0
_DEALER_FIRST: Final = (690.0, 972.0)
_DEALER_STEP_PX: Final = 84.0
_ACROSS_SHIFT: Final = (13.0, 12.0)
"""A card laid crosswise lies a little further on, so that the index below it stays free."""


class CardPlace(NamedTuple):
    """Centre and turn of one card, pixels and degrees clockwise."""

    x: float
    y: float
    angle: float


def box_origin(box: int, hand: int) -> tuple[float, float]:
    """Centre of the first card of a hand; boxes lie on an arc, further hands towards the dealer."""
    bend = ((box - 4) / 3) ** 2
    return _BOX_LEFT_PX + _BOX_PITCH_PX * (box - 1), 212.0 + 130.0 * bend + HAND_PITCH_PX * (hand - 1)


def card_place(box: int, hand: int, number: int, across: bool = False) -> CardPlace:
    """Return the place of the n-th card (0-based) of a hand; `box` DEALER for the dealer's row."""
    if box == DEALER:
        return CardPlace(_DEALER_FIRST[0] + _DEALER_STEP_PX * number, _DEALER_FIRST[1], 0.0)
    x, y = box_origin(box, hand)
    x, y = x + _FAN_STEP[0] * number, y + _FAN_STEP[1] * number
    if across:
        return CardPlace(x + _ACROSS_SHIFT[0], y + _ACROSS_SHIFT[1], 90.0)
    return CardPlace(x, y, 0.0)


def hand_at(x: float, y: float) -> tuple[int, int] | None:
    """Box and hand of a place in the picture; (DEALER, 1) for the dealer's row, None for no man's land."""
    if (
        _DEALER_FIRST[1] - CARD_PX * 0.7 < y
        and _DEALER_FIRST[0] - CARD_PX < x < _DEALER_FIRST[0] + 8 * _DEALER_STEP_PX
    ):
        return DEALER, 1
    box = int((x - _BOX_LEFT_PX + CARD_PX * 0.45) // _BOX_PITCH_PX) + 1
    if not 1 <= box <= BOXES:
        return None
    foot = y - box_origin(box, 1)[1] + HAND_PITCH_PX - CARD_PX / 2
    hand = int(foot // HAND_PITCH_PX) + 1
    return (box, hand) if 1 <= hand <= HANDS else None


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
    chips = []
    for box in view.staked:
        x, y = box_origin(box, 1)
        for level in range(3):
            chips.append(DrawnChip(x + 60 + level, y - 112 - level, CHIP_PX, CHIP_COLOURS[(box + level) % 4]))
    return Scene(FRAME_WIDTH, FRAME_HEIGHT, felt_with_print(), tuple(cards), tuple(chips))


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
    # 3.5: standard deviation of the blur. Measured: the reader sees cards and reads none; at 1.5 it reads
    # them, at 7.5 it sees none.
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 3.5), np.uint8)


MOUTH_WIDTH, MOUTH_HEIGHT = 320, 240

_TRAVEL: Final = {"bottom": (0, 1), "top": (0, -1), "right": (1, 0), "left": (-1, 0)}
"""The way out of the shoe, in the picture."""


_SUB_PICTURES: Final = 4
"""Places of the card that are averaged where it moves while the shutter is open."""

_NOISE_ROOM: Final = 64

ROOM_PX: Final = 6.0
"""So far beyond the border a card counts as gone."""


class Passage(NamedTuple):
    """One card's path past the mouth; times in milliseconds, the first one on the picture's clock.

    `shift` (pixels) and `turn_deg` are its offset at rest from the pose that the camera expects. A card that
    is `back` returns into the shoe.
    """

    art: CardArt
    start_ms: float
    in_ms: float = 160.0
    rest_ms: float = 150.0
    out_ms: float = 130.0
    shift: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    back: bool = False

    @property
    def end_ms(self) -> float:
        """Return the time at which all of it has gone."""
        return self.start_ms + self.in_ms + self.rest_ms + self.out_ms

    def progress(self, now_ms: float) -> float:
        """-1 before it shows, 0 at rest, 1 when it has gone."""
        since = now_ms - self.start_ms
        if since < self.in_ms:
            return _eased(since / self.in_ms) - 1
        gone = _eased((since - self.in_ms - self.rest_ms) / self.out_ms)
        return -gone if self.back else gone


def _eased(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


@lru_cache(maxsize=4)
def empty_mouth(width: int = MOUTH_WIDTH, height: int = MOUTH_HEIGHT) -> Image:
    """The mouth without a card. Cached: callers must not write into it."""
    down, across = np.mgrid[0:height, 0:width].astype(np.float32)
    light = 0.8 + 0.35 * down / height - 0.12 * np.abs(across / width - 0.5)
    # (58, 52, 50): colour of the empty mouth: plastic that is neither black nor near to paper.
    return np.asarray(np.clip(light[..., None] * np.array((58, 52, 50), np.float32), 0, 255), np.uint8)


def draw_mouth(passage: Passage | None, now_ms: float, leaves: str = "bottom", open_ms: float = 4.0) -> Image:
    """The picture at a moment, BGR, without the camera's noise; the shutter is open for `open_ms`."""
    mouth = empty_mouth()
    if passage is None:
        return mouth.copy()
    moments = [now_ms + open_ms * part / _SUB_PICTURES for part in range(_SUB_PICTURES)]
    places = [passage.progress(moment) for moment in moments]
    if max(places) - min(places) < 1e-4:
        return np.asarray(_laid(mouth, passage, places[0], leaves), np.uint8)
    drawn = [_laid(mouth, passage, place, leaves) for place in places]
    return np.asarray(np.mean(drawn, axis=0), np.uint8)


def with_noise(picture: Image, rng: np.random.Generator, sigma: float = 2.5) -> Image:
    """The picture as a sensor gives it."""
    height, width = picture.shape[:2]
    down, across = (int(shift) for shift in rng.integers(0, _NOISE_ROOM, 2))
    noise = _mouth_noise(height, width)[down : down + height, across : across + width]
    return np.asarray(np.clip(picture + noise * np.float32(sigma), 0, 255), np.uint8)


@lru_cache(maxsize=2)
def _mouth_noise(height: int, width: int) -> Image:
    """A field of noise of which each picture takes another part: drawing it anew would cost more than all."""
    shape = (height + _NOISE_ROOM, width + _NOISE_ROOM, 3)
    return np.random.default_rng(11).standard_normal(shape, np.float32)


def _laid(mouth: Image, passage: Passage, place: float, leaves: str) -> Image:
    """The mouth with the card at a place of its way, float32."""
    # 2 x 3 matrix from the card's pixels to the picture's, its index in the middle.
    art, turn = passage.art, np.deg2rad(passage.turn_deg)
    # 380: height of a whole card in pixels of the picture, which shows one of its corners.
    scale = 380 / art.image.shape[0]
    linear = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    centre = _index_middle(art)
    middle = np.array([MOUTH_WIDTH / 2 + passage.shift[0], MOUTH_HEIGHT / 2 + passage.shift[1]])
    matrix = np.asarray(np.column_stack([linear, middle - linear @ centre]))
    way = np.array(_TRAVEL[leaves], np.float64)
    matrix[:, 2] += way * place * _distance(passage.art, matrix, way, place)
    size = (mouth.shape[1], mouth.shape[0])
    card = cv2.warpAffine(passage.art.image, matrix, size, flags=cv2.INTER_AREA)
    alpha = cv2.warpAffine(passage.art.alpha, matrix, size, flags=cv2.INTER_LINEAR)
    share = alpha[..., None].astype(np.float32) / 255
    return np.asarray(mouth * (1 - share) + card * share)


def _index_middle(art: CardArt) -> Points:
    """Return the centre of the index, or its usual place on a sheet without one."""
    if not art.indices:
        return np.asarray(np.array([0.13, 0.17]) * art.image.shape[0])
    box = art.indices[0]
    return np.asarray((np.array(box.top) + np.array(box.foot)) / 2)


def _distance(art: CardArt, matrix: Points, way: Points, place: float) -> float:
    """Pixels from rest to where the card has gone (`place` above 0) or has not come yet."""
    height, width = art.image.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ matrix[:, :2].T + matrix[:, 2]
    along = corners @ way
    ends = sorted((0.0, float(np.array([MOUTH_WIDTH, MOUTH_HEIGHT]) @ way)))
    return ROOM_PX + float(ends[1] - along.min() if place > 0 else along.max() - ends[0])
