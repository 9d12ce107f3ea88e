"""A small table on which cards are laid by the pixel, and a reader of its cards that can be made to err.

The pictures are real ones for the gate (noise, light, hands); only reading an index is made cheap: it is a
patch whose colour tells rank, suit and corner.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.reading import RANKS, SUITS, PointPx, ReadCard, Reading, Unclear
from vision.tracking import CardTracker, TrackedScene
from vision.tracking.track import TrackEvent

WIDTH: Final = 384
HEIGHT: Final = 216
CARD: Final = (28, 40)
PATCH: Final = 6
NEAR: Final = 6
FELT: Final = (60, 110, 30)
PAPER: Final = (236, 236, 236)
BACK: Final = (180, 30, 60)
BLUR: Final = (10, 250, 250)
"""Colour of an index that cannot be read."""

SKIN: Final = (120, 150, 215)
CORNER_REDS: Final = (90, 115, 140, 165)
"""Red of a patch: first and second corner of an upright card, then of one laid across."""

STEP_MS: Final = 33


class Lay(NamedTuple):
    """A card with its upper left corner at x, y; `name` as in "8h", "down" or "?" (unreadable)."""

    name: str
    x: int
    y: int
    across: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return CARD[::-1] if self.across else CARD

    @property
    def corners(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Centres of its two indices."""
        wide, tall = self.size
        if self.across:
            return (self.x + wide - NEAR, self.y + NEAR), (self.x + NEAR, self.y + tall - NEAR)
        return (self.x + NEAR, self.y + NEAR), (self.x + wide - NEAR, self.y + tall - NEAR)

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.size[0] / 2, self.y + self.size[1] / 2


def colour(name: str, red: int) -> tuple[int, int, int]:
    return 10 + 18 * RANKS.index(name[:-1]), 20 + 60 * SUITS.index(name[-1]), red


