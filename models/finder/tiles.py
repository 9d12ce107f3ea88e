"""Tiles that teach the finder: drawn tables, the pose of each index, the class of each cell."""

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.crops.data import pick_deck
from models.crops.layouts import layout_deck
from models.heat_map.scenes import changed, scribble
from models.stress.scenes import dealt_table, share_of
from vision.geometry import Image, Points
from vision.reading import RANKS, SUITS
from vision.synth import (
    FELTS,
    DeckArt,
    DrawnCard,
    DrawnChip,
    RenderedScene,
    Scene,
    cover_with_arm,
    disturb,
    index_truths,
    random_felt,
    random_scene,
    random_tilt,
    take_picture,
)

TILE_PX: Final = 320
CELL_PX: Final = 4
CELLS: Final = TILE_PX // CELL_PX
CLASSES: Final = ("felt", "face", "back", "cut", "joker", "chip", "hand")
"""What a cell may hold, in the order of the network's output."""

_MOST_INDICES: Final = 192
"""Indices kept of one tile; the most visible ones where there are more."""

INDEX_FIELDS: Final = ("x", "y", "down_x", "down_y", "card_x", "card_y", "rank_visible", "pip_visible")
"""Centre, vector from the rank's top to the pip's foot, the card's centre (pixels); shares that show."""

TILE: Final = np.dtype(
    [
        ("picture", np.uint8, (TILE_PX, TILE_PX, 3)),
        ("classes", np.uint8, (CELLS, CELLS)),
        ("count", np.int32),
        ("indices", np.float32, (_MOST_INDICES, len(INDEX_FIELDS))),
    ]
)
"""One tile as the store keeps it."""

BLOCK: Final = 16
"""Tiles of one deck; a block depends on the store's seed and its number alone."""

_ODD_SHARE: Final = 0.35
"""Share of the blocks whose deck has an odd layout (`models.crops.layouts`)."""

SCENE_PX: Final = 960
INDEX_PX: Final = (4.0, 40.0)
"""Heights of an index in a tile, evenly spread in their logarithm."""

ZOOM: Final = (0.5, 3.2)
"""Pixels of the scene for one of the tile, at most and at least."""

FAN_STEP: Final = (0.4, 1.1)
"""Step from card to card of a tight fan, in heights of an index."""

FIGURES: Final = ("1", "2", "5", "10", "25", "50", "100", "500", "5", "10")


def _fanned(rng: np.random.Generator, deck: DeckArt) -> Scene:
    """Draw hands whose cards lie 0.4 to 1.1 index heights apart, straight or splayed."""
    height = float(np.exp(rng.uniform(*np.log((90.0, 330.0)))))
    step_px = share_of(deck) * height
    cards: list[DrawnCard] = []
    for _ in range(int(rng.integers(2, 3 + int(500 / height)))):
        place = rng.uniform(0.05, 0.95, 2) * SCENE_PX
        angle, splay = float(rng.uniform(0, 360)), float(rng.choice([0.0, 0.0, rng.uniform(-9, 9)]))
        right = float(rng.uniform(*FAN_STEP)) * step_px * float(rng.choice([1, 1, 1, -1]))
        up = float(rng.choice([0.0, rng.uniform(-0.3, 0.6)])) * step_px
        cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        step = np.array([cos * right + sin * up, sin * right - cos * up])
        for number in range(int(rng.integers(2, 8))):
            rank, suit = RANKS[rng.integers(13)], SUITS[rng.integers(4)]
            art = deck.face(rank, suit)
            if art is not None:
                x, y = (float(value) for value in place + number * step)
                turn = angle + splay * number + float(rng.normal(0, 1.0))
                cards.append(DrawnCard(art, x, y, turn, height, rank, suit))
    felt, lean = random_felt(rng, SCENE_PX), random_tilt(rng, SCENE_PX, 35)
    return Scene(SCENE_PX, SCENE_PX, felt, tuple(cards), (), lean, float(rng.uniform(0.1, 0.5)))


def _with_figures(scene: Scene, rng: np.random.Generator) -> Scene:
    """The scene with more chips, most of which carry a figure."""
    chips = [chip._replace(figure=str(rng.choice(FIGURES))) for chip in scene.chips]
    height = scene.cards[0].height if scene.cards else 100.0
    for _ in range(int(rng.integers(0, 12))):
        x, y = rng.uniform(0, 1, 2) * (scene.width, scene.height)
        colour = FELTS[rng.integers(len(FELTS))] if rng.random() < 0.7 else (230, 230, 230)
        radius = height * float(rng.uniform(0.15, 0.25))
        figure = str(rng.choice(FIGURES)) if rng.random() < 0.8 else ""
        chips.append(DrawnChip(float(x), float(y), radius, colour, bool(rng.random() < 0.3), figure))
    return scene._replace(chips=tuple(chips))


