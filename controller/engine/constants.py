"""Closed vocabularies of the engine: phases of a round, places of cards, status of hands."""

from typing import Final, Literal

Phase = Literal["bets", "deal", "insurance", "peek", "play", "reveal", "draw", "complete"]
HandStatus = Literal[
    "active",
    "stood",
    "stood_inferred",
    "full",
    "bust",
    "blackjack",
    "doubled",
    "split_ace",
    "insured",
    "surrendered",
    "void",
]
Owed = Literal[0, 1, 2, 3]
"""Which card a hand waits for: none, or one for a hit, a double or a split."""

BETS: Final = "bets"
DEAL: Final = "deal"
INSURANCE: Final = "insurance"
PEEK: Final = "peek"
PLAY: Final = "play"
REVEAL: Final = "reveal"
DRAW: Final = "draw"
COMPLETE: Final = "complete"

Place = tuple[int, int]
"""Where a card lies: (box, hand); hand 0 leaves the hand open."""
DEALER: Final[Place] = (0, 0)
BURNED: Final[Place] = (-1, 0)
STRUCK: Final[Place] = (-2, 0)

ACTIVE: Final = "active"
STOOD: Final = "stood"
INFERRED: Final = "stood_inferred"
FULL: Final = "full"
BUST: Final = "bust"
NATURAL: Final = "blackjack"
DOUBLED: Final = "doubled"
LOCKED: Final = "split_ace"
FROZEN: Final = "insured"
SURRENDERED: Final = "surrendered"
VOIDED: Final = "void"

OWED_NOTHING: Final = 0
OWED_HIT: Final = 1
OWED_DOUBLE: Final = 2
OWED_SPLIT: Final = 3

QUEUED: Final = "QUEUED"
"""Mark of a card that waits until an unread card before it has got its rank; not a fault."""
