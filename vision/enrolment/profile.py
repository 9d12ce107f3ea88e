"""A deck's profile: its file, its faces, and its making from known cards with a proof on held-out ones."""

import base64
import hashlib
import json
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from controller.domain import ConfigError, TableError
from controller.outputs import FRESH, PUBLIC, Outputs, read_regular
from controller.validation import read_json
from vision.certainty import BLACK_SUITS, PROBABILITY_LIMITS, SIZE_LIMITS
from vision.enrolment.named_indices import (
    KnownCard,
    KnownIndex,
    by_labels,
    by_order,
    place_on_cards,
    poses_of_known,
)
from vision.faces import CARDS, FACE_CROP, Faces, face_tones
from vision.geometry import Image, IndexPlace, IndexPoses, Points, inside_each, to_rectangle
from vision.heat_map import heat_map_input
from vision.indices import Index, read_indices, read_likely
from vision.inference import cut_crops
from vision.networks import (
    FEATURES,
    INDEX_CROP,
    Classes,
    Networks,
    Prototypes,
    Scores,
    fit_classes,
    named_by_deck,
)
from vision.proposal import propose_beside, propose_indices
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, CardName

FORMAT: Final = "stand17 deck profile 1"
BYTES_MAX: Final = 8 << 20
"""A profile has the faces, 1.2 MB before they are packed, and some thousand numbers.

Source: no measurement on record.
"""


class EnrolFigures(NamedTuple):
    """A profile's results on indices that it was not made from.

    `right` and `wrong` count the reported ones among `indices` of sufficient size; the rest was unclear.
    `bound` (0..1) is the one-sided 95 % Clopper-Pearson bound of the wrong share among the reported. `cards`
    counts the different cards of the pictures.
    """

    indices: int
    right: int
    wrong: int
    bound: float
    cards: int


class DeckProfile(NamedTuple):
    """A deck's appearance and its proof.

    `pictures` are names and SHA-256 of the source pictures; `network` is the SHA-256 of the index network
    whose features it contains; `sha256` is that of the profile itself.
    """

    deck: Prototypes
    figures: EnrolFigures
    pictures: tuple[tuple[str, str], ...]
    network: str
    sha256: str = ""


def _rows(values: Points) -> list[list[float | None]]:
    return [[None if np.isnan(value) else round(float(value), 5) for value in row] for row in values]


def _classes_object(classes: Classes) -> dict[str, Any]:
    return {"axes": _rows(classes.axes), "means": _rows(classes.means), "reach": round(classes.reach, 4)}


def _faces_text(faces: Faces) -> str:
    """Return the faces stacked in a PNG in base64; pixels not seen on all faces are transparent."""
    shown = np.broadcast_to(faces.shown[..., None] * np.uint8(255), (*faces.tones.shape[:3], 1))
    sheet = np.concatenate([faces.tones, shown], 3).reshape(-1, FACE_CROP.width_px, 4)
    return base64.b64encode(cv2.imencode(".png", sheet)[1].tobytes()).decode()


def _faces(text: str) -> Faces:
    data = base64.b64decode(text, validate=True)
    # The picture's own header, before a decoder takes memory by it: its sizes, eight bits, with transparency.
    if data[12:26] != b"IHDR" + struct.pack(">IIBB", FACE_CROP.width_px, CARDS * FACE_CROP.height_px, 8, 6):
        raise ValueError(text[:20])
    sheet = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if sheet is None or sheet.size != CARDS * FACE_CROP.height_px * FACE_CROP.width_px * 4:
        raise ValueError(text[:20])
    cards = np.asarray(sheet, np.uint8).reshape(CARDS, *FACE_CROP, 4)
    return Faces(cards[..., :3], cards[0, ..., 3] > 0)


