"""Compare a read card with the other cards of its picture.

Of two cards that exclude each other, one pairs its rank with another card's pip; so does an index whose
height differs from its neighbours'. Some decks print letters other than A, J, Q and K. One unknown letter
proves nothing, since print wears and light is poor; two cards with such letters do.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from vision.acceptance.limits import CONTRADICTION_RULE, LIKELY_INDEX, OTHER_LETTERS_RULE, SIZE_RULE
from vision.assembly import (
    GEOMETRY_RULE,
    PAIRS_KNOWN,
    RIVAL_FIT,
    AssembledCard,
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    cosine,
    mean_index_px,
    offset,
    same_rank_and_suit,
    shared_outline,
)
from vision.classifier import LIKELIER, Index, poses_of
from vision.geometry import OWN_CORNER, PARALLEL, Points, squared_distances, within_reach
from vision.labels import RANKS

_TURNED_ALIKE: Final = frozenset({RANKS.index("6"), RANKS.index("9")})
"""Each is the other's rank upside down: the pip alone tells them apart, where it stands below the rank."""

_TURNED_TEN: Final = frozenset({RANKS.index("10"), RANKS.index("Q")})
"""A lower ten that stands upright, its pip above, looks like a queen upside down, of which the 1 is lost."""

_SAME_TURNED: Final = RANKS.index("8")
"""A rank that turned looks as it does upright."""


def find_contradictions(cards: list[AssembledCard], deck: DeckGeometry | None) -> set[int]:
    """Numbers of the cards that contradict another one, clearly read.

    Of a card with more than one corner in sight the corners have found each other: it is never doubted.
    """
    rule = CONTRADICTION_RULE
    clear = [number for number, card in enumerate(cards) if _p_shown(card.best) >= LIKELIER]
    lone = [number for number in clear if len(cards[number].indices) == 1]
    others = [(number, index) for number in clear for index in cards[number].indices]
    doubted: set[int] = set()
    for slot, place in np.argwhere(_neighbours(cards, lone, others, deck)).tolist():
        one, (other, index) = lone[slot], others[place]
        if one != other and _contradict(cards[one].best, index, deck):
            doubted |= {one, other} & set(lone)
    on_each_other = (
        {one, other}
        for one, other in combinations(lone, 2)
        if cards[one].best.rank != cards[other].best.rank
        and shared_outline(cards[one], cards[other]) > rule.on_each_other
    )
    return doubted.union(*on_each_other)


def find_maybe_turned(cards: list[AssembledCard]) -> set[int]:
    """Return numbers of sixes and nines with one read corner, where the deck's turning is unknown.

    Some decks print the lower index upright with the pip above it: turned, it looks like the other rank.
    """
    if any(len(card.indices) > 1 and card.best.rank not in {*_TURNED_ALIKE, _SAME_TURNED} for card in cards):
        return set()
    lone = (number for number, card in enumerate(cards) if len(card.indices) == 1)
    return {number for number in lone if cards[number].best.rank in _TURNED_ALIKE}


def _neighbours(
    cards: list[AssembledCard], lone: list[int], others: list[tuple[int, Index]], deck: DeckGeometry | None
) -> Points:
    """Return which indices may concern which lone cards: close to it, facing it or of its rank."""
    best, indices = [cards[number].best for number in lone], [index for _, index in others]
    mine, theirs = poses_of(best), poses_of(indices)
    rule = CONTRADICTION_RULE
    close = within_reach(mine.centres, theirs.centres, rule.along * theirs.index_px)
    if deck is None:
        return close
    one_rank = np.equal.outer([index.rank for index in best], [index.rank for index in indices])
    facing = mine.downs @ theirs.downs.T <= -PARALLEL
    return np.asarray(close | one_rank | facing)


def _p_shown(index: Index) -> float:
    """Return the probability (0..1) of the index's name, partly covered or not."""
    named = index.p_rank if index.suit_open else index.p_rank * index.p_suit
    return named * index.p_shown


def _contradict(one: Index, other: Index, deck: DeckGeometry | None) -> bool:
    """Whether a lone card's index and another card's index exclude each other."""
    rule = CONTRADICTION_RULE
    whole = one.p >= LIKELIER and other.p >= LIKELIER
    if whole and _share_ink(one, other):
        return True
    if deck is None or same_rank_and_suit(one, other):
        return False
    foot = CornerOffset(deck.right, deck.below, turned=True)
    misfit = GEOMETRY_RULE.fit if {one.rank, other.rank} == _TURNED_ALIKE else rule.any_rank_misfit
    if {one.rank, other.rank} == _TURNED_TEN:
        misfit = RIVAL_FIT
    if whole and corner_misfit(one, other, foot, deck) < misfit:
        return True
    return one.rank == other.rank and _in_own_corner(other, one, deck)


def _share_ink(one: Index, other: Index) -> bool:
    right, below = (abs(part) for part in offset(one, other, mean_index_px(one, other)))
    close = right < CONTRADICTION_RULE.beside and below < CONTRADICTION_RULE.along
    return close and abs(cosine(one, other)) > PARALLEL


def _in_own_corner(one: Index, other: Index, deck: DeckGeometry) -> bool:
    """Whether an index stands at a corner position of the other index's card."""
    right, below = offset(one, other, mean_index_px(one, other))
    turned = cosine(one, other)
    if abs(turned) < PARALLEL:
        return False
    places = [(deck.right, deck.below)] if turned < 0 else []
    if deck.four:
        right = abs(right)
        places = [(deck.right, deck.below), (0.0, deck.below)] if turned < 0 else [(deck.right, 0.0)]
    return any(np.hypot(right - x, below - y) < OWN_CORNER for x, y in places)


def size_outliers(cards: Sequence[AssembledCard], deck: DeckGeometry | None) -> set[int]:
    """Return numbers of cards whose index height differs from the others', or from their deck's."""
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


EIGHT: Final = RANKS.index("8")


def _has_unknown_letter(card: AssembledCard) -> bool:
    rule = OTHER_LETTERS_RULE
    return all(
        index.known < rule.unknown and index.p_index >= LIKELY_INDEX and index.whole for index in card.indices
    )


def doubt_like_letters(cards: list[AssembledCard]) -> list[AssembledCard]:
    """The same cards; an index that may be another letter than the reader's has no certain name.

    Beside one card with such a letter that is an eight, beside two any.
    """
    rule = OTHER_LETTERS_RULE
    others = sum(map(_has_unknown_letter, cards))
    if not others:
        return cards

    def named(index: Index) -> Index:
        least = rule.known if others >= rule.cards else rule.eight if index.rank == EIGHT else -math.inf
        return index if index.known >= least else index.unnamed()

    return [card._replace(indices=tuple(map(named, card.indices))) for card in cards]
