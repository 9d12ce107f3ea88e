"""What lies on the felt, as cameras see it, made into what happened at the table. Pure.

In: what cameras know of the cards that lie there, picture by picture, what the shoe tells, and the table as
it stands. Out: the cards, decisions and turnings that they show, in the order in which the table takes them.
"""

from controller.witnesses.camera_deal import CameraDeal, Memory
from controller.witnesses.felt_finding import FeltFinding
from controller.witnesses.felt_view import FeltCard, FeltReading
from controller.witnesses.joined_view import JoinedFelt
from controller.witnesses.shoe_joining import ARRIVES_MS, ShoeCard, ShoeJoining, WaitingCards

__all__ = [
    "ARRIVES_MS",
    "CameraDeal",
    "FeltCard",
    "FeltFinding",
    "FeltReading",
    "JoinedFelt",
    "Memory",
    "ShoeCard",
    "ShoeJoining",
    "WaitingCards",
]
