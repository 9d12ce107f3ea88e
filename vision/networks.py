"""The networks that name indices and whole cards, the prototypes of a deck, and all of them together."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from vision.faces import WHOLE_CARD_CROP, Faces
from vision.geometry import Image, IndexPlace, IndexPoses, Points
from vision.heat_map import HeatMapNetwork
from vision.inference import CropNetwork, CropOutputs, CropSize, Workers
from vision.proposal import ProposalFilterNetwork
from vision.reading import RANKS, STATES, SUITS

_HEAD_SIZES: Final = (len(RANKS), len(SUITS), len(STATES))
_HEAD_STARTS: Final = (0, _HEAD_SIZES[0], _HEAD_SIZES[0] + _HEAD_SIZES[1])

STATE_INDEX: Final = STATES.index("index")
STATE_OCCLUDED: Final = STATES.index("occluded")

LIKELIER: Final = 0.5
"""From this probability on something is likelier so than not. Source: no tuned number."""


class Scores(NamedTuple):
    """Probabilities for n crops: rank (n x 13), suit (n x 4), state (n x 6), each row 1 in sum.

    `known` (n): log odds that the letter is one of the thirteen; infinite where nothing says so.
    """

    rank: Points
    suit: Points
    state: Points
    known: Points

    def take(self, chosen: Points) -> "Scores":
        """The scores that an array of numbers, or of truth values, chooses."""
        return Scores(*(column[chosen] for column in self))


_NO_SCORES: Final = Scores(
    np.empty((0, len(RANKS))), np.empty((0, len(SUITS))), np.empty((0, len(STATES))), np.empty(0)
)


def softmax_heads(heads: Sequence[Points], temperature: float) -> Scores:
    """Probabilities from logits of rank, suit and state (n x 13, 4, 6), divided by the temperature first."""
    logits = np.concatenate(heads, 1, dtype=np.float64) / temperature
    power = np.exp(logits - logits.max(1, keepdims=True))
    power /= np.repeat(np.add.reduceat(power, _HEAD_STARTS, 1), _HEAD_SIZES, 1)
    parts = (power[:, start : start + size] for start, size in zip(_HEAD_STARTS, _HEAD_SIZES, strict=True))
    rank, suit, state = parts
    return Scores(rank, suit, state, np.full(len(power), np.inf))


HEADS: Final = 3
KNOWN: Final = 3
"""A network's first outputs are logits of rank, suit and state; the next one, where it has one, log odds that
the letter is one of the thirteen."""

UNKNOWN_BELOW: Final = np.array([1.5, 1.5, 1.5, 1.5, -1.0, -0.5, 1.0, -0.9, 0.0, -1.0, 0.5, -1.3, 0.5])
"""Below these log odds a letter that comes nearest to a rank (A, 2 to K) is none of the thirteen: an S is
like a five, a B like an eight, a T like a seven, a D like a queen.

Source: `python -m tests.measures.letters`, 250 decks of fonts left out: of 3,810 crops of ranks that would be
reported otherwise 64 lie below, of 1,017 of other letters 344 do not; with -2.4 for all ranks 57 % do not.
For an eight it was -1.3 then: five Bs of a German deck of another font, whole and clear, at -1.25 to -0.79
were reported as eights on seven drawn 4K tables; an eight of the demo's deck, small, lies between -0.9 and
-0.7.
"""

_UNKNOWN_KEPT: Final = 0.1
"""So much is left of the ranks' probabilities then: the likeliest stays the likeliest, and is no more.

