"""Which cards are certain: what their indices say, and whoever contradicts it."""

from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Image, Points, within
from vision.cards import Card, join_indices
from vision.certain import certain_ones
from vision.deck import FIT, PARALLEL, Corner, Deck, alike, misfit
from vision.indices import Index
from vision.sizes import odd_sized

DOUBT: Final = 0.5
"""A second index at least this probable that says something else makes the card unclear."""

LONE_APART: Final = 0.4
"""Of two cards of one rank each shows one corner. Where the first should have its other one, so many index
heights off at most, stands the second's: then they are one card, and one end has another card's pip, for
cards that lie so exactly on each other seldom both show a corner. On 600 drawn tables three of seven wrong
faces were told, and no exact hand was lost.
"""


class Verdict(NamedTuple):
    """Cards split by certainty, and why the rest is not certain."""

    sure: list[Card]
    unclear: list[tuple[Card, str]]
    deck: Deck | None

    def doubting(self, numbers: set[int]) -> "Verdict":
        """The same, but these of the sure cards are unclear, because something contradicts them."""
        sure = [card for number, card in enumerate(self.sure) if number not in numbers]
        more = [(self.sure[number], "disagreement") for number in sorted(numbers)]
        return self._replace(sure=sure, unclear=[*self.unclear, *more])


def _certain_part(card: Card) -> Card | None:
    """The card with its surest certain index first; None when none of its indices is certain."""
    certain = certain_ones(card.indices)
    if not certain:
        return None
    best = max(certain, key=lambda index: index.p)
    surest = {id(index.centre): index for index in certain}
    rest = [surest.get(id(index.centre), index) for index in card.indices if index.centre is not best.centre]
    return card._replace(indices=(best, *rest))


def _contradicted(cards: list[Card], deck: Deck | None) -> set[int]:
    """Cards at whose other corner stands an index of another card, clearly read, and those others.

    Only of a card that shows one corner: more of them have found their places.
    """
    if deck is None:
        return set()
    foot = Corner(deck.right, deck.below, turned=True)
    clear = [number for number, card in enumerate(cards) if card.best.p >= DOUBT]
    lone = [number for number in clear if len(cards[number].indices) == 1]
    rivals = [(number, index) for number in clear for index in cards[number].indices]
    doubted: set[int] = set()
    for slot, place in np.argwhere(_facing(cards, lone, rivals, deck)).tolist():
        one, (other, index) = lone[slot], rivals[place]
        if one == other or alike(cards[one].best, cards[other].best):
            continue
        if misfit(cards[one].best, index, foot, deck) < _nearness(cards[one], cards[other], deck):
            doubted |= {one, other}
    return doubted


def _nearness(one: Card, other: Card, deck: Deck) -> float:
    """How well one card's index has to fit the other's far corner, to contradict it; as `misfit` measures."""
    one_rank = one.best.rank == other.best.rank and len(other.indices) == 1
    return min(FIT, LONE_APART / deck.diagonal) if one_rank else FIT / 3


def _facing(cards: list[Card], lone: list[int], rivals: list[tuple[int, Index]], deck: Deck) -> Points:
    """Which indices of `rivals` may stand at the other corner of which of the `lone` cards."""
    best = [cards[number].best for number in lone]
    centres = np.array([index.centre for index in best]).reshape(-1, 2)
    owners = np.array([cards[number].best.centre for number, _ in rivals]).reshape(-1, 2)
    downs = np.array([index.down for index in best]).reshape(-1, 2)
    other_downs = np.array([index.down for _, index in rivals]).reshape(-1, 2)
    near = within(centres, owners, 1.6 * deck.diagonal * deck.height)
    return np.asarray(near & (downs @ other_downs.T <= -PARALLEL))


def judge(indices: list[Index], image: Image | None = None) -> Verdict:
    """Which cards are certain; `image` as for `join_indices`."""
    cards, deck = join_indices(indices, image)
    doubted, odd = _contradicted(cards, deck), odd_sized(cards, deck)
    sure: list[Card] = []
    unclear: list[tuple[Card, str]] = []
    for number, card in enumerate(cards):
        if number in doubted:
            unclear.append((card, "disagreement"))
        elif card.doubtful:
            unclear.append((card, "like_card"))
        elif number in odd:
            unclear.append((card, "uncertain"))
        elif (certain := _certain_part(card)) is not None:
            sure.append(certain)
        else:
            unclear.append((card, "uncertain"))
    return Verdict(sure, unclear, deck)
