"""What the host asks of an RFID reader before it reads: four requests, one after the other was granted."""

import struct
from collections.abc import Callable
from typing import Final

from drivers.chips.llrp import llrp_messages as llrp

KEEPALIVE_MS: Final = 1000
"""A reader gives a sign of life every second."""

PERIOD_MS: Final = 250
FIELD_MS: Final = 200
"""The field of an inventory is on for so long, over all antennas; the rest is for the report."""

SPEC: Final = 17
"""The number of the one inventory specification; the host chooses it."""

ROSPEC_EVENTS: Final = 2
ANTENNA_EVENTS: Final = 8

EPC_CLASS_1: Final = 1
IMMEDIATELY_PERIODIC: Final = 2
FOR_DURATION: Final = 1
AT_END_OF_ROSPEC: Final = 2
WITH_ANTENNA: Final = 1 << 12
"""The one bit of the report's contents that is asked for besides the tag."""


def _configuration(_antennas: tuple[int, ...]) -> bytes:
    """Signs of life, and events for inventories and antennas; nothing else of the reader is changed."""
    states = (llrp.parameter(llrp.EVENT_STATE, struct.pack(">HB", event, 0x80)) for event in EVENTS)
    keepalive = struct.pack(">BI", 1, KEEPALIVE_MS)
    return (
        b"\0"
        + llrp.parameter(llrp.EVENT_SPEC, b"".join(states))
        + llrp.parameter(llrp.KEEPALIVE_SPEC, keepalive)
    )


EVENTS: Final = (ROSPEC_EVENTS, ANTENNA_EVENTS)


def _no_specification(_antennas: tuple[int, ...]) -> bytes:
    """Forget every inventory that somebody else has set up."""
    return struct.pack(">I", 0)


def _specification(antennas: tuple[int, ...]) -> bytes:
    """One inventory over these antennas, again and again, reported by its end."""
    start = llrp.parameter(
        llrp.START_TRIGGER,
        bytes((IMMEDIATELY_PERIODIC,))
        + llrp.parameter(llrp.PERIODIC_TRIGGER, struct.pack(">II", 0, PERIOD_MS)),
    )
    stop = llrp.parameter(llrp.STOP_TRIGGER, struct.pack(">BI", 0, 0))
    inventory = (
        struct.pack(f">H{len(antennas)}H", len(antennas), *antennas)
        + llrp.parameter(llrp.ANTENNA_STOP, struct.pack(">BI", FOR_DURATION, FIELD_MS))
        + llrp.parameter(llrp.INVENTORY_PARAMETERS, struct.pack(">HB", 1, EPC_CLASS_1))
    )
    content = llrp.parameter(llrp.REPORT_CONTENT, struct.pack(">H", WITH_ANTENNA))
    report = struct.pack(">BH", AT_END_OF_ROSPEC, 0) + content
    return llrp.parameter(
        llrp.ROSPEC,
        struct.pack(">IBB", SPEC, 0, 0)
        + llrp.parameter(llrp.BOUNDARY, start + stop)
        + llrp.parameter(llrp.ANTENNA_INVENTORY, inventory)
        + llrp.parameter(llrp.REPORT_SPEC, report),
    )


def _start(_antennas: tuple[int, ...]) -> bytes:
    return struct.pack(">I", SPEC)


STEPS: Final[tuple[tuple[int, int, Callable[[tuple[int, ...]], bytes]], ...]] = (
    (llrp.SET_READER_CONFIG, llrp.SET_READER_CONFIG_RESPONSE, _configuration),
    (llrp.DELETE_ROSPEC, llrp.DELETE_ROSPEC_RESPONSE, _no_specification),
    (llrp.ADD_ROSPEC, llrp.ADD_ROSPEC_RESPONSE, _specification),
    (llrp.ENABLE_ROSPEC, llrp.ENABLE_ROSPEC_RESPONSE, _start),
)
"""What is asked, how the reader answers, and the body of the question, in order."""
