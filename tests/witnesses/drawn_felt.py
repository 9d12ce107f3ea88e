"""The felt of a simulated round as a camera sees it, drawn and read by the real reader.

Cards come in a hand that moves over the felt, sometimes stops on the way, and lets go; chips lie in circles
and zones. A picture is drawn anew only where something on the felt has changed; each has a noise of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

import cv2
import numpy as np

from controller.acts.round import Face
from controller.devices.cameras.tracker import FeltCamera
from controller.domain import Card
from controller.witnesses import FeltReading
from tests.witnesses.felt_scenery import SKINS, SLEEVE, Arm, Colour, Place, draw_arm, laid_felt
from vision.geometry import Image
from vision.synth import CardStyle, DrawnCard, Scene, draw_back, draw_card, take_picture
from vision.synth.demo_table import FRAME_HEIGHT, FRAME_WIDTH

MM_A_PX: Final = 0.9565217391304348
"""As in examples/layout.toml."""
CARD_PX: Final = 92.0
ART_PX: Final = 552
SHOE_AT_MM: Final = (1640.0, 900.0)
PAUSE_SHARE: Final = 0.12
"""Of the cards so many stop on their way, over the dealer's zone, for `PAUSE_MS`."""
PAUSE_MS: Final = (600, 1500)
WAY_MS: Final = (350, 800)
SLOW_SHARE: Final = 0.06
SLOW_WAY_MS: Final = (2200, 3200)
LEAVES_MS: Final = 250
NOISE_PX: Final = 64


@dataclass
class Drawn:
    """A card on the felt, or on its way there."""

    card: Card
    at_mm: Place
    turn_deg: float
    face: Face


class Stop(NamedTuple):
    """A place at which the dealer's hand stops with the card that it holds, and for how long."""

    at_mm: Place
    ms: int


class OnItsWay(NamedTuple):
    """A card in a hand: where it is from which moment on, from the shoe until it is let go."""

    n: int
    places: tuple[tuple[int, Place], ...]

    @property
    def lands_ms(self) -> int:
        return self.places[-1][0]

    def at_mm(self, now_ms: int) -> Place:
        """Where the hand is, evenly between two of its places."""
        for (began_ms, first), (ends_ms, last) in pairwise(self.places):
            if now_ms < ends_ms:
                return _between(first, last, max(now_ms - began_ms, 0) / (ends_ms - began_ms))
        return self.places[-1][1]


def way(n: int, began_ms: int, stops: Sequence[Stop], end_mm: Place, leg_ms: int) -> OnItsWay:
    """A card from the shoe to its place, `leg_ms` between one stop and the next."""
    now_ms, places = began_ms, [(began_ms, SHOE_AT_MM)]
    for stop in stops:
        now_ms += leg_ms
        places += [(now_ms, stop.at_mm), (now_ms + stop.ms, stop.at_mm)]
        now_ms += stop.ms
    return OnItsWay(n, (*places, (now_ms + leg_ms, end_mm)))


