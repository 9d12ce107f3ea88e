"""What the table asks of the world outside: clocks, byte streams, devices. Protocols only, no device code."""

from controller.ports.clock import Clock, SystemClock
from controller.ports.frame_source import Frame, FrameSource
from controller.ports.past_pictures import NO_PAST, PastPicture, PastPictures
from controller.ports.sources import (
    DeviceState,
    Health,
    ObservationSource,
    Orderable,
    OrderAnswer,
    Presence,
    Report,
    ReportSink,
    Trouble,
    presence_of,
)
from controller.ports.streams import ByteStream
from controller.ports.taps import Tap, TapKind

__all__ = [
    "NO_PAST",
    "ByteStream",
    "Clock",
    "DeviceState",
    "Frame",
    "FrameSource",
    "Health",
    "ObservationSource",
    "OrderAnswer",
    "Orderable",
    "PastPicture",
    "PastPictures",
    "Presence",
    "Report",
    "ReportSink",
    "SystemClock",
    "Tap",
    "TapKind",
    "Trouble",
    "presence_of",
]
