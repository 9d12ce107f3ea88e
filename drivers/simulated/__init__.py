"""Devices that are not there: the far ends of lines and what a real device would send over them.

In: what happens at the table (a card leaves the shoe, a key goes down). Out: the very bytes of the real
device. Imports nothing of the drivers: encoders and tables here are written a second time from the
descriptions of the protocols (docs/devices.md, hardware/), so that a driver that has misread one is found
out.
"""

from drivers.simulated.angel_eye import AngelEyeShoe, PtyShoe, TcpShoe
from drivers.simulated.chip_source import PAD, TRAY, ZONES, ChipSetup, SimulatedChipSource
from drivers.simulated.keypad import SimulatedKeypad
from drivers.simulated.lines import PtyLine, SimulatedLine, TcpLine
from drivers.simulated.open_shoe import OpenDevice, OpenReader, PtyReader
from drivers.simulated.rfid_reader import CIRCLES, WORTH, SimulatedRfidReader
from drivers.simulated.shoe_cards import SimulatedShoeCards
from drivers.simulated.text_device import SimulatedTextDevice

__all__ = [
    "CIRCLES",
    "PAD",
    "TRAY",
    "WORTH",
    "ZONES",
    "AngelEyeShoe",
    "ChipSetup",
    "OpenDevice",
    "OpenReader",
    "PtyLine",
    "PtyReader",
    "PtyShoe",
    "SimulatedChipSource",
    "SimulatedKeypad",
    "SimulatedLine",
    "SimulatedRfidReader",
    "SimulatedShoeCards",
    "SimulatedTextDevice",
    "TcpLine",
    "TcpShoe",
]