def _sha256(entry: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


def write_profile(profile: DeckProfile, path: Path, outputs: Outputs = FRESH) -> DeckProfile:
    """Write the file; returns the profile with its hash. Raises as `Outputs.write`."""
    # The profile as JSON, without its hash.
    deck = profile.deck
    entry = {
        "format": FORMAT,
        "network": profile.network,
        "pictures": [{"file": file, "sha256": sha256} for file, sha256 in profile.pictures],
        "figures": {**profile.figures._asdict(), "bound": round(profile.figures.bound, 6)},
        "temperature": round(deck.temperature, 4),
        "index_px": deck.index_px,
        "beside": deck.beside,
        "place": None if deck.place is None else [round(share, 4) for share in deck.place],
        "faces": None if deck.faces is None else _faces_text(deck.faces),
        "foot_differs": deck.foot_differs,
        "ranks": _classes_object(deck.ranks),
        "suits": _classes_object(deck.suits),
    }
    sha256 = _sha256(entry)
    outputs.write(path, (json.dumps({"sha256": sha256, **entry}) + "\n").encode(), PUBLIC)
    return profile._replace(sha256=sha256)


def load_profile(path: Path) -> DeckProfile:
    """A profile's file.

    Raises ConfigError DECK_MISSING, or DECK_CHANGED when it is no profile, or not as it was written.
    """
    try:
        data = read_regular(path, BYTES_MAX + 1, links=True)
    except OSError as error:
        raise ConfigError("DECK_MISSING", path=str(path)) from error
    try:
        if len(data) > BYTES_MAX:
            raise ValueError(len(data))
        entry = read_json(data)
        sha256 = entry.pop("sha256")
        if entry["format"] != FORMAT or _sha256(entry) != sha256:
            raise ValueError(sha256)
        classes = _classes(entry["ranks"], len(RANKS)), _classes(entry["suits"], len(SUITS))
        deck = Prototypes(
            *classes,
            float(entry["temperature"]),
            float(entry["index_px"]),
            bool(entry.get("beside", False)),
            None if entry.get("place") is None else IndexPlace(*map(float, entry["place"])),
            None if entry.get("faces") is None else _faces(entry["faces"]),
            bool(entry.get("foot_differs", False)),
        )
        pictures = tuple((str(one["file"]), str(one["sha256"])) for one in entry["pictures"])
        return DeckProfile(deck, EnrolFigures(**entry["figures"]), pictures, str(entry["network"]), sha256)
    except (ConfigError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError("DECK_CHANGED", path=str(path)) from error


def _classes(entry: dict[str, Any], count: int) -> Classes:
    axes, means = (np.array(entry[name], np.float64) for name in ("axes", "means"))
    if means.shape[0] != count or axes.shape[1] != means.shape[1]:
        raise ValueError(means.shape)
    return Classes(axes, means, float(entry["reach"]))


def open_with_deck(
    path: Path, models_dir: Path | None = None, threads: int = 2
) -> tuple[CardReader, DeckProfile]:
    """A reader that names cards by the profile in a file, and that profile.

    Raises ConfigError DECK_MISSING, DECK_CHANGED, DECK_OTHER_MODEL (made with other networks: its features
    mean something else), and what `CardReader.open` raises.
    """
    profile = load_profile(path)
    reader = CardReader.open(models_dir, threads, profile.deck)
    if profile.network != reader.networks.indices.sha256:
        raise ConfigError("DECK_OTHER_MODEL", path=str(path))
    return reader, profile


_RIM_PX: Final = 1
"""So far around a card that lies on another one its shadow and its blur are."""


OPEN: Final = 0.98
"""Share of a face in sight from which on a card lies open. Source: no measurement on record."""

_RANK_ROWS: Final = slice(6, 28)
_RANK_COLUMNS: Final = slice(5, 31)
"""Where the rank is on an index's crop, with room around it."""


class OutlinedCards:
    """The outlined cards of a picture, which lie on each other."""

    def __init__(self, image: Image, cards: Sequence[KnownCard], place: IndexPlace) -> None:
        """`place` is where their upper indices stand, which are in sight of every labelled card.

        A card of which the index lies within another one's outline therefore lies on that one.
        """
        self.image: Final = image
        self.cards: Final = [card for card in cards if card.quad is not None]
        self.outlines: Final = np.array([card.quad for card in self.cards]).reshape(-1, 4, 2)
        self.place: Final = place
        lies_on = inside_each(place.on(self.outlines).centres, self.outlines)
        reach = np.hypot(*(self.outlines[:, 2] - self.outlines[:, 0]).T)
        middles = self.outlines.mean(1)
        apart = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
        self.over: Final = (apart < reach) & ~lies_on & ~np.eye(len(self.cards), dtype=bool)
        """Which cards (columns) may lie on which (rows)."""

    def in_sight(self) -> Points:
        """Return which pixels of each face (n x height x width, bool) no other card covers."""
        pairs = zip(self.outlines, self.over, strict=True)
        return np.array([_uncovered(own, self.outlines[on]) for own, on in pairs]).reshape(-1, *FACE_CROP)


def _make_faces(pictures: Iterable[OutlinedCards]) -> Faces | None:
    """Return the faces of all 52 cards; None where a card was not outlined, or hardly any of it shows."""
    total = np.zeros((CARDS, *FACE_CROP, 3), np.float64)
    count = np.zeros((CARDS, *FACE_CROP, 1), np.int64)
    for picture in pictures:
        tones, in_sight = face_tones(picture.image, picture.outlines), picture.in_sight()[..., None]
        for card, own, seen in zip(picture.cards, tones, in_sight, strict=True):
            number = RANKS.index(card.name.rank) * len(SUITS) + SUITS.index(card.name.suit)
            total[number] += own * seen
            count[number] += seen
    shown = np.asarray((count[..., 0] > 0).all(0))
    # 0.25: share of a face that all cards have to show. Source: two spreads with half of each card in sight
    # show 0.41 to 0.52 (docs/measurements/reader.md, Faces).
    if shown.mean() < 0.25:
        return None
    return Faces(np.round(total / np.maximum(count, 1)).astype(np.uint8), shown)


def _turned_feet(picture: OutlinedCards) -> list[float]:
    """For each open card how much better the upper rank is found on the lower index turned than as it is."""
    opened = picture.outlines[picture.in_sight().mean((1, 2)) > OPEN]
    crops = cut_crops(picture.image, picture.place.at_both_ends(opened), INDEX_CROP).min(3)
    heads, feet = np.split(crops, 2)
    ranks = heads[:, _RANK_ROWS, _RANK_COLUMNS].copy()
    return [
        _fit(rank, foot) - _fit(rank, foot[::-1, ::-1].copy()) for rank, foot in zip(ranks, feet, strict=True)
    ]


def _fit(rank: Image, foot: Image) -> float:
    return float(cv2.matchTemplate(foot, rank, cv2.TM_CCOEFF_NORMED).max())


def _uncovered(outline: Points, over: Points) -> Points:
    matrix = to_rectangle(outline, *FACE_CROP)
    covered = np.zeros(FACE_CROP, np.uint8)
    for corners in over:
        places = cv2.perspectiveTransform(corners.reshape(-1, 1, 2).astype(np.float32), matrix)
        cv2.fillConvexPoly(covered, np.round(places).astype(np.int32), 1)
    rim = np.ones((2 * _RIM_PX + 1, 2 * _RIM_PX + 1), np.uint8)
    return np.asarray(cv2.dilate(covered, rim) == 0)


_ENROL_EACH: Final = 2
"""Indices that every rank and every suit needs at least. Source: no measurement on record."""

_ENROL_FOUND: Final = 0.6
"""Least share of the known cards whose index was found. Source: no measurement on record."""


_TEMPERATURES: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
"""Tried for a profile, from the lowest.

Source: no measurement on record; five of six outside drawn decks take one of the first two.
"""

SEED: Final = 7
_PAIRS_NAMED: Final = 6
"""Of what cannot be told apart so much is named, the commonest first."""


class EnrolPicture(NamedTuple):
    """A picture of a deck: its name, SHA-256 and pixels (BGR), and its known cards or their order.

    Pictures of one `fold` are left out together: those of one round show the same cards. Without folds each
    is one for itself.
    """

    file: str
    sha256: str
    image: Image
    cards: Sequence[KnownCard] = ()
    order: Sequence[CardName] = ()
    fold: int | None = None


class _Samples(NamedTuple):
    """Crops as the network sees them: its outputs (n rows each), ranks, suits, folds, heights in pixels.

    `plain` ones are as the picture shows them and large enough to be reported at all, the others are made of
    these.
    """

    heads: list[Points]
    rank: Points
    suit: Points
    fold: Points
    plain: Points
    index_px: Points

    def take(self, chosen: Points) -> "_Samples":
        """Return the samples that a boolean array selects."""
        rest = (column[chosen] for column in self[1:])
        return _Samples([head[chosen] for head in self.heads], *rest)


def enrol(pictures: Sequence[EnrolPicture], networks: Networks) -> DeckProfile:
    """Make the profile of the pictured deck; its hash is computed when it is written.

    Raises TableError ENROL_NOT_FOUND (too few of the known cards), ENROL_INCOMPLETE (missing ranks or suits)
    or ENROL_UNPROVEN (it does not name held-out cards, or names them wrongly).
    """
    found, beside = _found(pictures, networks)
    known = sum(len({card.name for card in picture.cards}) or len(picture.order) for picture in pictures)
    count = len({(number, named.rank, named.suit) for number, some in enumerate(found) for named in some})
    if count < _ENROL_FOUND * known or not count:
        raise TableError("ENROL_NOT_FOUND", found=count, known=known)
    # Raise ENROL_INCOMPLETE with the ranks and suits that have too few indices. Where pictures have folds,
    # each has to occur in enough folds: one round alone proves nothing.
    shown = [
        (one, number if picture.fold is None else picture.fold)
        for number, (picture, some) in enumerate(zip(pictures, found, strict=True))
        for one in some
    ]
    if any(picture.fold is not None for picture in pictures):
        ranks = Counter(rank for rank, _ in {(one.rank, fold) for one, fold in shown})
        suits = Counter(suit for suit, _ in {(one.suit, fold) for one, fold in shown})
    else:
        ranks, suits = Counter(one.rank for one, _ in shown), Counter(one.suit for one, _ in shown)
    few = [name for slot, name in enumerate(RANKS) if ranks[slot] < _ENROL_EACH]
    few += [name for slot, name in enumerate(SUITS) if suits[slot] < _ENROL_EACH]
    if few:
        raise TableError("ENROL_INCOMPLETE", names=" ".join(few))
    samples = _samples(pictures, found, networks)
    figures, deck = _proof(samples, networks)
    # Requirements on a profile and its proof. Source: no measurement on record.
    # 0.9: least share of the indices left out that the profile says, none of them wrongly.
    if figures.wrong or not figures.indices or figures.right < 0.9 * figures.indices:
        counts = {"indices": figures.indices, "right": figures.right, "wrong": figures.wrong}
        raise TableError("ENROL_UNPROVEN", **counts, pairs=_not_apart(samples, networks))
    named = dict.fromkeys((picture.file, picture.sha256) for picture in pictures)
    place = place_on_cards(zip(found, (picture.cards for picture in pictures), strict=True))
    deck = deck._replace(beside=beside, place=place)
    if place is not None:
        outlined = [OutlinedCards(picture.image, picture.cards, place) for picture in pictures]
        # The lower index differs where that of open cards is less like the upper one turned.
        turned = [share for picture in outlined for share in _turned_feet(picture)]
        deck = deck._replace(faces=_make_faces(outlined), foot_differs=bool(turned) and median(turned) < 0)
    return DeckProfile(deck, figures, tuple(named), networks.indices.sha256)


def _found(pictures: Sequence[EnrolPicture], networks: Networks) -> tuple[list[list[KnownIndex]], bool]:
    """The indices of each picture, and whether they were found as a deck's with pips beside the ranks."""
    usual = [
        _named_of(picture, read_indices(picture.image, propose_indices(picture.image), networks)[0])
        for picture in pictures
    ]
    known = sum(len(picture.order) or len(picture.cards) for picture in pictures)
    if sum(map(len, usual)) >= _ENROL_FOUND * known:
        return usual, False
    beside = [_named_of(picture, _indices_beside(picture.image, networks)) for picture in pictures]
    more = sum(map(len, beside)) > sum(map(len, usual))
    return (beside if more else usual), more


def _indices_beside(image: Image, networks: Networks) -> list[Index]:
    heat_map = networks.heat_map.look_at_input(*heat_map_input(image))
    return read_likely(image, propose_beside(image, heat_map), networks)[0]


def _named_of(picture: EnrolPicture, indices: Sequence[Index]) -> list[KnownIndex]:
    return by_order(indices, picture.order) if picture.order else by_labels(indices, picture.cards)


def _samples(
    pictures: Sequence[EnrolPicture], found: Sequence[Sequence[KnownIndex]], networks: Networks
) -> _Samples:
    """All crops. A fold is a picture; of a single picture half of the cards: each rank and suit in both."""
    rng = np.random.default_rng(SEED)
    parts = []
    for number, (picture, some) in enumerate(zip(pictures, found, strict=True)):
        rank, suit = (
            np.array(column, int) for column in ([one.rank for one in some], [one.suit for one in some])
        )
        own = number if picture.fold is None else picture.fold
        fold = np.full(len(some), own) if len(pictures) > 1 else (rank + suit) % 2
        poses = poses_of_known(some)
        # (1.0, 0.75, 0.55), 9.0: pictures are made smaller by these factors, too, while an index is at
        # least so high.
        for scale in (1.0, 0.75, 0.55):
            image = picture.image
            if scale < 1:
                image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            # 4, 0.04, 4.0, 0.06: times that each index is shown, and deviations of centre (heights),
            # direction and size (logarithm).
            for shake in range(4):
                plain = scale == 1 and not shake
                seen = _scaled(poses, scale) if plain else _shaken(_scaled(poses, scale), rng)
                large = seen.index_px >= 9.0
                if large.any():
                    heads = networks.indices.run_poses(image, seen.take(large)).heads
                    flags = plain & _large_enough(seen.index_px, suit)[large]
                    parts.append(
                        _Samples(heads, rank[large], suit[large], fold[large], flags, seen.index_px[large])
                    )
    heads = [np.concatenate(column) for column in zip(*(part.heads for part in parts), strict=True)]
    return _Samples(heads, *(np.concatenate(column) for column in zip(*(p[1:] for p in parts), strict=True)))


def _large_enough(index_px: Points, suit: Points) -> Points:
    """Return which indices have the height that the reader requires for their suit."""
    black = np.isin(suit, [slot for slot, name in enumerate(SUITS) if name in BLACK_SUITS])
    return np.asarray(index_px >= np.where(black, SIZE_LIMITS.black_px, SIZE_LIMITS.index_px))


def _scaled(poses: IndexPoses, scale: float) -> IndexPoses:
    return IndexPoses((poses.centres + 0.5) * scale - 0.5, poses.downs, poses.index_px * scale)


def _shaken(poses: IndexPoses, rng: np.random.Generator) -> IndexPoses:
    count = len(poses.index_px)
    turn = rng.normal(0, np.deg2rad(4.0), count)[:, None]
    downs = poses.downs * np.cos(turn) - poses.rights * np.sin(turn)
    centres = poses.centres + rng.normal(0, 0.04, (count, 2)) * poses.index_px[:, None]
    return IndexPoses(centres, downs, poses.index_px * np.exp(rng.normal(0, 0.06, count)))


def _prototypes_of(samples: _Samples) -> Prototypes:
    features = samples.heads[FEATURES].astype(np.float64)
    ranks, suits = (
        fit_classes(features, samples.rank, len(RANKS)),
        fit_classes(features, samples.suit, len(SUITS)),
    )
    return Prototypes(ranks, suits, _TEMPERATURES[0])


def _folds(samples: _Samples) -> list[tuple[_Samples, _Samples]]:
    """Return for each fold the samples to make a profile from, and the held-out plain crops."""
    folds = np.unique(samples.fold)
    return [
        (samples.take(samples.fold != fold), samples.take((samples.fold == fold) & samples.plain))
        for fold in folds
    ]


def _proof(samples: _Samples, networks: Networks) -> tuple[EnrolFigures, Prototypes]:
    """Return the results of profiles of all folds but one on that one, and the final prototypes.

    For each least height the lowest temperature without a wrong report counts, and of these the one that
    names most; so the figures are slightly too good. The final classes are made from all samples.
    """
    folds = [(_prototypes_of(made), left_out) for made, left_out in _folds(samples)]
    cards = len(set(zip(samples.rank.tolist(), samples.suit.tolist(), strict=True)))
    deck, best = _prototypes_of(samples), EnrolFigures(0, 0, 0, 1.0, cards)
    # (15.0, 18.0, 22.0, 28.0): tried for a profile: heights of the smallest index that it names. Source:
    # from the least height that the reader says (`acceptance`) to twice that.
    for least_px in (15.0, 18.0, 22.0, 28.0):
        for temperature in _TEMPERATURES:
            counts = _counts(folds, networks, temperature, least_px)
            if counts.wrong:
                best = best if best.right else counts._replace(cards=cards)
                continue
            if counts.right > best.right or best.wrong:
                best = counts._replace(cards=cards)
                deck = deck._replace(temperature=temperature, index_px=least_px)
            break
    return best, deck


def _counts(
    folds: list[tuple[Prototypes, _Samples]], networks: Networks, temperature: float, least_px: float
) -> EnrolFigures:
    """Count the results of profiles on held-out indices of at least this height."""
    indices = right = wrong = 0
    for deck, left_out in folds:
        own = deck._replace(temperature=temperature)
        scores = named_by_deck(left_out.heads, networks.indices.temperature, own)
        large = left_out.index_px >= least_px
        reported, fits = (
            _certain(scores) & large,
            np.asarray((scores.rank.argmax(1) == left_out.rank) & (scores.suit.argmax(1) == left_out.suit)),
        )
        indices += int(large.sum())
        right += int((reported & fits).sum())
        wrong += int((reported & ~fits).sum())
    bound = 1 - 0.05 ** (1 / right) if right and not wrong else 1.0
    return EnrolFigures(indices, right, wrong, bound, 0)


def _not_apart(samples: _Samples, networks: Networks) -> str:
    """Return the pairs of ranks and suits that were confused on held-out samples; "-" for none."""
    pairs: Counter[tuple[str, ...]] = Counter()
    for made, left_out in _folds(samples):
        scores = named_by_deck(left_out.heads, networks.indices.temperature, _prototypes_of(made))
        slots = (RANKS, left_out.rank, scores.rank), (SUITS, left_out.suit, scores.suit)
        for names, truth, odds in slots:
            read = odds.argmax(1)
            both = zip(truth[truth != read], read[truth != read], strict=True)
            pairs.update(tuple(sorted((names[one], names[other]))) for one, other in both)
    return ", ".join("/".join(pair) for pair, _ in pairs.most_common(_PAIRS_NAMED)) or "-"


def _certain(scores: Scores) -> Points:
    limits = PROBABILITY_LIMITS
    return np.asarray((scores.rank.max(1) >= limits.p_rank) & (scores.suit.max(1) >= limits.p_suit))
