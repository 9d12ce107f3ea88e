"""Ranks, suits and cards as the feed writes them."""

from typing import Final, NamedTuple

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("c", "d", "h", "s")

POINTS: Final[dict[str, int]] = {
    **{str(pips): pips for pips in range(2, 11)},
    **dict.fromkeys(("J", "Q", "K"), 10),
    "A": 1,
}
"""Points of each rank, the ace counted low (NL-05, DE-03, SB-16, FR-04, IT-03)."""


class Card(NamedTuple):
    """A physical card as far as it is known; `None` stands for a rank or suit that nobody has read."""

    rank: str | None
    suit: str | None = None

    def __str__(self) -> str:
        """Short form such as `Ah`, `10`, `?`: for accounts and messages, never parsed back."""
        return (self.rank or "?") + (self.suit or "")
