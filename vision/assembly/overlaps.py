"""Find overlapping cards, and what their indices alone prove about their order."""

from typing import Final, NamedTuple

import numpy as np

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.deck_geometry import DeckGeometry
from vision.classifier import poses_of
from vision.geometry import Image, Points, inside_each, overlap

_REACH_UNKNOWN: Final = 4
"""Cards of unknown size overlap where their indices are nearer than so many heights of the index.

Source: no measurement on record.
"""

_PROOF_MARGIN: Final = 0.06
"""So near to an outline's edge, as a share of its half size, nothing is inside for sure: corners are
estimated.

Source: no measurement on record.
"""

_AROUND: Final = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])


class Overlaps(NamedTuple):
    """The cards of a picture and their overlaps.

    `pairs` are numbers i < j of overlapping cards. `proofs` (n x n) counts the indices that prove that card i
    lies on card j.
    """

    cards: list[AssembledCard]
    deck: DeckGeometry | None
    image: Image
    pairs: set[tuple[int, int]]
    proofs: Points


def _bounds(cards: list[AssembledCard]) -> Points:
    """Return axis-aligned bounds of each card, n x 4: left, top, right, foot; wide without an outline."""
    points = np.empty((len(cards), 4, 2))
    for number, card in enumerate(cards):
        reach = _REACH_UNKNOWN * card.best.index_px
        points[number] = card.best.centre + _AROUND * reach if card.corners is None else card.corners
    return np.concatenate([points.min(1), points.max(1)], 1)


def _overlap(one: AssembledCard, other: AssembledCard) -> bool:
    """Whether two cards' outlines share any area; without outlines, whether their indices are near.

    Cards that only touch side by side are separate hands, as split hands are.
    """
    if one.corners is None or other.corners is None:
        reach = _REACH_UNKNOWN * max(one.best.index_px, other.best.index_px)
        return float(np.hypot(*(one.best.centre - other.best.centre))) < reach
    return overlap(one.corners, other.corners)


def _overlapping_pairs(cards: list[AssembledCard]) -> set[tuple[int, int]]:
    boxes = _bounds(cards)
    apart = (boxes[:, None, :2] > boxes[None, :, 2:]).any(2)
    near = np.argwhere(np.triu(~(apart | apart.T), 1)).tolist()
    return {(i, j) for i, j in near if _overlap(cards[i], cards[j])}


def find_overlaps(cards: list[AssembledCard], deck: DeckGeometry | None, image: Image) -> Overlaps:
    """Find the overlapping cards of a BGR picture and what their indices prove."""
    return Overlaps(cards, deck, image, _overlapping_pairs(cards), _proofs(cards, deck))


def _unseen_corners(cards: list[AssembledCard], deck: DeckGeometry) -> Points:
    """Return the expected place of each card's unseen index, n x 2; NaN where several were seen."""
    places = np.full((len(cards), 2), np.nan)
    lone = [number for number, card in enumerate(cards) if len(card.indices) == 1]
    if lone:
        places[lone] = poses_of([cards[number].best for number in lone]).beside(deck.right, deck.below)
    return places


def _proofs(cards: list[AssembledCard], deck: DeckGeometry | None) -> Points:
    """For card i lying on card j: i's print shows where j lies (2 each), j's is hidden where i lies (1)."""
    proofs = np.zeros((len(cards), len(cards)))
    outlined = [number for number, card in enumerate(cards) if card.corners is not None]
    if deck is None or not outlined:
        return proofs
    outlines = np.array([cards[number].corners for number in outlined])
    owners = np.array([number for number, card in enumerate(cards) for _ in card.indices])
    centres = np.array([index.centre for card in cards for index in card.indices])
    shown = np.zeros((len(cards), len(outlined)))
    np.add.at(shown, owners, inside_each(centres, outlines, -_PROOF_MARGIN))
    proofs[:, outlined] += 2.0 * shown
    proofs[outlined] += inside_each(_unseen_corners(cards, deck), outlines, -_PROOF_MARGIN).T
    np.fill_diagonal(proofs, 0)
    return proofs


def proven_order(overlaps: Overlaps, one: int, other: int) -> float:
    """Return the order that indices prove: 1 when card `one` lies on `other`, -1 for the reverse, else 0."""
    if overlaps.cards[one].corners is None or overlaps.cards[other].corners is None:
        return 0.0
    proof = overlaps.proofs[one, other] - overlaps.proofs[other, one]
    return float(np.sign(proof)) if abs(proof) >= 1 else 0.0


def covered_cards(overlaps: Overlaps) -> set[int]:
    """Numbers of the cards on which another one lies, as the indices alone prove it."""
    return {
        number
        for one, other in overlaps.pairs
        for number, upper in ((one, other), (other, one))
        if proven_order(overlaps, upper, number) > 0
    }
