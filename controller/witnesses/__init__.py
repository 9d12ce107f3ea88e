"""Derives the acts of the table from the cameras' views of the layout. Pure.

In: the cards of each picture, the shoe's reports, and the table's state. Out: the cards, decisions and
reveals that they show, in the order in which the table takes them.
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
