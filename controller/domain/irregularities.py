"""What can go wrong at a table, who lifts the hold that follows, and which rulings the house allows.

A house's profile is data (`[irregularities]` of its rule file): jurisdictions contradict each other here.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

FaultCode = Literal[
    "CARD_BEFORE_BETS",
    "CARD_TO_EMPTY_BOX",
    "CARD_TO_DONE_HAND",
    "CARD_OWED",
    "CARD_AFTER_DEALER_BLACKJACK",
    "ACROSS_NOT_ALLOWED",
    "UP_CARD_FACE_DOWN",
    "MISSED_CARD",
    "DEALER_MISSED_CARD",
    "INSURANCE_NOT_CLOSED",
    "PEEK_MISSING",
    "PEEK_CONTRADICTS",
    "HOLE_CARD_CONTRADICTS",
    "HOLE_CARD_EXPOSED",
    "HOLE_NOT_REVEALED",
    "DEALER_DREW_ON_17",
    "DEALER_DREW_AFTER_BUST",
    "DEALER_STOOD_ON_16",
    "ROUND_INCOMPLETE",
    "ROUND_DISPUTED",
    "CARD_UNREAD",
    "TOO_MANY_OF_A_KIND",
    "BURN_MISSED",
    "SHUFFLE_DUE",
    "SHOE_DUE",
    "SHOE_OVERRUN",
    "SHOE_QUESTIONED",
    "SHOE_INCOMPLETE",
    "WRONG_PAYOUT",
    "STAKE_CHANGED",
    "STAKE_OUTSIDE_LIMITS",
    "BETTOR_LEFT",
]
"""Faults on which a house rules. ROUND_DISPUTED stands for whatever no longer fits after a ruling."""

Release = Literal["dealer", "pit", "two"]
"""Who lifts a hold: the dealer, one supervisor, or two people."""

Way = Literal[
    "strike",
    "burn",
    "keep",
    "move",
    "swap",
    "correct",
    "amend",
    "draw",
    "shoe",
    "paid",
    "void_box",
    "void_round",
    "shoe_void",
    "shuffle",
    "shoe_end",
]
"""A way out of a hold (feed format, section 7)."""

FAULT_CODES: Final[tuple[FaultCode, ...]] = get_args(FaultCode)
RELEASES: Final[tuple[Release, ...]] = get_args(Release)
WAYS: Final[tuple[Way, ...]] = get_args(Way)

DEALER_RELEASES: Final[frozenset[FaultCode]] = frozenset(("CARD_UNREAD",))
"""Faults that a house may leave to the dealer; every other one is at least the pit's."""


class Irregularity(NamedTuple):
    """How a house rules on one fault: who lifts its hold, the ways out, the usual one first.

    `source` says where the house has it from.
    """

    release: Release
    ways: tuple[Way, ...]
    source: str = ""


Profile = Mapping[FaultCode, Irregularity]
"""A whole profile: every fault has its ruling."""
