"""Draw scenes for the heat map network: tables, heaps and clutter, with the content of each cell.

The cells are those of the network's output: PATCH pixels of the halved picture a side.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from models.stress_scenes import dealt_table
from vision.geometry import Image, Points
from vision.synth import (
    ART_PX,
    FELTS,
    DeckArt,
    DrawnCard,
    IndexTruth,
    RenderedScene,
    Scene,
    cover_with_arm,
    disturb,
    draw_cut_card,
    index_truths,
    random_scene,
    random_style,
    take_picture,
)

_TILE: Final = 320
"""Side of a training picture, in pixels of the halved picture."""

PATCH: Final = 4
"""Pixels a side that one cell of the network's output sees."""

CELLS: Final = _TILE // PATCH

KINDS: Final = ("felt", "face", "back", "cut", "thing")
"""What a cell may hold, in the order of the network's output."""

_TEACH_SHOWN: Final = 0.45
"""An index is taught as there when so much of its rank shows; where less shows, nothing is taught."""

_TEACH_HIDDEN: Final = 0.08
"""Below this share of its rank nothing of an index shows."""

LEAST_PX: Final = 3.2
"""Smaller indices, in pixels of the halved picture, are not taught."""

_SIGMA: Final = 0.13
"""Width of an index's peak, as a share of its height."""

_ZOOM: Final = (0.5, 1.5)
"""Pixels of the scene that become one of the tile's, over two: small pictures are looked at in full size."""


class Example(NamedTuple):
    """One tile.

    `picture` TILE x TILE x 3; `kinds` CELLS x CELLS x 5, uint8, shares of 255; `heat` CELLS x CELLS, 255 at
    an index's centre; `taught` 0 where the heat is not to be learnt; `height` the logarithm to base 2 of the
    index's height in pixels of the tile times 32 at its peak, 0 elsewhere.
    """

    picture: Image
    kinds: Image
    heat: Image
    taught: Image
    height: Image


def _back_instead(card: DrawnCard, deck: DeckArt) -> DrawnCard:
    return card._replace(art=deck.back(), rank=None, suit=None, face="down")


def _turned(scene: Scene, rng: np.random.Generator, deck: DeckArt) -> Scene:
    """The scene with some of its cards face down, in places all of them."""
    share = rng.uniform(0.1, 0.6)
    cards = tuple(
        _back_instead(card, deck) if card.face == "up" and rng.random() < share else card
        for card in scene.cards
    )
    return scene._replace(cards=cards)


def _in_piles(scene: Scene, rng: np.random.Generator, deck: DeckArt) -> Scene:
    """Lay cards on and under some of the scene's own, nearly in the same place, most face down."""
    cards: list[DrawnCard] = []
    for card in scene.cards:
        if rng.random() < 0.25:
            for _ in range(int(rng.integers(1, 4))):
                shift = rng.normal(0, rng.choice([0.02, 0.15, 0.35]), 2) * card.height
                under = card._replace(
                    x=card.x + shift[0], y=card.y + shift[1], angle=card.angle + rng.normal(0, 3)
                )
                cards.append(_back_instead(under, deck) if rng.random() < 0.7 else under)
        cards.append(card)
    if rng.random() < 0.3:
        host = cards[int(rng.integers(len(cards)))]
        cut = draw_cut_card(random_style(rng), ART_PX)
        cards.append(
            host._replace(art=cut, rank=None, suit=None, face="cut", angle=float(rng.uniform(0, 360)))
        )
    return scene._replace(cards=tuple(cards))


def _scribble(felt: Image, rng: np.random.Generator) -> None:
    """Draw one line, box, ring or word in any colour."""
    height, width = felt.shape[:2]
    ink = tuple(int(value) for value in rng.integers(0, 256, 3))
    if rng.random() < 0.4:
        ink = (235, 235, 235) if rng.random() < 0.6 else (20, 20, 20)
    first = (int(rng.integers(0, width)), int(rng.integers(0, height)))
    second = (int(first[0] + rng.normal(0, 150)), int(first[1] + rng.normal(0, 150)))
    thick = int(rng.integers(1, 9))
    match int(rng.integers(4)):
        case 0:
            cv2.line(felt, first, second, ink, thick, cv2.LINE_AA)
        case 1:
            cv2.rectangle(felt, first, second, ink, thick)
        case 2:
            radius = int(rng.uniform(5, 120))
            cv2.circle(felt, first, radius, ink, -1 if rng.random() < 0.3 else thick, cv2.LINE_AA)
        case _:
            words = "".join(
                rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 :."), int(rng.integers(1, 12)))
            )
            size = float(np.exp(rng.uniform(np.log(0.3), np.log(2.5))))
            cv2.putText(felt, words, first, int(rng.integers(0, 8)), size, ink, min(thick, 4), cv2.LINE_AA)


def _cluttered(scene: Scene, rng: np.random.Generator) -> Scene:
    """The scene on a ground that is no plain cloth: stripes, blotches, boxes, words, as rooms have them."""
    size = (scene.width, scene.height)
    base = np.array(FELTS[rng.integers(len(FELTS))], np.float32) * rng.uniform(0.4, 2.2)
    ground = np.broadcast_to(base, (scene.height, scene.width, 3)).copy()
    for _ in range(int(rng.integers(1, 4))):
        shape = (int(rng.integers(2, 90)), int(rng.integers(2, 90)), 3 if rng.random() < 0.4 else 1)
        noise = cv2.resize(rng.normal(0, rng.uniform(4, 35), shape).astype(np.float32), size)
        ground += noise.reshape(scene.height, scene.width, -1)
    felt = np.clip(ground, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 30))):
        _scribble(felt, rng)
    return scene._replace(felt=felt)