def _sleeve(picture: RenderedScene, rng: np.random.Generator, height: float) -> None:
    """A forearm in cloth from a side of the picture, a skin-coloured hand at its end."""
    size = np.array(picture.owner.shape[::-1])
    end, turn = rng.uniform(0.1, 0.9, 2) * size, rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(turn), np.sin(turn)])
    wrist, out = end + along * height * 0.8, end + along * 2 * size.max()
    cloth, skin = rng.integers(0, 256, 3), np.array((120, 150, 200)) * rng.uniform(0.5, 1.15)
    wide = max(4, int(height * rng.uniform(0.5, 0.9)))
    for first, last, colour, thick in ((wrist, out, cloth, wide), (end, wrist, skin, max(3, wide * 3 // 4))):
        ends = tuple(int(v) for v in first), tuple(int(v) for v in last)
        cv2.line(picture.frame, *ends, tuple(map(float, colour)), thick, cv2.LINE_AA)
        cv2.line(picture.owner, *ends, -2, thick)


def _shot(scene: Scene, rng: np.random.Generator, deck: DeckArt) -> tuple[RenderedScene, Image]:
    """The picture, and the class of each of its pixels."""
    height = scene.cards[0].height if scene.cards else 100.0
    picture = take_picture(scene)
    names = {"up": "face", "joker": "joker", "down": "back", "cut": "cut"}
    lookup = np.zeros(len(scene.cards) + 2, np.uint8)
    lookup[0] = CLASSES.index("chip")
    lookup[2:] = [CLASSES.index(names[card.face]) for card in scene.cards]
    below = picture.owner.copy()
    if rng.random() < 0.2:
        cover_with_arm(picture, rng, height, aims=[])
    if rng.random() < 0.15:
        _sleeve(picture, rng, height)
    classes = lookup[picture.owner.astype(int) + 2]
    classes[(picture.owner == -2) & (below != -2)] = CLASSES.index("hand")
    return picture._replace(frame=disturb(picture.frame, rng, height * deck.rank_share)), classes


def truths_of(scene: Scene, picture: RenderedScene) -> Points:
    """Every index of the picture as n x INDEX_FIELDS, in its pixels."""
    rows = []
    for truth in index_truths(scene, picture):
        art, matrix = scene.cards[truth.card].art, picture.matrices[truth.card]
        across, down, depth = matrix @ (art.image.shape[1] / 2, art.image.shape[0] / 2, 1.0)
        top, foot = np.array(truth.top), np.array(truth.foot)
        middle, card = (top + foot) / 2, (across / depth, down / depth)
        rows.append((*middle, *(foot - top), *card, truth.rank_visible, truth.pip_visible))
    return np.array(rows, np.float32).reshape(-1, len(INDEX_FIELDS))


def _tile(frame: Image, classes: Image, truths: Points, rng: np.random.Generator) -> np.ndarray:
    """A square of the picture in which an index has a height of INDEX_PX; near a card most of the time."""
    height, width = frame.shape[:2]
    lengths = np.hypot(truths[:, 2], truths[:, 3])
    typical = float(np.median(lengths)) if len(truths) else 20.0
    wanted = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    side = round(TILE_PX * float(np.clip(typical / wanted, *ZOOM)))
    side = min(side, width, height)
    corner = rng.integers(0, (width - side + 1, height - side + 1))
    if len(truths) and rng.random() < 0.9:
        aim = truths[rng.integers(len(truths)), :2] - rng.uniform(0.1, 0.9, 2) * side
        corner = np.clip(aim.round().astype(int), 0, (width - side, height - side))
    window = (slice(corner[1], corner[1] + side), slice(corner[0], corner[0] + side))
    zoom = side / TILE_PX
    inside = truths.copy()
    inside[:, [0, 1, 4, 5]] = (inside[:, [0, 1, 4, 5]] - np.tile(corner, 2) + 0.5) / zoom - 0.5
    inside[:, 2:4] /= zoom
    near = (inside[:, :2] > -20).all(1) & (inside[:, :2] < TILE_PX + 20).all(1) & (inside[:, 6] > 0)
    inside = inside[near]
    inside = inside[np.argsort(-inside[:, 6], kind="stable")][:_MOST_INDICES]
    tile = np.zeros((), TILE)
    sampling = cv2.INTER_AREA if zoom > 1 else cv2.INTER_LINEAR
    tile["picture"] = cv2.resize(frame[window], (TILE_PX, TILE_PX), interpolation=sampling)
    tile["classes"] = cv2.resize(classes[window], (CELLS, CELLS), interpolation=cv2.INTER_NEAREST)
    tile["count"] = len(inside)
    tile["indices"][: len(inside)] = inside
    return tile


def block_of(seed: int, number: int, folders: list[Path], held_out: bool) -> np.ndarray:
    """BLOCK tiles of one deck: full tables, tight fans, cards thrown about."""
    rng = np.random.default_rng((seed, number))
    odd = rng.random() < _ODD_SHARE
    deck = layout_deck(rng, held_out) if odd else pick_deck(rng, folders, held_out)
    deck = deck._replace(face=cache(deck.face))
    tiles: list[np.ndarray] = []
    while len(tiles) < BLOCK:
        kind = rng.random()
        if kind < 0.25:
            scene, count = dealt_table(rng, deck)[0], 5
        elif kind < 0.5:
            scene, count = _fanned(rng, deck), 3
        else:
            scene, count = random_scene(rng, deck, SCENE_PX, most_cards=5 if rng.random() < 0.8 else 1), 3
        scene = changed(scene, rng, deck) if kind >= 0.5 or rng.random() < 0.5 else scene
        scene = _with_figures(scene, rng) if rng.random() < 0.4 else scene
        if rng.random() < 0.3:
            scene = scene._replace(felt=scene.felt.copy())
            for _ in range(int(rng.integers(1, 12))):
                scribble(scene.felt, rng)
        picture, classes = _shot(scene, rng, deck)
        truths = truths_of(scene, picture)
        tiles += [_tile(picture.frame, classes, truths, rng) for _ in range(count)]
    return np.stack(tiles[:BLOCK])
