"""Derives the acts of the table from the cameras' views of the layout. Pure.

In: the cards of each picture, the shoe's reports, and the table's state. Out: the cards, decisions and
reveals that they show, in the order in which the table takes them.
"""

from controller.witnesses.camera_deal import CameraDeal, Memory
from controller.witnesses.felt_view import FeltCard, FeltFinding, FeltReading
from controller.witnesses.joining import ARRIVES_MS, JoinedFelt, ShoeCard, ShoeJoining, WaitingCards

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
