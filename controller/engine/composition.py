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
_new = tuple.__new__
DECKS_LIMIT: Final = 60
"""Most packs in a shoe: 4 x 60 still fits the eight bits a rank."""


def count_card(shoe: Shoe, rank: str | None, suit: str | None) -> Shoe:
    """The shoe after one more card; an unknown rank or suit counts as a card only."""
    decks, size, seen, ranks, suits, burn_due, cut = shoe
    if rank is not None:
        ranks += RANK_BIT[rank]
        if suit is not None:
            suits += SUIT_BIT[rank][suit]
    return _new(Shoe, (decks, size, seen + 1, ranks, suits, burn_due, cut))


def learn(shoe: Shoe, before: Card, after: Card) -> Shoe:
    """The shoe after more was read of a card that was counted before, such as a turned hole card."""
    ranks, suits = shoe.ranks, shoe.suits
    if after.rank is not None and before.rank is None:
        ranks += RANK_BIT[after.rank]
    if after.rank is not None and after.suit is not None and None in before:
        suits += SUIT_BIT[after.rank][after.suit]
    return shoe._replace(ranks=ranks, suits=suits)


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
