"""A simulated reader of the open shoe protocol: bytes (`wire`), memory (`device`) and line (`reader`)."""

from drivers.simulated.open_shoe.device import OpenDevice
from drivers.simulated.open_shoe.reader import OpenReader, PtyReader
from drivers.simulated.open_shoe.wire import RANKS, SUITS, FrameType

__all__ = ["RANKS", "SUITS", "FrameType", "OpenDevice", "OpenReader", "PtyReader"]
