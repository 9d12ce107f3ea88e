"""Scenes of the stress runs: thrown cards at a wanted index height, full tables, camera faults one at a time.

Frames are BGR, uint8. Strengths of a fault go up to the limit of human reading; those of sharpness scale with
the index's height in pixels. `index_px` is that of rank and pip together.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.decks import art_deck
from models.judging import KnownHand, label_of
from vision.geometry import Image, Points
from vision.reading import RANKS, SUITS
from vision.synth import (
    CardArt,
    DeckArt,
    DrawnCard,
    DrawnChip,
    IndexTruth,
    RenderedScene,
    Scene,
    card_quad,
    disturb,
    draw_cut_card,
    glare,
    index_truths,
    light,
    motion,
    random_deck,
    random_felt,
    random_scene,
    random_style,
    random_tilt,
    shadows,
    take_picture,
)

_ImageFault = Callable[[Image, np.random.Generator, float], Image]

SKIN: Final = ((150, 180, 225), (110, 140, 195), (60, 85, 140))


def _coarse(frame: Image, rng: np.random.Generator, index_px: float) -> Image:
    """Reduce the resolution as a camera of fewer pixels does, down to an index of 12."""
    factor = float(rng.uniform(min(0.95, max(0.5, 12 / index_px)), 1.0))
    small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (frame.shape[1], frame.shape[0]), interpolation=cv2.INTER_LINEAR)


def _dark(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    """Too little light, with the noise that the camera's gain adds."""
    return _noised(cv2.convertScaleAbs(frame, alpha=float(rng.uniform(0.15, 0.5))), rng, rng.uniform(1, 5))


def _cast(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    """Light of one colour, as from a lamp that the white balance does not know."""
    tint = rng.uniform(0.6, 1.05, 3).astype(np.float32)
    return np.asarray(np.clip(frame * tint, 0, 255), np.uint8)


def _noised(frame: Image, rng: np.random.Generator, sigma: float) -> Image:
    noise = rng.standard_normal(frame.shape, np.float32) * sigma
    return np.asarray(np.clip(frame + noise, 0, 255), np.uint8)


def _jpeg(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(15, 50))]
    return np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, quality)[1], cv2.IMREAD_COLOR))


def _sharpened(frame: Image, rng: np.random.Generator, _index_px: float) -> Image:
    soft, amount = cv2.GaussianBlur(frame, (0, 0), 1.2), float(rng.uniform(0.8, 2.0))
    return cv2.addWeighted(frame, 1 + amount, soft, -amount, 0)


FAULTS: Final[dict[str, _ImageFault]] = {
    "none": lambda frame, _, __: frame,
    "defocus": lambda frame, rng, index_px: cv2.GaussianBlur(
        frame, (0, 0), float(rng.uniform(0.3, 0.03 * index_px + 0.4))
    ),
    "motion": lambda frame, rng, index_px: motion(frame, rng, rng.uniform(2, 0.08 * index_px + 2)),
    "coarse": _coarse,
    "dark": _dark,
    "bright": lambda frame, rng, _: cv2.convertScaleAbs(frame, alpha=float(rng.uniform(1.1, 1.8))),
    "glare": lambda frame, rng, _: glare(frame, rng),
    "shadow": lambda frame, rng, _: shadows(frame, rng),
    "uneven light": lambda frame, rng, _: light(frame, rng),
    "colour cast": _cast,
    "noise": lambda frame, rng, _: _noised(frame, rng, float(rng.uniform(4, 16))),
    "jpeg": _jpeg,
    "sharpened": _sharpened,
    # Blurred somewhat more than in training: here to the whole index's height, there to the rank's.
    "mixed": disturb,
    "tilt": lambda frame, _, __: frame,
    "fingers": lambda frame, _, __: frame,
}
"""By name. `mixed` is the chain of training; a scene for `tilt` leans 20 to 40 degrees, for `fingers` some
cover the cards (`cover`)."""


