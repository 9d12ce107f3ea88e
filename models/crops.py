"""Training crops: random tables are drawn, the reader's own search cuts, the truth labels.

So the network sees the negatives that the search will really bring: pips beside pips, court faces,
upside-down and half-hidden indices. Beside tables: rare things that random tables show too rarely, whole
cards with blanked corners, and indices with letters of other languages.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.decks import art_deck, card_heights_px, deck_folders, layout_deck, pip_beside
from vision.card_sized import squeezed_card_crop
from vision.faces import WHOLE_CARD_CROP, blank_corners, crop_whole_cards
from vision.geometry import Image, IndexPoses, Points, concatenated
from vision.inference import INDEX_SHARE, crop_matrices, cut_crops
from vision.networks import INDEX_CROP
from vision.proposal import find_components, pair_beside, pair_components, propose_indices
from vision.reading import RANKS, STATES, SUITS
from vision.synth import (
    CASINO_STYLE,
    CardArt,
    CardStyle,
    DeckArt,
    DrawnCard,
    IndexBox,
    IndexTruth,
    RenderedScene,
    Scene,
    card_quad,
    disturb,
    draw_card,
    drawn_deck,
    foreign_style,
    index_truths,
    random_deck,
    random_felt,
    random_scene,
    random_style,
    shoot,
)

IGNORE: Final = -1
"""Label of what a crop does not tell."""

_NO_RANK_PX: Final = 0.0
"""`rank_px` of a crop that shows no index."""

SHOWN: Final = (0.94, 0.90)
HIDDEN: Final = (0.84, 0.70)
"""Shares of the print of rank and pip: an index that shows at least the first can be read, one that shows
less than the second of either cannot. Between them nobody can say, and nothing is taught."""


class Sample(NamedTuple):
    """n crops: pixels (n x height x width x 3), labels (n x 3: rank, suit, state), and `rank_px` (n).

    A label is IGNORE where the crop does not tell it; `rank_px` is _NO_RANK_PX where there is no index.
    """

    crops: Image
    labels: Image
    rank_px: Points

    def cut(self, count: int) -> "Sample":
        """The first `count` of them."""
        return Sample(*(column[:count] for column in self))


def _without_index(crops: Image, labels: Image) -> Sample:
    """Crops that show no index."""
    return Sample(crops, labels, np.full(len(labels), _NO_RANK_PX, np.float32))


def joined(parts: list[Sample]) -> Sample:
    """All samples as one."""
    return Sample(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _length(box: IndexBox, end: tuple[float, float]) -> float:
    return float(np.hypot(end[0] - box.top[0], end[1] - box.top[1]))


def _rank_of_index(art: CardArt) -> float:
    """The rank's share of the height of rank and pip together, as the card is drawn."""
    box = art.indices[0]
    return _length(box, box.rank_foot) / _length(box, box.foot)


def _rank_of_card(art: CardArt) -> float:
    """The rank's share of the card's height; 0 for a card without indices."""
    return _length(art.indices[0], art.indices[0].rank_foot) / art.image.shape[0] if art.indices else 0.0


_MANY_TENS: Final = (*RANKS, *("10",) * 8)
"""Ranks of rare tables: two of five cards are tens."""

_ROUGH_SHARE: Final = 0.2
"""Share of the pictures that show nothing but a rough surface."""

_ROUGH_PX: Final = 480
_ROUGH_CROPS: Final = 40
"""Most crops of one such picture."""

_SQUEEZE: Final = (0.40, 0.95)
_PIP: Final = (0.38, 0.75)
GAP: Final = (0.05, 0.60)
"""Width of a ten's digits against other ranks', height of the pip and its distance, both in rank heights."""

_BODY_PIP: Final = (0.14, 0.27)
_BODY_TOP: Final = (0.03, 0.20)
_CLEARANCE: Final = (0.0, 0.02)
"""Height of the body's pips, their distance from the card's edge and from the index, in card heights."""


def _rare_deck(rng: np.random.Generator) -> DeckArt:
    """A drawn deck of unusual tens, with large pips close to its indices."""
    style = random_style(rng)
    return drawn_deck(
        style._replace(
            ten_squeeze=float(rng.uniform(*_SQUEEZE)),
            pip_height=float(style.rank_height * rng.uniform(*_PIP)),
            gap=float(style.rank_height * rng.uniform(*GAP)),
            body_pip=float(rng.uniform(*_BODY_PIP)),
            body_top=float(rng.uniform(*_BODY_TOP)),
            clearance=float(rng.uniform(*_CLEARANCE)),
        )
    )


