"""The appearance of one deck's ranks and suits in the index network's features.

A deck profile contains them. Within a class the features of one print vary only with light, size and blur.
One covariance for all classes and a mean for each are enough (linear discriminants, R. A. Fisher, 1936).
"""

from typing import Final, NamedTuple

import numpy as np

from vision.classifier.faces import Faces
from vision.geometry import IndexPlace, Points
from vision.labels import RANKS, SUITS

_RIDGE: Final = 0.05
"""Share of the mean variance that is added to every one: few pictures show few of the ways to differ.

Source: of 0.01, 0.05 and 0.2 the one that names most of the pictures left out of six outside drawn decks.
"""

_FITS_QUANTILE: Final = 0.995
_FITS_SLACK: Final = 1.5
"""A crop is one of the deck's when it is no further from its class than so many times what this share of the
crops that made the profile are.

Source: no measurement on record.
"""


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


class DeckScores(NamedTuple):
    """For n crops: probabilities of ranks (n x 13) and suits (n x 4), and whether they are the deck's (n)."""

    rank: Points
    suit: Points
    fits: Points


def fit_classes(features: Points, labels: Points, count: int) -> Classes:
    """Classes 0 to `count` - 1 of n features with labels (n)."""
    means = np.full((count, features.shape[1]), np.nan)
    for label in np.unique(labels):
        means[label] = features[labels == label].mean(0)
    within = features - means[labels]
    covariance = within.T @ within / max(len(features) - len(np.unique(labels)), 1)
    covariance += np.eye(len(covariance)) * _RIDGE * max(float(np.trace(covariance)) / len(covariance), 1e-6)
    values, vectors = np.linalg.eigh(covariance)
    axes = vectors / np.sqrt(values)
    own = np.sqrt((((features @ axes) - (means @ axes)[labels]) ** 2).sum(1))
    return Classes(axes, means @ axes, float(np.quantile(own, _FITS_QUANTILE)) * _FITS_SLACK)


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


def deck_scores(features: Points, deck: Prototypes) -> DeckScores:
    """Return the scores of n crops' features against the prototypes."""
    if not len(features):
        return DeckScores(np.empty((0, len(RANKS))), np.empty((0, len(SUITS))), np.empty(0, bool))
    ranks, suits = _distances(features, deck.ranks), _distances(features, deck.suits)
    fits = (ranks.min(1) < deck.ranks.reach**2) & (suits.min(1) < deck.suits.reach**2)
    return DeckScores(_softmax(ranks, deck.temperature), _softmax(suits, deck.temperature), fits)
