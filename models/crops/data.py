"""Training crops: random tables are drawn, the reader's own search cuts, the truth labels.

So the network sees the negatives that the search will really bring: pips beside pips, court faces,
upside-down and half-hidden indices.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.crops.art import art_deck, deck_folders
from models.crops.layouts import card_heights_px, layout_deck
from models.crops.rare import MANY_TENS, ROUGH_SHARE, rare_deck, rough_sample
from models.crops.sample import (
    HIDDEN,
    IGNORE,
    NO_RANK_PX,
    SHOWN,
    Sample,
    joined,
    rank_of_index,
    without_index,
)
from models.crops.whole_cards import NO_BODIES, body_sample, share_visible
from vision.card_sized import squeezed_card_crop
from vision.geometry import Image, IndexPoses, Points, concatenated
from vision.inference import crop_matrices, cut_crops
from vision.networks import INDEX_CROP
from vision.proposal import find_components, pair_beside, pair_components, propose_indices
from vision.reading import RANKS, STATES, SUITS
from vision.synth import (
    CASINO_STYLE,
    DeckArt,
    IndexTruth,
    RenderedScene,
    Scene,
    card_quad,
    drawn_deck,
    index_truths,
    random_deck,
    random_scene,
    shoot,
)

_NEGATIVES_A_SCENE: Final = 16
_HIDDEN_TIMES: Final = 3
"""Half hidden indices are shown so often, each time shaken in another way."""

SHEAR: Final = 0.08
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
    shares = np.array([rank_of_index(scene.cards[truth.card].art) for truth in truths])
    return _Indices((tops + feet) / 2, (feet - tops) / index_px[:, None], index_px, index_px * shares, labels)


def _match(found: IndexPoses, truth: _Indices) -> tuple[Image, Points]:
    """Labels and `rank_px` of candidates: of the index each frames, `none`, or IGNORE when framed badly."""
    none = np.array([IGNORE, IGNORE, STATES.index("none")], np.int8)
    labels = np.tile(none, (len(found.index_px), 1))
    if not len(truth.index_px) or not len(found.index_px):
        return labels, np.full(len(labels), NO_RANK_PX)
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
    return labels, np.where(framed | near.any(1), rank_px, NO_RANK_PX)


def _with_more_hidden(truth: _Indices, times: int) -> _Indices:
    """Repeat half hidden indices: they are rare, and the reader errs most on them."""
    hidden = truth.labels[:, 2] == STATES.index("occluded")
    rows = np.repeat(np.arange(len(hidden)), np.where(hidden, times, 1))
    return _Indices(*(column[rows] for column in truth))


def _jittered(truth: _Indices, rng: np.random.Generator) -> tuple[IndexPoses, Image, Points]:
    """Each index again with a shaken frame, and once upside down or shifted as a negative."""
    count = len(truth.index_px)
    turn = rng.normal(0, np.deg2rad(5), count)
    down = truth.downs
    swung = np.stack(
        [
            down[:, 0] * np.cos(turn) - down[:, 1] * np.sin(turn),
            down[:, 0] * np.sin(turn) + down[:, 1] * np.cos(turn),
        ],
        1,
    )
    shift = rng.normal(0, 0.045, (count, 2)) * truth.index_px[:, None]
    good = IndexPoses(truth.centres + shift, swung, truth.index_px * np.exp(rng.normal(0, 0.07, count)))
    flip = rng.random(count) < 0.5
    away = (
        np.where(flip[:, None], 0.0, rng.choice([-1.0, 1.0], (count, 1)) * 0.55)
        * down
        * truth.index_px[:, None]
    )
    bad = IndexPoses(good.centres + away, np.where(flip[:, None], -swung, swung), good.index_px)
    wrong = np.tile(np.array([IGNORE, IGNORE, STATES.index("none")], np.int8), (count, 1))
    both = IndexPoses(*(np.concatenate(pair) for pair in zip(good, bad, strict=True)))
    return both, np.vstack([truth.labels, wrong]), np.append(truth.rank_px, np.full(count, NO_RANK_PX))


def _sheared_crops(frame: Image, found: IndexPoses, rng: np.random.Generator) -> Image:
    """Crops squeezed and sheared as strong tilt does it."""
    crops = np.empty((len(found.index_px), *INDEX_CROP, 3), np.uint8)
    size = (INDEX_CROP.width_px, INDEX_CROP.height_px)
    middle = (np.array(size) - 1) / 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for slot, matrix in enumerate(crop_matrices(found, INDEX_CROP)):
        linear = matrix[:, :2] @ (np.eye(2) + rng.normal(0, SHEAR, (2, 2)))
        matrix[:, 2] += (matrix[:, :2] - linear) @ middle
        matrix[:, :2] = linear
        crops[slot] = cv2.warpAffine(frame, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return crops


def _card_crops(scene: Scene, picture: RenderedScene, rng: np.random.Generator) -> Sample:
    """Whole cards: back, cut card, joker; a face is `none`."""
    crops, labels = [], []
    for number, card in enumerate(scene.cards):
        quad = card_quad(card, scene.tilt)
        if share_visible(picture, number, quad) < 0.9 or (card.face == "up" and rng.random() < 0.5):
            continue
        shaken = np.roll(quad, 2 * int(rng.integers(2)), 0) + rng.normal(0, 0.02, (4, 2)) * card.height
        crops.append(squeezed_card_crop(picture.frame, shaken))
        state = {"down": "back", "cut": "cut", "joker": "joker", "up": "none"}[card.face]
        labels.append((IGNORE, IGNORE, STATES.index(state)))
    empty = np.empty((0, *INDEX_CROP, 3), np.uint8)
    return without_index(
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
    bodies = [body_sample(scene, picture, rng)]
    if rng.random() < _SPREAD_SHARE:
        spread = random_scene(rng, deck, most_cards=1)
        shot = shoot(spread, rng, deck.rank_share)
        bodies.append(body_sample(spread, shot, rng))
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


def _until(
    count: int, seed: int, draw: Callable[[np.random.Generator], tuple[Sample, Sample]]
) -> tuple[Sample, Sample]:
    """Scenes, until there are `count` index crops."""
    indices: list[Sample] = []
    bodies: list[Sample] = []
    while sum(len(part.labels) for part in indices) < count:
        index, body = draw(np.random.default_rng((seed, len(indices))))
        indices.append(index)
        bodies.append(body)
    return joined(indices).cut(count), joined(bodies)


def _rare_scene(rng: np.random.Generator, folders: list[Path]) -> tuple[Sample, Sample]:
    """Draw a scene of `models.crops.rare`: tables with many tens, or a rough surface."""
    if rng.random() < ROUGH_SHARE:
        return rough_sample(rng), NO_BODIES
    with_art = bool(folders) and rng.random() < ART_SHARE
    deck = art_deck(folders[int(rng.integers(len(folders)))], rng) if with_art else rare_deck(rng)
    return _sample_scene(rng, deck._replace(ranks=MANY_TENS), hidden_times=1)


def generate_rare(count: int, seed: int, art: Path | None) -> tuple[Sample, Sample]:
    """The same as `generate`, of rare things."""
    folders = training_decks(art)
    return _until(count, seed, lambda rng: _rare_scene(rng, folders))


def _layout_scene(rng: np.random.Generator, held_out: bool) -> tuple[Sample, Sample]:
    """A table with a deck of `models.crops.layouts`; both searches cut it up."""
    deck = layout_deck(rng, held_out)
    scene = random_scene(rng, deck, heights_px=card_heights_px(rng, deck))
    picture = shoot(scene, rng, deck.rank_share)
    components = find_components(picture.frame)
    found = concatenated((pair_components(components), pair_beside(components)))
    return joined(_index_crops(scene, picture, found, rng, _HIDDEN_TIMES)), NO_BODIES


def generate_layouts(count: int, seed: int, held_out: bool = False) -> tuple[Sample, Sample]:
    """The same as `generate`, of unusual layouts of an index."""
    return _until(count, seed, lambda rng: _layout_scene(rng, held_out))


def generate(count: int, seed: int, art: Path | None, held_out: bool = False) -> tuple[Sample, Sample]:
    """At least one scene, until there are `count` index crops, and the bodies of the same scenes.

    The same seed gives the same crops.
    """
    folders = training_decks(art, held_out)
    return _until(count, seed, lambda rng: _sample_scene(rng, pick_deck(rng, folders, held_out)))