def _rough(rng: np.random.Generator) -> Image:
    """A carpet, a plaster, crumpled cloth: light and dark at every scale."""
    field = np.zeros((_ROUGH_PX, _ROUGH_PX), np.float32)
    for octave in range(2, 8):
        side = min(_ROUGH_PX, 4 << octave)
        grain = rng.standard_normal((side, side), np.float32) * rng.uniform(0, 1)
        field += cv2.resize(grain, (_ROUGH_PX, _ROUGH_PX), interpolation=cv2.INTER_CUBIC)
    field /= max(float(field.std()), 1e-3)
    colour = np.array(rng.uniform(0.55, 1.0, 3), np.float32) * rng.uniform(90, 255)
    shade = np.clip(1 + rng.uniform(0.08, 0.4) * field, 0, 1.6)[..., None]
    return np.asarray(np.clip(colour * shade, 0, 255), np.uint8)


def _rough_sample(rng: np.random.Generator) -> Sample:
    """Crops of a rough surface, where the search takes it for print: none of them is an index."""
    frame = disturb(_rough(rng), rng, 20.0)
    found = propose_indices(frame)
    chosen = found.take(rng.permutation(len(found.index_px))[:_ROUGH_CROPS])
    if not len(chosen.index_px):
        return _without_index(np.empty((0, *INDEX_CROP, 3), np.uint8), np.empty((0, 3), np.int8))
    none = np.array([IGNORE, IGNORE, STATES.index("none")], np.int8)
    return _without_index(cut_crops(frame, chosen, INDEX_CROP), np.tile(none, (len(chosen.index_px), 1)))


_BODY_SHOWN: Final = 0.95
_BODY_HIDDEN: Final = 0.88
"""Shares of a card that shows: readable from the first on, unreadable below the second."""

_JITTER: Final = 0.03
_ASTRAY: Final = 0.12
"""Share of crops that are set beside their card on purpose, as examples of none."""

_NO_BODIES: Final = _without_index(np.empty((0, *WHOLE_CARD_CROP, 3), np.uint8), np.empty((0, 3), np.int8))
NOTHING: Final = (IGNORE, IGNORE, STATES.index("none"))


def _index_share(card: DrawnCard) -> float:
    heights = [abs(box.foot[1] - box.top[1]) for box in card.art.indices]
    return max(heights, default=0.2 * card.art.image.shape[0]) / card.art.image.shape[0]


def _share_visible(picture: RenderedScene, number: int, quad: Points) -> float:
    """Share of a card's outline, beyond the picture's border too, that shows this card."""
    area = abs(cv2.contourArea(quad.astype(np.float32)))
    return float((picture.owner == number).sum() / max(area, 1.0))


def _body_label(card: DrawnCard, shown: float) -> tuple[int, int, int] | None:
    if card.face == "up" and shown >= _BODY_SHOWN:
        return RANKS.index(str(card.rank)), SUITS.index(str(card.suit)), STATES.index("index")
    if card.face == "up" and shown >= _BODY_HIDDEN:
        return None
    return NOTHING


def _body_sample(scene: Scene, picture: RenderedScene, rng: np.random.Generator) -> Sample:
    """Every card of a scene, both ways round, some set astray."""
    crops, labels, shares, rank_px = [], [], [], []
    for number, card in enumerate(scene.cards):
        quad = card_quad(card, scene.tilt)
        label = _body_label(card, _share_visible(picture, number, quad))
        if label is None or (label[2] == STATES.index("none") and rng.random() < 0.6):
            continue
        for turn in (0, 2):
            shaken = np.roll(quad, turn, 0) + rng.normal(0, _JITTER, (4, 2)) * card.height
            astray = rng.random() < _ASTRAY
            if astray:
                shaken = shaken + rng.choice([-1, 1], 2) * rng.uniform(0.2, 0.5, 2) * card.height
            crops.append(crop_whole_cards(picture.frame, shaken[None])[0])
            labels.append(NOTHING if astray else label)
            shares.append(_index_share(card) * rng.uniform(0.9, 1.15))
            rank_px.append(_rank_of_card(card.art) * card.height)
    if not crops:
        return _NO_BODIES
    blanked = blank_corners(np.array(crops), np.array(shares))
    return Sample(blanked, np.array(labels, np.int8), np.array(rank_px, np.float32))