def changed(scene: Scene, rng: np.random.Generator, deck: DeckArt) -> Scene:
    """The scene with more backs, more piles, other ground or no cards, each now and then."""
    if rng.random() < 0.45:
        scene = _turned(scene, rng, deck)
    if rng.random() < 0.4:
        scene = _in_piles(scene, rng, deck)
    if rng.random() < 0.35:
        scene = _cluttered(scene, rng)
    return scene._replace(cards=()) if rng.random() < 0.05 else scene


def shot(scene: Scene, rng: np.random.Generator, rank_px: float, height: float) -> RenderedScene:
    """The picture, now and then with an arm over it, and with camera faults."""
    picture = take_picture(scene)
    if rng.random() < 0.25:
        cover_with_arm(picture, rng, height, aims=[])
    return picture._replace(frame=disturb(picture.frame, rng, rank_px))


def _kinds(scene: Scene, owner: Image) -> Image:
    """Share of each kind in each cell."""
    names = {"up": "face", "joker": "face", "down": "back", "cut": "cut"}
    lookup = np.zeros(len(scene.cards) + 2, np.uint8)
    lookup[0] = KINDS.index("thing")
    lookup[2:] = [KINDS.index(names[card.face]) for card in scene.cards]
    kinds = lookup[owner.astype(int) + 2]
    planes = [((kinds == kind) * 255).astype(np.uint8) for kind in range(len(KINDS))]
    size = (CELLS, CELLS)
    return np.stack([cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in planes], 2)


def _peaks(truths: list[IndexTruth], corner: Points, zoom: float) -> tuple[Image, Image, Image]:
    """The layers `heat`, `taught` and `height` of an example."""
    heat = np.zeros((CELLS, CELLS), np.float32)
    taught = np.full((CELLS, CELLS), 1, np.uint8)
    heights = np.zeros((CELLS, CELLS), np.uint8)
    for truth in sorted(truths, key=lambda truth: truth.rank_visible):
        middle = (np.array(truth.top) + np.array(truth.foot)) / 2
        height = float(np.hypot(*np.subtract(truth.foot, truth.top))) / zoom
        centre = (middle - corner) / zoom
        if truth.rank_visible < _TEACH_HIDDEN or (centre < -height).any() or (centre > _TILE + height).any():
            continue
        inside = bool((centre >= 0).all() and (centre < _TILE).all())
        x, y = (centre + 0.5) / PATCH - 0.5
        across, down = np.meshgrid(np.arange(CELLS) - x, np.arange(CELLS) - y)
        apart = across**2 + down**2
        if truth.rank_visible < _TEACH_SHOWN or height < LEAST_PX or not inside:
            taught[apart < max(0.5 * height / PATCH, 1.5) ** 2] = 0
            continue
        sigma = max(_SIGMA * height / PATCH, 0.6)
        heat = np.maximum(heat, np.exp(-apart / (2 * sigma**2)))
        column, row = round(float(x)), round(float(y))
        if 0 <= column < CELLS and 0 <= row < CELLS:
            heat[row, column] = 1.0
            code = np.clip(np.log2(height) * 32, 1, 255)
            heights[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = code
    return (heat * 255).astype(np.uint8), taught, heights


def tile(scene: Scene, picture: RenderedScene, truths: list[IndexTruth], rng: np.random.Generator) -> Example:
    """A square piece of the picture at about half of its size."""
    zoomed = 2 * _TILE * float(np.exp(rng.uniform(*np.log(_ZOOM))))
    side = min(round(zoomed), scene.width, scene.height)
    corner = np.array([rng.integers(0, scene.width - side + 1), rng.integers(0, scene.height - side + 1)])
    window = (slice(corner[1], corner[1] + side), slice(corner[0], corner[0] + side))
    zoom = side / _TILE
    small = cv2.resize(picture.frame[window], (_TILE, _TILE), interpolation=cv2.INTER_AREA)
    return Example(small, _kinds(scene, picture.owner[window]), *_peaks(truths, corner, zoom))


def thrown_examples(rng: np.random.Generator, deck: DeckArt) -> list[Example]:
    """Draw one tile of scattered cards."""
    scene = random_scene(rng, deck, 2 * _TILE, most_cards=5 if rng.random() < 0.75 else 1)
    height = scene.cards[0].height
    scene = changed(scene, rng, deck)
    picture = shot(scene, rng, height * deck.rank_share, height)
    return [tile(scene, picture, index_truths(scene, picture), rng)]


def dealt_examples(rng: np.random.Generator, deck: DeckArt, count: int = 4) -> list[Example]:
    """Tiles of a full table."""
    scene, _ = dealt_table(rng, deck)
    height = scene.cards[0].height
    scene = changed(scene, rng, deck)
    picture = shot(scene, rng, height * deck.rank_share, height)
    truths = index_truths(scene, picture)
    return [tile(scene, picture, truths, rng) for _ in range(count)]
