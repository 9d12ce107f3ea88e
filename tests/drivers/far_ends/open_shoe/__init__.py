"""A simulated reader of the open shoe protocol: bytes (`wire`), memory (`device`) and line (`reader`)."""

from tests.drivers.far_ends.open_shoe.device import OpenDevice
from tests.drivers.far_ends.open_shoe.reader import OpenReader, PtyReader
from tests.drivers.far_ends.open_shoe.wire import RANKS, SUITS, FrameType

__all__ = ["RANKS", "SUITS", "FrameType", "OpenDevice", "OpenReader", "PtyReader"]