_NEGATIVES_A_SCENE: Final = 16
_HIDDEN_TIMES: Final = 3
"""Half hidden indices are shown so often, each time shaken in another way."""

_SHEAR: Final = 0.08
"""Spread of the squeeze and shear of jittered crops."""

_DEMO_SHARE: Final = 0.04
"""Share of scenes with the demo's own deck."""

ART_SHARE: Final = 0.35
"""Share of scenes whose cards come from art, where there is any."""

_SPREAD_SHARE: Final = 0.6
"""Share of scenes that bring a second one of single cards: in fans hardly a body lies open."""


class _Indices(NamedTuple):
    centres: Points
    downs: Points
    index_px: Points
    rank_px: Points
    labels: Image


def _label(truth: IndexTruth, scene: Scene) -> tuple[int, int, int]:
    """Rank, suit and state; state IGNORE for the grey zone between readable and hidden."""
    card = scene.cards[truth.card]
    if truth.rank_visible >= SHOWN[0] and truth.pip_visible >= SHOWN[1]:
        return RANKS.index(str(card.rank)), SUITS.index(str(card.suit)), STATES.index("index")
    if truth.rank_visible < HIDDEN[0] or truth.pip_visible < HIDDEN[1]:
        return IGNORE, IGNORE, STATES.index("occluded" if truth.rank_visible > 0.15 else "none")
    return IGNORE, IGNORE, IGNORE


def _indices(scene: Scene, picture: RenderedScene) -> _Indices:
    truths = index_truths(scene, picture)
    tops = np.array([truth.top for truth in truths]).reshape(-1, 2)
    feet = np.array([truth.foot for truth in truths]).reshape(-1, 2)
    index_px = np.maximum(np.hypot(*(feet - tops).T), 1e-6)
    labels = np.array([_label(truth, scene) for truth in truths], np.int8).reshape(-1, 3)
    shares = np.array([_rank_of_index(scene.cards[truth.card].art) for truth in truths])
    return _Indices((tops + feet) / 2, (feet - tops) / index_px[:, None], index_px, index_px * shares, labels)


def _match(found: IndexPoses, truth: _Indices) -> tuple[Image, Points]:
    """Labels and `rank_px` of candidates: of the index each frames, `none`, or IGNORE when framed badly."""
    none = np.array([IGNORE, IGNORE, STATES.index("none")], np.int8)
    labels = np.tile(none, (len(found.index_px), 1))
    if not len(truth.index_px) or not len(found.index_px):
        return labels, np.full(len(labels), _NO_RANK_PX)
    apart = np.hypot(*(found.centres[:, None] - truth.centres[None]).transpose(2, 0, 1)) / truth.index_px
    cosine = found.downs @ truth.downs.T
    size = np.abs(np.log(found.index_px[:, None] / truth.index_px[None]))
    good = (apart < 0.16) & (cosine > np.cos(np.deg2rad(15))) & (size < 0.22)
    near = (apart < 0.45) & (cosine > np.cos(np.deg2rad(40))) & (size < 0.6)
    beside = np.where(near, apart, 9).argmin(1)
    readable = truth.labels[beside, 2] == STATES.index("index")
    labels[near.any(1)] = np.where(readable[:, None], IGNORE, truth.labels[beside])[near.any(1)]
    nearest = np.where(good, apart, 9).argmin(1)
    framed = good.any(1)
    labels[framed] = truth.labels[nearest[framed]]
    rank_px = truth.rank_px[np.where(framed, nearest, beside)]
    return labels, np.where(framed | near.any(1), rank_px, _NO_RANK_PX)


def _with_more_hidden(truth: _Indices, times: int) -> _Indices:
    """Repeat half hidden indices: they are rare, and the reader errs most on them."""
    hidden = truth.labels[:, 2] == STATES.index("occluded")
    rows = np.repeat(np.arange(len(hidden)), np.where(hidden, times, 1))
    return _Indices(*(column[rows] for column in truth))


def shaken_poses(
    poses: IndexPoses, rng: np.random.Generator, *, deg: float, shift: float, size: float
) -> IndexPoses:
    """Frames as a search finds them: a little turned, beside, of another size (deviations)."""
    count = len(poses.index_px)
    turn = rng.normal(0, np.deg2rad(deg), count)
    x, y = poses.downs.T
    downs = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], 1)
    moved = poses.centres + rng.normal(0, shift, (count, 2)) * poses.index_px[:, None]
    return IndexPoses(moved, downs, poses.index_px * np.exp(rng.normal(0, size, count)))


