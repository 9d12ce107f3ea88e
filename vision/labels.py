"""Names of ranks, suits and states, in the order of the networks' outputs. Imports nothing of vision.

The manifests of the shipped networks repeat them; a network that was taught another order is refused.
"""

from typing import Final

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("c", "d", "h", "s")
STATES: Final = ("index", "back", "cut", "joker", "none", "occluded")
"""What a crop shows: a readable index, a card's back, the cut card, a joker, none of these, a covered
index."""