def glyph(name: str) -> Image:
    """Strokes that differ from card to card as much as printed ones do; the reader looks past them."""
    seed = 99 if name == "?" else RANKS.index(name[:-1]) * 4 + SUITS.index(name[-1])
    strokes = np.random.default_rng(seed).integers(0, 2, (PATCH // 2, PATCH // 2, 1))
    return np.asarray(np.where(strokes.repeat(2, 0).repeat(2, 1), PAPER, (0, 0, 0)), np.uint8)


def draw(image: Image, lay: Lay) -> None:
    wide, tall = lay.size
    face = BACK if lay.name == "down" else PAPER
    image[lay.y : lay.y + tall, lay.x : lay.x + wide] = face
    cv2.rectangle(image, (lay.x, lay.y), (lay.x + wide - 1, lay.y + tall - 1), (150, 150, 150))
    if lay.name == "down":
        return
    for number, (x, y) in enumerate(lay.corners):
        red = CORNER_REDS[number + 2 * lay.across]
        shade = BLUR if lay.name == "?" else colour(lay.name, red)
        half = PATCH // 2
        image[y - half : y + half, x - half : x + half] = shade
        inward = half if y < lay.y + tall / 2 else -half - PATCH
        image[y + inward : y + inward + PATCH, x - half : x + half] = glyph(lay.name)


class PatchReader:
    """Reads patches; `err` may change what is read of a card, or hide it, in the n-th picture read."""

    def __init__(self) -> None:
        self.light = 1.0
        self.reads = 0
        self.err: Callable[[ReadCard, int], ReadCard | None] = lambda card, _: card

    def forget(self, moved: Callable[[PointPx], bool]) -> None:
        """Remember nothing."""

    def read(self, image: Image, *_: float | None) -> Reading:
        self.reads += 1
        lit = image if self.light == 1 else cv2.convertScaleAbs(image, alpha=1 / self.light)
        found = [self.err(card, self.reads) for card in (*_faces(lit), *_backs(lit))]
        blurred = [Unclear(at, "uncertain") for at in _spots(_near(lit, BLUR, 12))]
        return Reading(tuple(card for card in found if card is not None), tuple(blurred), 0.0)


def _near(image: Image, shade: tuple[int, ...], slack: int) -> Image:
    low, high = (tuple(value + side * slack for value in shade) for side in (-1, 1))
    return cv2.inRange(image, low, high)


def _spots(mask: Image) -> list[tuple[float, float]]:
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4)
    area = stats[1:, cv2.CC_STAT_AREA]
    whole = (area > 0.7 * PATCH**2) & (area < 1.4 * PATCH**2)
    return [(float(x) + 0.5, float(y) + 0.5) for x, y in centres[1:][whole]]


def _faces(image: Image) -> Iterator[ReadCard]:
    blue, green, reds = (image[..., channel].astype(np.float32) for channel in range(3))
    ranks, suits = (blue - 10) / 18, (green - 20) / 60
    good = (abs(ranks - ranks.round()) < 0.4) & (abs(suits - suits.round()) < 0.2)
    good &= (ranks.round() >= 0) & (ranks.round() <= 12) & (suits.round() >= 0) & (suits.round() <= 3)
    label = np.where(good, ranks.round() * 4 + suits.round(), -1).astype(int)
    seen: dict[Lay, list[tuple[float, float]]] = {}
    for corner, red in enumerate(CORNER_REDS):
        of_corner = np.where(abs(reds - red) < 9, label, -1)
        for number in np.unique(of_corner[of_corner >= 0]):
            name = RANKS[number // 4] + SUITS[number % 4]
            for x, y in _spots((of_corner == number).astype(np.uint8)):
                origin = Lay(name, 0, 0, across=corner > 1).corners[corner % 2]
                lay = Lay(name, round(x - origin[0]), round(y - origin[1]), corner > 1)
                seen.setdefault(lay, []).append((x, y))
    for lay, corners in seen.items():
        yield _read(lay, corners[0], len(corners))


def _read(lay: Lay, at: tuple[float, float], corners: int) -> ReadCard:
    (wide, tall), (x, y) = lay.size, (float(lay.x), float(lay.y))
    quad = ((x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall))
    if lay.name == "down":
        return ReadCard(None, None, 0.99, lay.middle, quad, "down", 0, 0)
    return ReadCard(lay.name[:-1], lay.name[-1], 0.99, at, quad, "up", 0, corners)


def _backs(image: Image) -> Iterator[ReadCard]:
    _, _, stats, _ = cv2.connectedComponentsWithStats(_near(image, BACK, 12))
    for x, y, wide, tall, area in stats[1:]:
        if area > 0.8 * (CARD[0] - 2) * (CARD[1] - 2):
            lay = Lay("down", int(x) - 1, int(y) - 1, across=bool(wide > tall))
            yield _read(lay, lay.middle, 0)


class Stage:
    """The table, its camera and its watcher."""

    def __init__(self, seed: int = 1, noise: float = 1.5) -> None:
        self.reader = PatchReader()
        self.watcher = CardTracker(self.reader)
        self.lays: list[Lay] = []
        self.hands: list[tuple[int, int, int]] = []
        """Circles of skin: x, y, radius."""
        self.now_ms = 0
        self.light = 1.0
        self.events: list[TrackEvent] = []
        self.rng = np.random.default_rng(seed)
        grain = self.rng.normal(0, noise, (HEIGHT + 40, WIDTH + 40, 3))
        self._grain = tuple(np.clip(side, 0, 99).round().astype(np.uint8) for side in (grain, -grain))
        self._felt: Image = np.full((HEIGHT, WIDTH, 3), FELT, np.uint8)
        cv2.ellipse(self._felt, (WIDTH // 2, 380), (260, 250), 0, 180, 360, (120, 180, 190), 1)

    def print_block(self, x: int, y: int, side: int) -> None:
        """Print a bright square on the felt, its upper left corner at x, y."""
        self._felt[y : y + side, x : x + side] = (190, 215, 220)

    def picture(self) -> Image:
        image = self._felt.copy()
        for lay in self.lays:
            draw(image, lay)
        for x, y, radius in self.hands:
            cv2.circle(image, (x, y), radius, SKIN, -1)
            cv2.circle(image, (x + radius // 3, y), radius // 3, (100, 125, 185), -1)
        if self.light != 1:
            image = cv2.convertScaleAbs(image, alpha=self.light)
        x, y = self.rng.integers(0, 40, 2)
        more, less = (side[y : y + HEIGHT, x : x + WIDTH] for side in self._grain)
        return cv2.subtract(cv2.add(image, more), less)

    def look(self, step_ms: int = STEP_MS) -> TrackedScene:
        self.now_ms += step_ms
        self.reader.light = self.light
        scene = self.watcher.update(self.picture(), self.now_ms)
        self.events += scene.events
        return scene

    def run(self, ms: int, step_ms: int = STEP_MS) -> TrackedScene:
        """Show the table as it is for so long; the scene after it."""
        scene = self.look(step_ms)
        for _ in range(ms // step_ms):
            scene = self.look(step_ms)
        return scene

    def lay(self, *lays: Lay, ms: int = 500) -> TrackedScene:
        """Put cards on top of what lies there, and wait until they are read."""
        self.lays += lays
        return self.run(ms)

    def told(self, kind: type[TrackEvent]) -> list[TrackEvent]:
        return [event for event in self.events if isinstance(event, kind)]


def names(scene: TrackedScene) -> dict[int, str]:
    """Certain cards by track, of an open suit the rank alone; "down" for a card face down."""
    return {
        track.track: "down" if track.name is None else track.name.rank + (track.name.suit or "")
        for track in scene.tracks
        if track.name is not None or track.face == "down"
    }
