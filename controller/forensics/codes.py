"""Cards as one character each, so that an order of cards is a text that can be searched and sliced."""

from itertools import product
from typing import Final

from controller.domain import RANKS, SUITS, Card, Rank, Suit

UNKNOWN: Final = "0"
"""A card that nobody has read, or that lies face down."""
STRUCK: Final = "~"
"""A card that a ruling took out: it may have been in the shoe, or a double reading."""
END: Final = "|"
"""Parts two orders from each other; no card matches it."""

_FIRST: Final = ord("1")
KNOWN: Final[dict[tuple[Rank, Suit | None], str]] = {
    card: chr(_FIRST + number)
    for number, card in enumerate([*product(RANKS, SUITS), *product(RANKS, (None,))])
}
"""Each rank with its suit, then each rank alone."""
CARDS: Final = {code: Card(*card) for card, code in KNOWN.items()}

SUITED: Final = frozenset(code for code, card in CARDS.items() if card.suit is not None)
"""Codes of cards whose suit is known."""


def _alike(card: Card) -> str:
    """Every code that may be the same card: its own, its rank alone; a rank alone may be any suit of it."""
    kinds = (card.suit, None) if card.suit is not None else (*SUITS, None)
    return "".join(KNOWN[card.rank, suit] for suit in kinds if card.rank is not None)


ALIKE: Final = {code: _alike(card) for code, card in CARDS.items()}


def code_of(rank: Rank | None, suit: Suit | None) -> str:
    """The character of a card; UNKNOWN without a rank."""
    return UNKNOWN if rank is None else KNOWN[rank, suit]
