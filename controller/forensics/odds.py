"""How often chance alone brings a run that long, in a perfectly shuffled shoe."""

from math import log10
from typing import Final

from controller.domain import RANKS, SUITS
from controller.forensics.archive import Order, Repeats
from controller.forensics.runs import Run

SUITED: Final = log10(len(RANKS) * len(SUITS))
_RANKED: Final = log10(len(RANKS))
ORDERS: Final[dict[Repeats, int]] = {"makers": 2, "shoe": 1, "discards": 2, "itself": 1}
"""How many ways an order is read: makers pack in two directions, discards are picked up in two."""


def log10_odds(run: Run, present: str, orders: tuple[Order, ...]) -> float:
    """The odds against chance, as the power of ten: 14.0 is one in 10^14; never below 0.

    The expected number of runs that begin anywhere is at most places times orders times the chance of each
    card, 1 in 52 with its suit and 1 in 13 by rank alone (in several packs as in one: as many more fit). A
    new pack begins anywhere, so there its first card is free. Shuffles by hand leave more,
    docs/measurements/forensics.md.
    """
    earlier = {"shoe": sum(len(order.dealt) for order in orders), "itself": len(present) / 2}
    earlier["discards"] = sum(len(order.picked) for order in orders)
    places = max(1.0, len(present) * ORDERS[run.repeats] * earlier.get(run.repeats, 1))
    free = run.repeats == "makers"
    against = (run.suited - (free and run.suited > 0)) * SUITED + (run.cards - run.suited) * _RANKED
    return max(0.0, against - log10(places))