Source: no measurement on record; any share below one half does.
"""

INDEX_CROP: Final = CropSize(48, 36)
"""Fixed by the shipped network (models/index/manifest.toml)."""


def _blur_unknown(ranks: Points, unknown: Points) -> None:
    """Makes probabilities of ranks (n x 13) nearly even, in place, where the letter is unknown (n, bool)."""
    ranks[unknown] = _UNKNOWN_KEPT * ranks[unknown] + (1 - _UNKNOWN_KEPT) / ranks.shape[1]


class IndexNetwork(CropNetwork):
    """Reads upright crops of indices."""

    size = INDEX_CROP

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops, n x height x width x 3, uint8."""
        return self._scores(self.run(crops)) if len(crops) else _NO_SCORES

    def classify_poses(self, image: Image, poses: IndexPoses) -> Scores:
        """Scores of n poses in a BGR picture."""
        return self._scores(self.run_poses(image, poses)) if len(poses.index_px) else _NO_SCORES

    def generic_scores(self, outputs: CropOutputs) -> Scores:
        """Return the scores of crops' outputs for an unknown deck."""
        scores = softmax_heads(outputs.heads[:HEADS], self.temperature)
        if len(outputs.heads) > KNOWN:
            known = outputs.heads[KNOWN][:, 0]
            _blur_unknown(scores.rank, known < UNKNOWN_BELOW[scores.rank.argmax(1)])
            return scores._replace(known=known)
        return scores

    def _scores(self, outputs: CropOutputs) -> Scores:
        return self.generic_scores(outputs)


class WholeCardNetwork(IndexNetwork):
    """Read whole cards with blanked corners by pips and court art; state `index` means: lies open."""

    size = WHOLE_CARD_CROP


class Classes(NamedTuple):
    """Classes in features: `axes` (features x k) and `means` (classes x k) of whitened features.

    `reach` is the greatest distance from a mean at which a crop is one of the class's. Means of classes that
    no picture showed are not a number.
    """

    axes: Points
    means: Points
    reach: float


class Prototypes(NamedTuple):
    """The ranks and suits of one deck.

    `temperature` divides squared distances; it is fitted on held-out samples. `index_px` is the height of the
    smallest whole index that they name; smaller ones are read as for any deck. `beside`: the pips stand
    beside the ranks. A profile made from outlined cards has `place`, the position of its indices, and
    `faces`. `foot_differs`: the lower index is not the upper one turned.
    """

    ranks: Classes
    suits: Classes
    temperature: float
    index_px: float = 0.0
    beside: bool = False
    place: IndexPlace | None = None
    faces: Faces | None = None
    foot_differs: bool = False


def fit_classes(features: Points, labels: Points, count: int) -> Classes:
    """Classes 0 to `count` - 1 of n features with labels (n)."""
    means = np.full((count, features.shape[1]), np.nan)
    for label in np.unique(labels):
        means[label] = features[labels == label].mean(0)
    within = features - means[labels]
    covariance = within.T @ within / max(len(features) - len(np.unique(labels)), 1)
    # 0.05: share of the mean variance that is added to every one: few pictures show few of the ways to
    # differ. Source: of 0.01, 0.05 and 0.2 the one that names most of the pictures left out of six outside
    # drawn decks.
    covariance += np.eye(len(covariance)) * 0.05 * max(float(np.trace(covariance)) / len(covariance), 1e-6)
    values, vectors = np.linalg.eigh(covariance)
    axes = vectors / np.sqrt(values)
    own = np.sqrt((((features @ axes) - (means @ axes)[labels]) ** 2).sum(1))
    # 0.995 and 1.5: A crop is one of the deck's when it is no further from its class than so many times
    # what this share of the crops that made the profile are. Source: no measurement on record.
    return Classes(axes, means @ axes, float(np.quantile(own, 0.995)) * 1.5)


def _distances(features: Points, classes: Classes) -> Points:
    """Squared distances of n features from each class, infinite from those never shown."""
    apart = (features @ classes.axes)[:, None] - classes.means
    return np.where(np.isnan(classes.means[:, 0]), np.inf, np.square(np.nan_to_num(apart)).sum(2))


def print_distances(features: Points, deck: Prototypes) -> Points:
    """Distances of n crops' features from the deck's prints (n), as shares of its reach: above 1 it is none.

    The greater one of rank and suit counts.
    """
    parts = [np.sqrt(_distances(features, some).min(1)) / some.reach for some in (deck.ranks, deck.suits)]
    return np.asarray(np.maximum(*parts))


def _softmax(distances: Points, temperature: float) -> Points:
    power = np.exp(-(distances - distances.min(1, keepdims=True)) / (2 * temperature))
    return np.asarray(power / power.sum(1, keepdims=True))


