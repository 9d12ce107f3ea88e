"""Classes of the index network, in the order of its outputs."""

from typing import Final

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("c", "d", "h", "s")
STATES: Final = ("index", "back", "cut", "joker", "none", "occluded")
