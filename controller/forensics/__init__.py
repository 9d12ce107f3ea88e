"""Evidence in the order and the count of the cards: unshuffled shoes, packs that lack cards.

Cards come in as they leave the shoe and as they are picked up; findings come out, never rulings: the policy
decides on holds and alerts. Pure, and a step costs microseconds. It may import the domain only.
"""

from controller.forensics.composition import PackSets, Suspect
from controller.forensics.order import STRUCK, UNKNOWN, Order, Repeats, Run, Watch, code_of, log10_odds

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