def deck_scores(features: Points, deck: Prototypes) -> tuple[Points, Points, Points]:
    """Return probabilities of ranks (n x 13) and suits (n x 4), and whether crops are the deck's (n)."""
    if not len(features):
        return np.empty((0, len(RANKS))), np.empty((0, len(SUITS))), np.empty(0, bool)
    ranks, suits = _distances(features, deck.ranks), _distances(features, deck.suits)
    fits = (ranks.min(1) < deck.ranks.reach**2) & (suits.min(1) < deck.suits.reach**2)
    return _softmax(ranks, deck.temperature), _softmax(suits, deck.temperature), fits


FEATURES: Final = KNOWN + 1
"""Number of the output that the prototypes are made of."""

WITNESS_SURE: Final = 0.98
"""From this probability on the generic heads contradict the prototypes.

Source: no measurement on record; a single index is reported from 0.975 on (`acceptance`).
"""


class DeckIndexNetwork(IndexNetwork):
    """Read upright crops of one deck's indices; a crop unlike all of its prints gets no name."""

    deck: Prototypes

    def classify_poses(self, image: Image, poses: IndexPoses) -> Scores:
        """Classify poses by the deck's prototypes where an index is large enough, else as for any deck."""
        if not len(poses.index_px):
            return super().classify_poses(image, poses)
        outputs = self.run_poses(image, poses)
        own, plain = self._scores(outputs), self.generic_scores(outputs)
        large = (poses.index_px >= self.deck.index_px)[:, None]
        rank, suit = np.where(large, own.rank, plain.rank), np.where(large, own.suit, plain.suit)
        known = np.where(large[:, 0], own.known, plain.known)
        return Scores(rank, suit, plain.state, known)

    def _scores(self, outputs: CropOutputs) -> Scores:
        return named_by_deck(outputs.heads, self.temperature, self.deck)


def named_by_deck(heads: Sequence[Points], temperature: float, deck: Prototypes) -> Scores:
    """Scores of crops by the index network's outputs and a deck's prototypes; even for another print."""
    generic = softmax_heads(heads[:HEADS], temperature)
    own_rank, own_suit, fits = deck_scores(heads[FEATURES], deck)
    # -1.3: from these log odds on that a letter is one of the thirteen, the generic heads' word on its rank
    # counts. Source: of a drawn German deck an eight that its profile takes for a jack (B) has -1.2 and
    # more, a B -1.0 at most and mostly -2 to -4; tens that a French one takes for a queen (D) have -0.4.
    is_letter = heads[KNOWN][:, 0] >= -1.3
    rank = _witnessed(own_rank, generic.rank, is_letter)
    suit = _witnessed(own_suit, generic.suit, np.ones(len(is_letter), bool))
    rank[~fits] = 1 / rank.shape[1]
    return Scores(rank, suit, generic.state, generic.known)


def _witnessed(own: Points, generic: Points, asked: Points) -> Points:
    """The prototypes' probabilities; the mean of both where the generic heads are sure of something else."""
    differ = (own.argmax(1) != generic.argmax(1)) & (generic.max(1) > WITNESS_SURE) & asked
    return np.where(differ[:, None], (own + generic) / 2, own)


class Networks(NamedTuple):
    """All that the reader needs. May be used by one thread at a time."""

    workers: Workers
    proposal_filter: ProposalFilterNetwork
    indices: IndexNetwork
    whole_cards: WholeCardNetwork
    heat_map: HeatMapNetwork

    @property
    def deck(self) -> Prototypes | None:
        """Return the deck whose prototypes name the indices; None without one."""
        return self.indices.deck if isinstance(self.indices, DeckIndexNetwork) else None

    @classmethod
    def open(cls, folder: Path, threads: int, deck: Prototypes | None = None) -> "Networks":
        """Load the networks of a folder with one folder for each; raises as `CropNetwork.open` does.

        With a `deck` indices are named by its prototypes. The names on disk (glance, body, survey) are older
        than the classes: recordings and folders outside the repository contain them.
        """
        workers = Workers(threads)
        indices = IndexNetwork.open(folder / "index", workers)
        if deck is not None:
            indices = DeckIndexNetwork.open(folder / "index", workers)
            indices.deck = deck
        return cls(
            workers,
            ProposalFilterNetwork.open(folder / "glance", workers),
            indices,
            WholeCardNetwork.open(folder / "body", workers),
            HeatMapNetwork.open(folder / "survey"),
        )
