"""Small serial devices that send lines of text: keypads, peek devices, discard rack counters.

In: a serial port. Out: `KeyPressed`, `Peeked`, `RackCounted` and what was lost, posted from the device
thread. May import `drivers.line`, and the key events of `drivers.keys`.
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
