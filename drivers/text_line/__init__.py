"""Small serial devices that send lines of text: keypads, peek devices, discard rack counters, chip pads.

In: lines of text. Out: `KeyPressed`, `Peeked`, `RackCounted`, `ChipsSeen` and what was lost: `TextLines` is
the language that a `LineDriver` runs. May import the events of `drivers.keys` and `drivers.chips`.
"""

from drivers.text_line.text_events import (
    LineRefused,
    LinesLost,
    Peeked,
    RackCounted,
    TextEvent,
    to_observations,
)
from drivers.text_line.text_protocol import TextLines

__all__ = [
    "LineRefused",
    "LinesLost",
    "Peeked",
    "RackCounted",
    "TextEvent",
    "TextLines",
    "to_observations",
]