def misplaced(poses: IndexPoses, rng: np.random.Generator) -> IndexPoses:
    """The same frames upside down or half a height off: no index stands so."""
    count = len(poses.index_px)
    flip = rng.random(count) < 0.5
    off = np.where(flip, 0.0, rng.choice([-0.55, 0.55], count))[:, None]
    centres = poses.centres + off * poses.downs * poses.index_px[:, None]
    return IndexPoses(centres, np.where(flip[:, None], -poses.downs, poses.downs), poses.index_px)


def _jittered(truth: _Indices, rng: np.random.Generator) -> tuple[IndexPoses, Image, Points]:
    """Each index again with a shaken frame, and once upside down or shifted as a negative."""
    count = len(truth.index_px)
    poses = IndexPoses(truth.centres, truth.downs, truth.index_px)
    good = shaken_poses(poses, rng, deg=5, shift=0.045, size=0.07)
    both = IndexPoses(*(np.concatenate(pair) for pair in zip(good, misplaced(good, rng), strict=True)))
    wrong = np.tile(np.array([IGNORE, IGNORE, STATES.index("none")], np.int8), (count, 1))
    return both, np.vstack([truth.labels, wrong]), np.append(truth.rank_px, np.full(count, _NO_RANK_PX))


def _sheared_crops(frame: Image, found: IndexPoses, rng: np.random.Generator) -> Image:
    """Crops squeezed and sheared as strong tilt does it."""
    crops = np.empty((len(found.index_px), *INDEX_CROP, 3), np.uint8)
    size = (INDEX_CROP.width_px, INDEX_CROP.height_px)
    middle = (np.array(size) - 1) / 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for slot, matrix in enumerate(crop_matrices(found, INDEX_CROP)):
        linear = matrix[:, :2] @ (np.eye(2) + rng.normal(0, _SHEAR, (2, 2)))
        matrix[:, 2] += (matrix[:, :2] - linear) @ middle
        matrix[:, :2] = linear
        crops[slot] = cv2.warpAffine(frame, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return crops


def _card_crops(scene: Scene, picture: RenderedScene, rng: np.random.Generator) -> Sample:
    """Whole cards: back, cut card, joker; a face is `none`."""
    crops, labels = [], []
    for number, card in enumerate(scene.cards):
        quad = card_quad(card, scene.tilt)
        if _share_visible(picture, number, quad) < 0.9 or (card.face == "up" and rng.random() < 0.5):
            continue
        shaken = np.roll(quad, 2 * int(rng.integers(2)), 0) + rng.normal(0, 0.02, (4, 2)) * card.height
        crops.append(squeezed_card_crop(picture.frame, shaken))
        state = {"down": "back", "cut": "cut", "joker": "joker", "up": "none"}[card.face]
        labels.append((IGNORE, IGNORE, STATES.index(state)))
    empty = np.empty((0, *INDEX_CROP, 3), np.uint8)
    return _without_index(
        np.array(crops, np.uint8) if crops else empty, np.array(labels, np.int8).reshape(-1, 3)
    )


def _sample_scene(
    rng: np.random.Generator, deck: DeckArt, hidden_times: int = _HIDDEN_TIMES
) -> tuple[Sample, Sample]:
    """All training crops of one random table: indices, and bodies of cards.

    Half hidden indices come `hidden_times` as often as others.
    """
    scene = random_scene(rng, deck)
    picture = shoot(scene, rng, deck.rank_share)
    indices = _index_crops(scene, picture, propose_indices(picture.frame), rng, hidden_times)
    bodies = [_body_sample(scene, picture, rng)]
    if rng.random() < _SPREAD_SHARE:
        spread = random_scene(rng, deck, most_cards=1)
        shot = shoot(spread, rng, deck.rank_share)
        bodies.append(_body_sample(spread, shot, rng))
        indices.append(_card_crops(spread, shot, rng))
    return joined(indices), joined(bodies)


def _index_crops(
    scene: Scene, picture: RenderedScene, found: IndexPoses, rng: np.random.Generator, hidden_times: int
) -> list[Sample]:
    """Crops of a table where the search found something, of all its indices, and of whole cards."""
    truth = _indices(scene, picture)
    labels, rank_px = _match(found, truth)
    positive = np.flatnonzero((labels[:, 2] != IGNORE) & (labels[:, 2] != STATES.index("none")))
    negative = np.flatnonzero(labels[:, 2] == STATES.index("none"))
    chosen = np.concatenate([positive, rng.permutation(negative)[:_NEGATIVES_A_SCENE]])
    more, more_labels, more_rank_px = _jittered(_with_more_hidden(truth, hidden_times), rng)
    usable = (more_labels[:, 2] != IGNORE) & (more.index_px > 9)
    return [
        Sample(cut_crops(picture.frame, found.take(chosen), INDEX_CROP), labels[chosen], rank_px[chosen]),
        Sample(
            _sheared_crops(picture.frame, more.take(usable), rng), more_labels[usable], more_rank_px[usable]
        ),
        _card_crops(scene, picture, rng),
    ]


def training_decks(art: Path | None, held_out: bool = False) -> list[Path]:
    """The art folders that may be used, none without art."""
    return deck_folders(art, held_out) if art is not None and art.is_dir() else []


def pick_deck(rng: np.random.Generator, folders: list[Path], held_out: bool = False) -> DeckArt:
    """A deck of art now and then, else one of our own."""
    if folders and rng.random() < ART_SHARE:
        return art_deck(folders[int(rng.integers(len(folders)))], rng)
    return drawn_deck(CASINO_STYLE) if rng.random() < _DEMO_SHARE else random_deck(rng, held_out)


def generate(name: str, count: int, seed: int, art: Path | None) -> tuple[Sample, Sample]:
    """Scenes of a set until there are `count` index crops, and the bodies of the same scenes.

    `name`: train, rare (tables with many tens, rough surfaces), layouts (unusual layouts of an index), or, of
    fonts and decks held out, valid and layouts_valid. The same seed gives the same crops.
    """
    folders = training_decks(art, held_out=name == "valid")
    indices: list[Sample] = []
    bodies: list[Sample] = []
    while sum(len(part.labels) for part in indices) < count:
        rng = np.random.default_rng((seed, len(indices)))
        if name == "rare":
            index, body = _rare_scene(rng, folders)
        elif name in {"layouts", "layouts_valid"}:
            index, body = _layout_scene(rng, held_out=name == "layouts_valid"), _NO_BODIES
        else:
            index, body = _sample_scene(rng, pick_deck(rng, folders, held_out=name == "valid"))
        indices.append(index)
        bodies.append(body)
    return joined(indices).cut(count), joined(bodies)


def _rare_scene(rng: np.random.Generator, folders: list[Path]) -> tuple[Sample, Sample]:
    """Draw what random tables show too rarely: tables with many tens, or a rough surface."""
    if rng.random() < _ROUGH_SHARE:
        return _rough_sample(rng), _NO_BODIES
    with_art = bool(folders) and rng.random() < ART_SHARE
    deck = art_deck(folders[int(rng.integers(len(folders)))], rng) if with_art else _rare_deck(rng)
    return _sample_scene(rng, deck._replace(ranks=_MANY_TENS), hidden_times=1)


def _layout_scene(rng: np.random.Generator, held_out: bool) -> Sample:
    """Draw a table with a deck of an unusual layout; both searches cut it up."""
    deck = layout_deck(rng, held_out)
    scene = random_scene(rng, deck, heights_px=card_heights_px(rng, deck))
    picture = shoot(scene, rng, deck.rank_share)
    components = find_components(picture.frame)
    found = concatenated((pair_components(components), pair_beside(components)))
    return joined(_index_crops(scene, picture, found, rng, _HIDDEN_TIMES))


FOREIGN: Final = len(RANKS)
"""Label of what is none of the ranks."""

_FOREIGN_SHARE: Final = 0.6
"""Share of the decks that have letters of another language."""

_LETTER_SHARE: Final = 0.7
"""Share of such a deck's cards that are aces and court cards."""

_BESIDE_SHARE: Final = 0.3
"""Share of the decks whose pips stand beside their ranks."""

ART_PX: Final = 264
"""Height of the drawn card."""

INDEX_PX: Final = (8.0, 60.0)
"""Height of an index in its picture, evenly spread in its logarithm."""

SHIFT: Final = 0.05
_TURN_DEG: Final = 5.0
SIZE: Final = 0.07
"""Deviations of a pose: centre in heights of the index, direction, logarithm of the height; as the tables'
crops have them (`_jittered`)."""

_SECOND_SIGN: Final = 0.3
"""Share of the crops of an index with several signs (AS) that show the last sign over the pip: so the search
for pairs frames it."""


def _corner(art: CardArt, felt: Image, rng: np.random.Generator, aside: float) -> tuple[Image, float]:
    """A crop of a card's first index, upright, as a camera sees it; height of the index in its picture."""
    box = art.indices[0]
    index_px = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    scale = index_px / (box.foot[1] - box.top[1])
    side = int(3.2 * index_px) + 8
    turn, shear = rng.uniform(0, 2 * np.pi), np.eye(2) + rng.normal(0, _SHEAR, (2, 2))
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    linear = np.array([[cos, -sin], [sin, cos]]) @ shear
    middle = np.array([box.top[0] + aside, (box.top[1] + box.foot[1]) / 2])
    matrix = np.column_stack([linear, side / 2 - linear @ middle])
    small = min(1.0, 1.3 * scale)
    size = tuple(max(2, round(part * small)) for part in art.image.shape[1::-1])
    face, alpha = (cv2.resize(part, size, interpolation=cv2.INTER_AREA) for part in (art.image, art.alpha))
    matrix[:, :2] = matrix[:, :2] @ np.diag(np.array(art.image.shape[1::-1]) / size)
    ground = felt[:side, :side].copy()
    cover = cv2.warpAffine(alpha, matrix, (side, side))[..., None].astype(np.float32) / 255
    card = cv2.warpAffine(face, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE)
    frame = (ground * (1 - cover) + card * cover).astype(np.uint8)
    return _upright(disturb(frame, rng, index_px * 0.5), turn, index_px, rng), index_px


def _upright(frame: Image, turn: float, index_px: float, rng: np.random.Generator) -> Image:
    """Return the index crop at the centre of a picture, turned by `turn`."""
    turn += rng.normal(0, np.deg2rad(_TURN_DEG))
    scale = index_px * np.exp(rng.normal(0, SIZE)) / (INDEX_SHARE * INDEX_CROP.height_px)
    linear = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * scale
    centre = np.array(frame.shape[:2]) / 2 + rng.normal(0, SHIFT, 2) * index_px
    middle = np.array([(INDEX_CROP.width_px - 1) / 2, (INDEX_CROP.height_px - 1) / 2])
    matrix = np.column_stack([linear, centre - linear @ middle])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (INDEX_CROP.width_px, INDEX_CROP.height_px)
    return np.asarray(cv2.warpAffine(frame, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _deck(rng: np.random.Generator, held_out: bool) -> CardStyle:
    foreign = rng.random() < _FOREIGN_SHARE
    style = foreign_style(rng, held_out) if foreign else random_style(rng, held_out)
    if rng.random() < _BESIDE_SHARE:
        style = pip_beside(rng, style)
    return style._replace(court_frame=False)


def _crops_of_deck(
    rng: np.random.Generator, held_out: bool, count: int
) -> Iterator[tuple[Image, int, float]]:
    style, felt = _deck(rng, held_out), random_felt(rng, 256)
    letters = _LETTER_SHARE if style.letters != ("A", "J", "Q", "K") else 0.25
    for _ in range(count):
        rank = str(rng.choice(list("AJQK") if rng.random() < letters else RANKS))
        printed = style.printed(rank)
        art = draw_card(style, rank, SUITS[rng.integers(4)], ART_PX)
        aside = 0.0
        if len(printed) > 1 and printed != "10" and rng.random() < _SECOND_SIGN:
            aside = art.indices[0].half_width * rng.uniform(0.3, 0.7)
        crop, index_px = _corner(art, felt, rng, aside)
        yield crop, RANKS.index(rank) if printed == rank else FOREIGN, index_px * _rank_of_index(art)


def glyph_sample(count: int, seed: int, *, held_out: bool = False, a_deck: int = 40) -> Sample:
    """So many crops of indices, `a_deck` of each deck; the first label is the rank or FOREIGN."""
    crops, labels = np.empty((count, *INDEX_CROP, 3), np.uint8), np.full((count, 3), IGNORE, np.int8)
    rank_px = np.zeros(count, np.float32)
    for start in range(0, count, a_deck):
        rng = np.random.default_rng((seed, start))
        found = _crops_of_deck(rng, held_out, min(a_deck, count - start))
        for slot, (crop, label, height_px) in enumerate(found, start=start):
            crops[slot], labels[slot, 0], rank_px[slot] = crop, label, height_px
    return Sample(crops, labels, rank_px)
