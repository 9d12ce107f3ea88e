"""The conversation with an RFID reader, the host's side, sans I/O: set it up, answer it, read what it found.

The reader tells that it takes the connection; then it is set up, step by step (`setup`). What an inventory
has found is reported by its end, so it is whole when the next one begins.
"""

from collections.abc import Mapping
from typing import Final, Literal

from drivers.chips.chip_events import ChipsSeen, ReaderRefused
from drivers.chips.llrp import llrp_messages as llrp
from drivers.chips.llrp.circles import AntennaPlace, PlaceWatch
from drivers.chips.llrp.setup import KEEPALIVE_MS, STEPS

SILENCE_MS: Final = 3 * KEEPALIVE_MS
SUCCESS: Final = 0
GRANTED: Final = frozenset((0, 4))
"""Connection attempts: this one was taken, or another host's was turned away."""

START: Final = 0
DISCONNECTED: Final = 0

RefusedFor = Literal["SETUP", "CONNECTION", "FORM"]
"""Why a connection is no good (see `ReaderRefused`)."""


class LlrpReader:
    """One reader's antennas as events, as `LineProtocol` asks."""

    silence_ms = SILENCE_MS

    def __init__(self, places: Mapping[int, AntennaPlace], values: Mapping[str, int]) -> None:
        """`places` by antenna number; `values` of chips, minor units, by the first digits of their tags."""
        self.messages_received = 0
        self._watches = {antenna: PlaceWatch(place, values) for antenna, place in places.items()}
        self._data = bytearray()
        self._to_send = b""
        self._step = 0
        self._number = 0
        self._found: dict[int, set[str]] | None = None
        self.refused: RefusedFor | None = None

    def connected(self) -> None:
        """See `LineProtocol.connected`; the reader is set up again from the beginning."""
        self._data.clear()
        self._to_send = b""
        self._step = 0
        self._found = None
        self.refused = None
        for watch in self._watches.values():
            watch.connected()

    def feed(self, data: bytes) -> list[ChipsSeen | ReaderRefused]:
        """See `LineProtocol.feed`. After bytes that are no LLRP nothing is read on this connection."""
        if self.refused is not None:
            return []
        self._data += data
        out: list[ChipsSeen | ReaderRefused] = []
        try:
            while (message := llrp.take_message(self._data)) is not None and self.refused is None:
                out += self._take(message)
                self.messages_received += self.refused is None
        except llrp.NoMessage:
            out += self._refuse("FORM")
        return out

    def poll(self, _now_ms: int) -> tuple[list[ChipsSeen | ReaderRefused], bytes]:
        """See `LineProtocol.poll`."""
        data, self._to_send = self._to_send, b""
        return [], data

    def _take(self, message: llrp.LlrpMessage) -> list[ChipsSeen | ReaderRefused]:
        """Do what one message asks for."""
        match message.kind:
            case llrp.KEEPALIVE:
                self._send(llrp.KEEPALIVE_ACK, b"", message.number)
            case llrp.RO_ACCESS_REPORT:
                self._report(message.body)
            case llrp.READER_EVENT_NOTIFICATION:
                return self._event(message.body)
            case llrp.ERROR_MESSAGE:
                return self._refuse("SETUP")
            case kind if self._step and kind == STEPS[self._step - 1][1] and message.number == self._number:
                return self._granted(message.body)
        return []

    def _granted(self, body: bytes) -> list[ChipsSeen | ReaderRefused]:
        """Go on with the next step of the set-up where the last one was granted."""
        status = next((value for kind, value in llrp.parameters(body) if kind == llrp.STATUS), b"")
        if llrp.number_of(status, 0, 2) != SUCCESS:
            return self._refuse("SETUP")
        self._next_step()
        return []

    def _next_step(self) -> None:
        if self._step < len(STEPS):
            kind, _, make = STEPS[self._step]
            self._step += 1
            self._number += 1
            self._send(kind, make(tuple(self._watches)), self._number)

    def _event(self, body: bytes) -> list[ChipsSeen | ReaderRefused]:
        """Take what the reader says of itself: the connection, an inventory's begin, an antenna's state."""
        for kind, data in llrp.parameters(body):
            for event, value in llrp.parameters(data) if kind == llrp.EVENT_DATA else ():
                if event == llrp.CONNECTION_ATTEMPT:
                    return self._connection(llrp.number_of(value, 0, 2))
                if event == llrp.ROSPEC_EVENT and llrp.number_of(value, 0, 1) == START:
                    return self._inventory_begins()
                if event == llrp.ANTENNA_EVENT and llrp.number_of(value, 0, 1) == DISCONNECTED:
                    return self._antenna_lost(llrp.number_of(value, 1, 2))
        return []

    def _connection(self, status: int) -> list[ChipsSeen | ReaderRefused]:
        if status not in GRANTED:
            return self._refuse("CONNECTION")
        if self._step == 0:
            self._next_step()
        return []

    def _inventory_begins(self) -> list[ChipsSeen | ReaderRefused]:
        """Judge the inventory before this one; what came before the first is none."""
        found, self._found = self._found, {antenna: set() for antenna in self._watches}
        if found is None:
            return []
        seen = (watch.look(frozenset(found[antenna])) for antenna, watch in self._watches.items())
        return [one for one in seen if one is not None]

    def _antenna_lost(self, antenna: int) -> list[ChipsSeen | ReaderRefused]:
        watch = self._watches.get(antenna)
        lost = None if watch is None else watch.lost()
        return [ReaderRefused("ANTENNA"), *(() if lost is None else (lost,))] if watch is not None else []

    def _report(self, body: bytes) -> None:
        """Note which tag was found at which antenna."""
        for kind, value in llrp.parameters(body):
            if kind == llrp.TAG_REPORT_DATA:
                tag, antenna = _tag(value)
                if self._found is not None and tag and antenna in self._found:
                    self._found[antenna].add(tag)

    def _refuse(self, code: RefusedFor) -> list[ChipsSeen | ReaderRefused]:
        """Hear nothing more on this connection; the driver opens another one later."""
        self.refused = code
        self._data.clear()
        self._to_send = b""
        return [ReaderRefused(code)]

    def _send(self, kind: int, body: bytes, number: int) -> None:
        self._to_send += llrp.message(kind, number, body)


def _tag(report: bytes) -> tuple[str, int]:
    """The tag's EPC in hexadecimal digits and the antenna that found it; "" and 0 where it is not said."""
    tag, antenna = "", 0
    for kind, value in llrp.parameters(report):
        if kind == llrp.EPC_96:
            tag = value.hex()
        elif kind == llrp.EPC_DATA:
            bits = llrp.number_of(value, 0, 2)
            tag = value[2 : 2 + (bits + 7) // 8].hex()
        elif kind == llrp.ANTENNA_ID:
            antenna = llrp.number_of(value, 0, 2)
    return tag, antenna
