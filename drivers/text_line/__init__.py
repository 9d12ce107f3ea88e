"""Small devices that send lines of text, over a serial port or a socket: keypads, peek devices, chip sources.

In: lines of text. Out: `KeyPressed`, `Peeked`, `ChipsSeen` and what was lost: `TextLines` is
the language that a `LineDriver` runs. May import the events of `drivers.keys`.
"""

from drivers.text_line.text_events import (
    ChipsSeen,
    LineRefused,
    LinesLost,
    Peeked,
    TextEvent,
    to_observations,
)
from drivers.text_line.text_protocol import TextLines

__all__ = [
    "ChipsSeen",
    "LineRefused",
    "LinesLost",
    "Peeked",
    "TextEvent",
    "TextLines",
    "to_observations",
]
