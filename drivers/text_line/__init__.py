"""Small serial devices that send lines of text: keypads, peek devices, discard rack counters, chip pads.

In: a serial port. Out: `KeyPressed`, `Peeked`, `RackCounted`, `ChipsSeen` and what was lost, posted from the
device thread. May import `drivers.line`, and the events of `drivers.keys` and `drivers.chips`.
"""

from drivers.text_line.device import TextDevice, to_observations
from drivers.text_line.events import LineRefused, LinesLost, Peeked, RackCounted, TextEvent
from drivers.text_line.protocol import TextLines

__all__ = [
    "LineRefused",
    "LinesLost",
    "Peeked",
    "RackCounted",
    "TextDevice",
    "TextEvent",
    "TextLines",
    "to_observations",
]
