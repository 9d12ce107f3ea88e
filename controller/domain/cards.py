"""Ranks, suits and cards as the feed writes them."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
Suit = Literal["c", "d", "h", "s"]

RANKS: Final[tuple[Rank, ...]] = get_args(Rank)
SUITS: Final[tuple[Suit, ...]] = get_args(Suit)

_RANK: Final[Mapping[str, Rank]] = {rank: rank for rank in RANKS}
_SUIT: Final[Mapping[str, Suit]] = {suit: suit for suit in SUITS}

POINTS: Final[dict[Rank, int]] = {
    **{rank: int(rank) for rank in RANKS if rank.isdigit()},
    "J": 10,
    "Q": 10,
    "K": 10,
    "A": 1,
}
"""Points of each rank, the ace counted low (NL-05, DE-03, SB-16, FR-04, IT-03)."""


class Card(NamedTuple):
    """A physical card as far as it is known; `None` stands for a rank or suit that nobody has read."""

    rank: Rank | None
    suit: Suit | None = None

    def __str__(self) -> str:
        """Short form such as `Ah`, `10`, `?`: for reports and messages, never parsed back."""
        return (self.rank or "?") + (self.suit or "")


def card_named(rank: str | None, suit: str | None) -> Card:
    """The card of a reader's labels, None for what it has not read; KeyError for a label that is none."""
    return Card(None if rank is None else _RANK[rank], None if suit is None else _SUIT[suit])
