"""Evidence in the order and the count of the cards: unshuffled shoes, packs that lack cards.

Cards come in as they leave the shoe and as they are picked up; findings come out, never rulings: the policy
decides on holds and alerts. Pure, and a step costs microseconds. It may import the domain only.
"""

from controller.forensics.archive import Order, Repeats
from controller.forensics.codes import STRUCK, UNKNOWN, code_of
from controller.forensics.composition import PackSets, Suspect
from controller.forensics.odds import log10_odds
from controller.forensics.runs import Run
from controller.forensics.watch import Watch

__all__ = [
    "STRUCK",
    "UNKNOWN",
    "Order",
    "PackSets",
    "Repeats",
    "Run",
    "Suspect",
    "Watch",
    "code_of",
    "log10_odds",
]