def cover(
    picture: RenderedScene, rng: np.random.Generator, spots: list[tuple[float, float]], width_px: float
) -> RenderedScene:
    """Draw skin-coloured fingers across the spots; covered indices count as hidden."""
    frame, owner = picture.frame.copy(), picture.owner.copy()
    for x, y in spots:
        shade = np.array(SKIN[rng.integers(len(SKIN))]) * rng.uniform(0.8, 1.1)
        skin = tuple(float(value) for value in shade)
        turn, shift = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.5, 2) * width_px
        reach = np.array([np.cos(turn), np.sin(turn)]) * width_px * rng.uniform(1, 4)
        first = np.array([x, y]) + shift
        start, end = (tuple(int(value) for value in point) for point in (first, first + reach))
        thick = max(3, int(width_px * rng.uniform(0.5, 1.0)))
        cv2.line(frame, start, end, skin, thick, cv2.LINE_AA)
        cv2.line(owner, start, end, -2, thick)
    return picture._replace(frame=frame, owner=owner)


SEED: Final = 777_000
ART_SHARE: Final = 0.35
"""Share of scenes with card art, where there is any; the others have decks drawn from left-out fonts."""

INDEX_PX: Final = (8.0, 48.0)
"""Heights of rank and pip together in thrown and crowded scenes, evenly spread in their logarithm."""

ROOM_PX: Final = 245.0
"""Width of a hand on a full table at most, so that it does not lie on its neighbour's."""

_CROWD: Final = (4, 3)
"""Hands across and down in a crowded scene."""

BANDS: Final = (0, 8, 12, 15, 18, 22, 28, 40, 1000)
"""Index heights in pixels that are reported apart."""

_SCENE_PX: Final = 640
LEAN_DEG: Final = 20.0
STRONG_LEAN_DEG: Final = 40.0
_PIECE_PX: Final = 640
WIDTH: Final = 1920
HEIGHT: Final = 1080
ART_PX: Final = 352


class Shot(NamedTuple):
    """One drawn scene, its picture before any fault, its indices and its hands (none when scattered)."""

    scene: Scene
    picture: RenderedScene
    truths: list[IndexTruth]
    hands: tuple[KnownHand, ...]

    @property
    def index_px(self) -> float:
        """Median height of the indices; 20 where there is none."""
        return float(np.median([index_px_of(truth) for truth in self.truths])) if self.truths else 20.0


def index_px_of(truth: IndexTruth) -> float:
    """From the rank's top to the pip's foot, in pixels."""
    return float(np.hypot(truth.foot[0] - truth.top[0], truth.foot[1] - truth.top[1]))


def middle_of(truth: IndexTruth) -> tuple[float, float]:
    """The index's centre."""
    return (truth.top[0] + truth.foot[0]) / 2, (truth.top[1] + truth.foot[1]) / 2


def band_of(height: float) -> str:
    """The band of an index height."""
    low, high = next(band for band in pairwise(BANDS) if band[0] <= height < band[1])
    return f"{low}-{high}" if high < BANDS[-1] else f"over {low}"


def held_out_deck(rng: np.random.Generator, folders: list[Path]) -> DeckArt:
    """A deck that training never saw: left-out art now and then, else drawn from left-out fonts."""
    if folders and rng.random() < ART_SHARE:
        return art_deck(folders[int(rng.integers(len(folders)))], rng)
    return random_deck(rng, held_out=True)


def zoomed(scene: Scene, times: float) -> Scene:
    """The same table in so many times as many pixels a side."""
    zoom = np.diag([times, times, 1.0])
    cards = tuple(
        card._replace(x=card.x * times, y=card.y * times, height=card.height * times) for card in scene.cards
    )
    chips = tuple(
        chip._replace(x=chip.x * times, y=chip.y * times, radius=chip.radius * times) for chip in scene.chips
    )
    felt = cv2.resize(scene.felt, None, fx=times, fy=times)
    tilt = None if scene.tilt is None else zoom @ scene.tilt @ np.linalg.inv(zoom)
    size = {"width": round(scene.width * times), "height": round(scene.height * times)}
    return scene._replace(**size, felt=felt, cards=cards, chips=chips, tilt=tilt)


