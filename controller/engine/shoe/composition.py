"""Count the cards dealt from the shoe, to detect a card that the shoe cannot contain."""

from dataclasses import replace
from typing import Final, NamedTuple

from controller.domain import RANKS, SUITS, Card, Rank, Suit
from controller.engine.state import Shoe


class Weight(NamedTuple):
    """The position of a rank's count: eight bits of `Shoe.ranks`, and eight bits of `Shoe.suits` per suit."""

    bit: int
    shift: int
    suits: dict[Suit, tuple[int, int]]


def _weight(index: int) -> Weight:
    """Return the position of the count of the rank at this index of RANKS."""
    shifts = {suit: 8 * (index * len(SUITS) + number) for number, suit in enumerate(SUITS)}
    return Weight(1 << (8 * index), 8 * index, {suit: (1 << shift, shift) for suit, shift in shifts.items()})


WEIGHTS: Final = {rank: _weight(index) for index, rank in enumerate(RANKS)}
DECKS_LIMIT: Final = 60
"""Most packs in a shoe: 4 x 60 still fits the eight bits a rank."""


def count_card(shoe: Shoe, rank: Rank | None, suit: Suit | None) -> Shoe:
    """The shoe after one more card; an unknown rank or suit counts as a card only."""
    return _counted(shoe, 1, rank, suit)


def _counted(shoe: Shoe, cards: int, rank: Rank | None, suit: Suit | None) -> Shoe:
    """The shoe with `cards` more seen (0 or 1) and one more of this kind; `excess`: it holds no such card."""
    decks, ranks, suits = shoe.decks, shoe.ranks, shoe.suits
    excess = False
    if rank is not None:
        bit, shift, by_suit = WEIGHTS[rank]
        ranks += bit
        count = (ranks >> shift) & 255
        excess = count > 4 * decks
        if suit is not None:
            bit, shift = by_suit[suit]
            suits += bit
            excess = excess or (count > decks and (suits >> shift) & 255 > decks)
    return replace(shoe, seen=shoe.seen + cards, ranks=ranks, suits=suits, excess=excess)


def hide(shoe: Shoe, card: Card) -> Shoe:
    """Return the shoe without the rank and suit of a counted card.

    Until the reveal, a hole card counts as a card without a rank. Otherwise the alert for a surplus card
    would reveal it.
    """
    if card.rank is None:
        return shoe
    weight = WEIGHTS[card.rank]
    suits = shoe.suits if card.suit is None else shoe.suits - weight.suits[card.suit][0]
    return replace(shoe, ranks=shoe.ranks - weight.bit, suits=suits, excess=False)


def learn(shoe: Shoe, card: Card) -> Shoe:
    """The shoe with the rank and suit of a card that was counted before, such as a turned hole card."""
    return _counted(shoe, 0, card.rank, card.suit)


def too_many(shoe: Shoe, rank: Rank | None, suit: Suit | None) -> bool:
    """Whether more cards of this rank, or rank and suit, were counted than the shoe contains."""
    if rank is None:
        return False
    weight = WEIGHTS[rank]
    if (shoe.ranks >> weight.shift) & 255 > 4 * shoe.decks:
        return True
    return suit is not None and (shoe.suits >> weight.suits[suit][1]) & 255 > shoe.decks


def shifted(shoe: Shoe, before: Shoe, after: Shoe) -> Shoe:
    """Return `shoe` after a correction changed an earlier round's count from `before` to `after`.

    A shoe that was loaded or shuffled later does not contain the cards of that count.
    """
    if shoe.number != after.number:
        return shoe
    return replace(
        shoe,
        seen=shoe.seen + after.seen - before.seen,
        ranks=shoe.ranks + after.ranks - before.ranks,
        suits=shoe.suits + after.suits - before.suits,
    )
