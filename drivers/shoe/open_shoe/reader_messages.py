"""Open shoe protocol messages about the reader itself, as events."""

from typing import Final

from drivers.shoe.open_shoe import frames
from drivers.shoe.open_shoe.frames import LAYOUTS, FramedMessage
from drivers.shoe.shoe_events import (
    DoubleFeed,
    LidChanged,
    NotUnderstood,
    PassageMeasured,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    StatusChanged,
)

STATUS: Final = ("CARD_IN_MOUTH", "LID_OPEN", "BRAKE", "LIGHT", "HOT", "LOCKED", "FAULT", "RING_HALF_FULL")
"""Bit 0 first."""

ABILITIES: Final = (
    "SENDS_CROPS",
    "LOCK",
    "BRAKE",
    "LID",
    "SUITS",
    "TEMPERATURE",
    "COUNTS_ONLY",
    "DEFAULTS",
    "NO_THICKNESS",
    "SETTINGS",
)
"""Bit 0 first."""

ERRORS: Final = {
    1: "NO_READ",
    2: "OVERDRAW",
    3: "WRONG_BUTTON",
    4: "REVERSE_AT_EXIT",
    5: "REVERSE_MIDWAY",
    6: "CARD_CODE",
    7: "DRAW_TIME_OUT",
    8: "LIGHT",
    9: "HOT",
    10: "CAMERA",
    11: "SENSOR",
    12: "THICKNESS",
}
"""Numbers of ERROR and CLEARED, as `ShoeError.code` says them."""


def words(bits: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Name the bits that are set; unknown ones are passed over."""
    return tuple(name for place, name in enumerate(names) if bits >> place & 1)


def status_words(heartbeat: FramedMessage) -> tuple[str, ...]:
    """Name what a heartbeat says of the reader's state."""
    return words(LAYOUTS[frames.HEARTBEAT].unpack(heartbeat.payload)[0], STATUS)


def identified(hello: FramedMessage) -> ShoeIdentified:
    """Say who it is that has started."""
    serial, firmware, bits, _ = LAYOUTS[frames.HELLO].unpack(hello.payload)
    name = serial.rstrip(b"\0").decode("ascii", "replace")
    return ShoeIdentified(name, firmware.hex(), words(bits, ABILITIES))


def about_reader(message: FramedMessage) -> list[ShoeEvent]:
    """Say what a message tells of the reader; a type that nobody knows is `NotUnderstood`."""
    layout = LAYOUTS.get(message.kind)
    fields = layout.unpack(message.payload) if layout else ()
    match message.kind:
        case frames.HEARTBEAT:
            return [StatusChanged(status_words(message))]
        case frames.DOUBLE_FEED:
            return [DoubleFeed()]
        case frames.MEASURED:
            return [PassageMeasured(fields[0], (fields[1] / 10, fields[2] / 10, fields[3] / 10), fields[4])]
        case frames.LID:
            return [LidChanged(bool(fields[0]))]
        case frames.ERROR:
            return [ShoeError(fields[0], ERRORS.get(fields[0], "UNKNOWN"), bool(fields[1]))]
        case frames.CLEARED:
            return [ShoeErrorCleared(fields[0], ERRORS.get(fields[0], "UNKNOWN"))]
    return [NotUnderstood(bytes((message.kind,)) + message.payload)]