@dataclass
class DrawnFelt:
    """As `SimulatedFelt`, with pictures. `times` 1: 1920 x 1080, 2: 3840 x 2160; `busy`: hands and things."""

    chance: Random
    camera: FeltCamera
    style: CardStyle
    times: int = 1
    busy: bool = True
    now_ms: int = 1000
    laid: dict[int, Drawn] = field(default_factory=dict)
    tracks: dict[int, int] = field(default_factory=dict)
    boxes: dict[int, int] = field(default_factory=dict)
    stops: tuple[Stop, ...] | None = None
    """Where the hand with the next card stops; by chance where nothing is said."""
    sleeve: Colour = SLEEVE
    coming: OnItsWay | None = None
    hand_until_ms: int = 0
    arm: Arm | None = None
    frame: Image | None = None

    def __post_init__(self) -> None:
        """Lay the empty felt out; the scenery has a chance of its own, so that the round stays the same."""
        scenery = Random(self.chance.getstate()[1][0])
        self.skin = scenery.choice(SKINS)
        self.felt, self.chips = laid_felt(scenery, self.times)
        self.hands = scenery

    def lay(self, n: int, card: Card, box: int, at_mm: Place, turn: float, face: Face) -> None:
        self.boxes[n] = box
        gauss = self.hands.gauss
        at = (at_mm[0] + gauss(0, 1.5), at_mm[1] + gauss(0, 1.5))
        self.laid[n] = Drawn(card, at, turn - 90 + gauss(0, 2.5), face)
        if self.busy:
            self.coming = self._way(n)
        self.frame = None

    def _way(self, n: int) -> OnItsWay:
        slow = self.hands.random() < SLOW_SHARE
        takes_ms = self.hands.randint(*(SLOW_WAY_MS if slow else WAY_MS))
        pause = self.hands.randint(*PAUSE_MS) if self.hands.random() < PAUSE_SHARE else 0
        stop = (self.hands.uniform(800.0, 1300.0), self.hands.uniform(800.0, 860.0))
        stops = (Stop(stop, pause),) if self.stops is None else self.stops
        return way(n, self.now_ms, stops, self.laid[n].at_mm, takes_ms // 2)

    @property
    def rests_ms(self) -> int:
        """When the last card is let go."""
        return self.now_ms if self.coming is None else self.coming.lands_ms

    def move(self, n: int, at_mm: Place) -> None:
        self.laid[n].at_mm = at_mm
        self._touch(at_mm)

    def turn_up(self, n: int) -> None:
        self.laid[n].face = "up"
        self._touch(self.laid[n].at_mm)

    def take_away(self, numbers: list[int]) -> None:
        for n in numbers:
            gone = self.laid.pop(n, None)
            if gone is not None:
                self._touch(gone.at_mm)

    def _touch(self, at_mm: Place) -> None:
        """A hand was there and goes."""
        if self.busy:
            self.arm, self.hand_until_ms = Arm(_px(at_mm), self.skin, self.sleeve), self.now_ms + LEAVES_MS
        self.frame = None

    def view(self) -> FeltReading:
        view = self.camera.look(self.picture(), self.now_ms)
        for card in (*view.cards, *view.unread):
            near = min(self.laid, key=lambda n: np.hypot(*np.subtract(self._at_mm(n), card.at_mm)), default=0)
            self.tracks.setdefault(card.track, near)
        return view

    def picture(self) -> Image:
        """The camera's picture of now."""
        self._go_on()
        if self.frame is None:
            self.frame = self._draw()
        down, right = np.random.default_rng(self.now_ms).integers(0, NOISE_PX, 2)
        height, width = self.frame.shape[:2]
        window = _noise(height, width)[down : down + height, right : right + width]
        return np.asarray(cv2.add(self.frame, window), np.uint8)

    def _go_on(self) -> None:
        coming = self.coming
        if coming is not None:
            self.frame, self.arm = None, Arm(_px(self._at_mm(coming.n)), self.skin, self.sleeve)
            if self.now_ms >= coming.lands_ms:
                self.coming, self.hand_until_ms = None, self.now_ms + LEAVES_MS
        elif self.arm is not None and self.now_ms > self.hand_until_ms:
            self.frame = self.arm = None

    def _at_mm(self, n: int) -> Place:
        coming = self.coming
        return self.laid[n].at_mm if coming is None or coming.n != n else coming.at_mm(self.now_ms)

    def _draw(self) -> Image:
        cards = tuple(self._card(n, one) for n, one in self.laid.items())
        size = (FRAME_WIDTH * self.times, FRAME_HEIGHT * self.times)
        chips = self.chips if self.busy else ()
        frame = take_picture(Scene(*size, self.felt, cards, chips)).frame
        if self.arm is not None:
            draw_arm(frame, self.arm, self.times)
        return frame

    def _card(self, n: int, one: Drawn) -> DrawnCard:
        rank, suit = str(one.card.rank), str(one.card.suit)
        down = one.face == "down"
        art = draw_back(self.style, ART_PX) if down else draw_card(self.style, rank, suit, ART_PX)
        x, y = (value * self.times for value in _px(self._at_mm(n)))
        return DrawnCard(art, x, y, one.turn_deg, CARD_PX * self.times, rank, suit, one.face)


@lru_cache(maxsize=1)
def _noise(height: int, width: int) -> Image:
    """What a sensor adds; each picture takes another window, making it anew took longer than reading."""
    shape = (height + NOISE_PX, width + NOISE_PX, 3)
    return np.random.default_rng(11).integers(0, 4, shape, np.uint8)


def _px(at_mm: Place) -> Place:
    return at_mm[0] / MM_A_PX, at_mm[1] / MM_A_PX


def _between(first: Place, last: Place, share: float) -> Place:
    return first[0] + share * (last[0] - first[0]), first[1] + share * (last[1] - first[1])
