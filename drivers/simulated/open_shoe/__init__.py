"""A simulated reader of the open shoe protocol: bytes (`wire`), memory (`device`) and line (`reader`)."""

from drivers.simulated.open_shoe.device import OpenDevice
from drivers.simulated.open_shoe.reader import OpenReader, PtyReader
from drivers.simulated.open_shoe.wire import RANKS, SUITS, Kind

__all__ = ["RANKS", "SUITS", "Kind", "OpenDevice", "OpenReader", "PtyReader"]