def _scaled(scene: Scene, factor: float) -> Scene:
    """The same scene nearer or farther away, on a cloth of the same weave."""
    size = max(48, round(scene.width * factor))
    felt = np.tile(scene.felt, (1 + size // scene.height, 1 + size // scene.width, 1))[:size, :size]
    return zoomed(scene, factor)._replace(width=size, height=size, felt=felt)


def _index_px(scene: Scene) -> float:
    """Height of a whole index in pixels before the camera's tilt; 0 when no card shows one."""
    for card in scene.cards:
        for box in card.art.indices:
            return (box.foot[1] - box.top[1]) * card.height / card.art.image.shape[0]
    return 0.0


def thrown_scene(rng: np.random.Generator, folders: list[Path]) -> Scene:
    """Hands, fans and heaps in any place, the index at any height of `INDEX_PX`."""
    wanted = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    scene = random_scene(rng, held_out_deck(rng, folders), _SCENE_PX, LEAN_DEG)
    height = abs(_index_px(scene))
    return _scaled(scene, wanted / height) if height else scene


def leaning(scene: Scene, rng: np.random.Generator, least_deg: float, most_deg: float) -> Scene:
    """The scene under another tilt of the camera."""
    side = min(scene.width, scene.height)
    shift = np.array([[1, 0, (scene.width - side) / 2], [0, 1, (scene.height - side) / 2], [0, 0, 1.0]])
    tilt = shift @ random_tilt(rng, side, most_deg, least_deg) @ np.linalg.inv(shift)
    return scene._replace(tilt=tilt)


def take(scene: Scene, hands: tuple[tuple[int, ...], ...] = ()) -> Shot:
    """The picture, and where everything is; `hands` lists cards by number, each hand from the lowest.

    Hands that reach out of the picture are left out.
    """
    picture = take_picture(scene)
    known = tuple(hand for hand in (_known(scene, cards) for cards in hands) if _is_whole(hand, scene))
    return Shot(scene, picture, index_truths(scene, picture), known)


def _is_whole(hand: KnownHand, scene: Scene) -> bool:
    left, top, right, foot = hand.box
    return left >= 0 and top >= 0 and right <= scene.width and foot <= scene.height


def _known(scene: Scene, hand: tuple[int, ...]) -> KnownHand:
    quads = np.concatenate([card_quad(scene.cards[number], scene.tilt) for number in hand])
    names = tuple(label_of(scene.cards[number]) for number in hand)
    (left, top), (right, foot) = quads.min(0), quads.max(0)
    return KnownHand(names, (float(left), float(top), float(right), float(foot)))


def _felt(rng: np.random.Generator, width: int, height: int) -> Image:
    """A cloth of that size, mirrored where it is larger than a piece: drawing it all would take long."""
    piece = random_felt(rng, _PIECE_PX)
    right, down = max(0, width - _PIECE_PX), max(0, height - _PIECE_PX)
    whole = cv2.copyMakeBorder(piece, 0, down, 0, right, cv2.BORDER_REFLECT)
    return np.ascontiguousarray(whole[:height, :width])


class _Table:
    """Cards laid down one after the other, and which of them make a hand."""

    def __init__(self, rng: np.random.Generator, deck: DeckArt, height: float) -> None:
        """`rng` draws the cards, the dealer's manner and its disorder; cards are `height` pixels high."""
        self._rng, self._deck, self._height = rng, deck, height
        # The step to a hand's next card, and how far it is turned.
        self._right = float(rng.uniform(0.24, 0.5) * height * 0.7)
        self._up = float(rng.uniform(0, 0.3) * height)
        self._wobble_deg = float(rng.uniform(0.5, 4))
        self.cards: list[DrawnCard] = []
        self.hands: list[tuple[int, ...]] = []

    def _face(self) -> tuple[CardArt, str, str]:
        while True:
            rank, suit = RANKS[self._rng.integers(13)], SUITS[self._rng.integers(4)]
            art = self._deck.face(rank, suit)
            if art is not None:
                return art, rank, suit

    def _lay(self, x: float, y: float, angle: float, face: str = "up") -> int:
        rng = self._rng
        x, y = (float(value + rng.normal(0, 0.01) * self._height) for value in (x, y))
        angle += float(rng.normal(0, self._wobble_deg))
        if face == "down":
            self.cards.append(DrawnCard(self._deck.back(), x, y, angle, self._height, face="down"))
        else:
            art, rank, suit = self._face()
            self.cards.append(DrawnCard(art, x, y, angle, self._height, rank, suit))
        return len(self.cards) - 1

    def player(self, x: float, y: float, turn: float) -> None:
        """A hand of two to five cards, turned by degrees, the last card sometimes across."""
        rng = self._rng
        count = 2 + min(3, int(rng.geometric(0.5)) - 1, int((ROOM_PX - self._height) / self._right) - 1)
        cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        hand = []
        for step in range(count):
            right, down = step * self._right, -step * self._up
            across = step == count - 1 and step >= 2 and rng.random() < 0.3
            if across:
                right, down = right + 0.14 * self._height, down + 0.13 * self._height
            place = x + cos * right - sin * down, y + sin * right + cos * down
            hand.append(self._lay(*place, turn + (90 if across else 0)))
        self.hands.append(tuple(hand))

    def dealer(self, x: float, y: float) -> None:
        """The up card and a card face down, or a row of up to five; apart, so each is its own hand."""
        pitch, rng = self._height * 0.85, self._rng
        if rng.random() < 0.6:
            row = [self._lay(x, y, 0), self._lay(x + pitch, y, 0, "down")]
        else:
            row = [self._lay(x + pitch * step, y, 0) for step in range(int(rng.integers(2, 6)))]
        self.hands += [(card,) for card in row]


def _chips(
    rng: np.random.Generator, spots: list[tuple[float, float]], radius: float
) -> tuple[DrawnChip, ...]:
    colours = ((40, 40, 190), (150, 70, 20), (40, 40, 40), (120, 40, 120), (220, 220, 220))
    return tuple(
        DrawnChip(x + level, y - level, radius, colours[rng.integers(len(colours))])
        for x, y in spots
        for level in range(int(rng.integers(1, 4)))
    )


def dealt_table(rng: np.random.Generator, deck: DeckArt) -> tuple[Scene, tuple[tuple[int, ...], ...]]:
    """A full 1920 x 1080 layout of seven boxes and the dealer, about 25 cards; the hands by card number."""
    table = _Table(rng, deck, float(rng.uniform(70, 130)))
    stakes = []
    for box in range(7):
        x, y = 90.0 + 262 * box, 260 + 130 * ((box - 3) / 3) ** 2
        table.player(x, y, float(rng.normal(0, 4)))
        if rng.random() < 0.15:
            table.player(x, y + 200, float(rng.normal(0, 4)))
        stakes.append((x + 60, y - 170))
    table.dealer(700, 930)
    cards = table.cards
    if rng.random() < 0.2:
        cut = draw_cut_card(random_style(rng), ART_PX)
        cards.append(DrawnCard(cut, 330, 980, 90 + float(rng.normal(0, 4)), cards[0].height, face="cut"))
    felt = _felt(rng, WIDTH, HEIGHT)
    scene = Scene(
        WIDTH, HEIGHT, felt, tuple(cards), _chips(rng, stakes, 20.0), None, float(rng.uniform(0.1, 0.5))
    )
    return leaning(scene, rng, 0, LEAN_DEG / 2), tuple(table.hands)


def crowded_scene(rng: np.random.Generator, folders: list[Path]) -> Scene:
    """A dozen hands at any turn, close together, the index at any height of `INDEX_PX`."""
    deck = held_out_deck(rng, folders)
    wanted = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    height = wanted / _share_of(deck)
    table = _Table(rng, deck, height)
    width, depth = (round(count * 2.3 * height) for count in _CROWD)
    for slot in range(_CROWD[0] * _CROWD[1]):
        across, down = slot % _CROWD[0] + rng.uniform(0.2, 0.8), slot // _CROWD[0] + rng.uniform(0.2, 0.8)
        table.player(across * 2.3 * height, down * 2.3 * height, float(rng.uniform(0, 360)))
    spots = [(float(rng.uniform(0, width)), float(rng.uniform(0, depth))) for _ in range(4)]
    felt = _felt(rng, width, depth)
    cards, chips = tuple(table.cards), _chips(rng, spots, height * 0.22)
    scene = Scene(width, depth, felt, cards, chips, None, float(rng.uniform(0.1, 0.5)))
    return leaning(scene, rng, 0, LEAN_DEG)


def _share_of(deck: DeckArt) -> float:
    """Height of the deck's index as a share of its cards'."""
    arts = (deck.face(rank, suit) for rank in RANKS for suit in SUITS)
    art = next(art for art in arts if art is not None)
    return (art.indices[0].foot[1] - art.indices[0].top[1]) / art.image.shape[0]


def facing(truth: IndexTruth) -> Points:
    """Unit vector from rank to pip."""
    down = np.subtract(truth.foot, truth.top)
    return np.asarray(down / max(float(np.hypot(*down)), 1e-6))
