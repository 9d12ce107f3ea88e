"""Indices of one picture are of about one size: one that is not has another card's pip beside its rank."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.assembly import PAIRS_KNOWN, AssembledCard, DeckGeometry
from vision.classifier import LIKELIER, poses_of
from vision.geometry import Points, squared_distances


class SizeRule(NamedTuple):
    """How much an index may differ in height from others.

    Source: `smallest` and `largest` on 150 drawn tables that leaned up to 40 degrees: of 1,166 right cards
    that showed one corner 99.8 % were within them, four of seven wrong ones were not. The others have no
    measurement on record.
    """

    neighbours: int = 6
    neighbours_min: int = 5
    """So many of the nearest cards say how large an index is there; fewer say nothing."""

    smallest: float = 0.80
    largest: float = 1.21
    """Height over the middle one of the neighbours: tilt makes them differ, but less."""

    of_deck: float = 1.45
    """Greatest ratio to the usual height of a well known deck, either way, of a card with one index in sight:
    pips beside each other can look like an index of another size. Seen from aside a near card is that much
    larger than a far one, so corners that fit one card count for more than its size.

    Source: of the cards that this doubted on 6,400 drawn tables, certain otherwise, 15 of 100 were wrong
    where one corner was in sight, none of four where more were.
    """

    cut_off: float = 0.8
    cut_off_sure: float = 0.98
    """An index this small, by the usual height, may lack part of its pip: it is reported from this
    probability of being an index on.

    Source: a seven of clubs on an outside close-up, half of its pip in view, was reported as a spade (share
    0.70, probability 0.967).
    """


SIZE_RULE: Final = SizeRule()


def size_outliers(cards: Sequence[AssembledCard], deck: DeckGeometry | None) -> set[int]:
    """Numbers of the cards whose index is not as large as it should be, beside others or for their deck."""
    if deck is None or not deck.pairs:
        return _beside_others(cards)
    odd = {number for number, card in enumerate(cards) if _may_be_cut_off(card, deck)}
    if deck.pairs >= PAIRS_KNOWN:
        odd |= {number for number, card in enumerate(cards) if _of_another_size(card, deck)}
    return odd | _beside_others(cards)


def _of_another_size(card: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether an index, the only one of its card, is far from the usual height of its deck."""
    share, most = card.best.index_px / deck.index_px, SIZE_RULE.of_deck
    return len(card.indices) == 1 and not 1 / most < share < most


def _may_be_cut_off(card: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether an index, the only one of its card, is small enough to lack part of its pip, and not sure."""
    small = card.best.index_px < SIZE_RULE.cut_off * deck.index_px and len(card.indices) == 1
    return small and card.best.p_index < SIZE_RULE.cut_off_sure


def _beside_others(cards: Sequence[AssembledCard]) -> set[int]:
    """Cards with one index in sight that is larger or smaller than its neighbours' are."""
    poses = poses_of([card.best for card in cards])
    known = np.array([card.best.p >= LIKELIER for card in cards], bool)
    if known.sum() <= SIZE_RULE.neighbours_min:
        return set()
    apart = squared_distances(poses.centres, poses.centres)
    apart[:, ~known] = np.inf
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1)[:, : min(SIZE_RULE.neighbours, int(known.sum()) - 1)]
    share = poses.index_px / _row_medians(poses.index_px[nearest])
    odd = (share < SIZE_RULE.smallest) | (share > SIZE_RULE.largest)
    return {int(number) for number in np.flatnonzero(odd) if len(cards[int(number)].indices) == 1}


def _row_medians(rows: Points) -> Points:
    """The median of each row; numpy's own takes four times as long for so few values."""
    ranked, count = np.sort(rows, axis=1), rows.shape[1]
    return np.asarray((ranked[:, (count - 1) // 2] + ranked[:, count // 2]) / 2)
