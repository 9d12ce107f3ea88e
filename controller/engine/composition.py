"""Counting the cards that left the shoe, to notice one that the shoe cannot hold."""

from typing import Final

from controller.domain.cards import RANKS, SUITS, Card
from controller.engine.state import Shoe

RANK_BIT: Final = {rank: 1 << (8 * index) for index, rank in enumerate(RANKS)}
SUIT_BIT: Final = {
    rank: {suit: 1 << (8 * (index * 4 + number)) for number, suit in enumerate(SUITS)}
    for index, rank in enumerate(RANKS)
}
_RANK_SHIFT: Final = {rank: 8 * index for index, rank in enumerate(RANKS)}
DECKS_LIMIT: Final = 60
"""Most packs in a shoe: 4 x 60 still fits the eight bits a rank."""


def count_card(shoe: Shoe, rank: str | None, suit: str | None) -> Shoe:
    """The shoe after one more card; an unknown rank or suit counts as a card only."""
    ranks, suits = shoe.ranks, shoe.suits
    if rank is not None:
        ranks += RANK_BIT[rank]
        if suit is not None:
            suits += SUIT_BIT[rank][suit]
    return Shoe(shoe.decks, shoe.size, shoe.seen + 1, ranks, suits, shoe.burn_due, shoe.cut)


def hide(shoe: Shoe, card: Card) -> Shoe:
    """The shoe with a counted card's rank and suit left out.

    A hole card counts as a card only until it is turned: otherwise the alert for one card too many of its
    rank would tell what it is.
    """
    return _weighed(shoe, card, -1)


def learn(shoe: Shoe, card: Card) -> Shoe:
    """The shoe with the rank and suit of a card that was counted before, such as a turned hole card."""
    return _weighed(shoe, card, 1)


def _weighed(shoe: Shoe, card: Card, sign: int) -> Shoe:
    if card.rank is None:
        return shoe
    suits = shoe.suits if card.suit is None else shoe.suits + sign * SUIT_BIT[card.rank][card.suit]
    return shoe._replace(ranks=shoe.ranks + sign * RANK_BIT[card.rank], suits=suits)


def too_many(shoe: Shoe, rank: str | None, suit: str | None) -> bool:
    """Whether more cards of this rank, or rank and suit, were seen than the shoe holds."""
    if rank is None:
        return False
    decks = shoe.decks
    count = (shoe.ranks >> _RANK_SHIFT[rank]) & 255
    if count > 4 * decks:
        return True
    if suit is None or count <= decks:
        return False
    return shoe.suits // SUIT_BIT[rank][suit] & 255 > decks


def shifted(shoe: Shoe, before: Shoe, after: Shoe) -> Shoe:
    """`shoe` after an earlier round's count changed from `before` to `after` by a correction."""
    return shoe._replace(
        seen=shoe.seen + after.seen - before.seen,
        ranks=shoe.ranks + after.ranks - before.ranks,
        suits=shoe.suits + after.suits - before.suits,
    )
