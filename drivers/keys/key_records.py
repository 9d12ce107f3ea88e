"""Records of the kernel's input devices as key events. No I/O."""

import struct
from collections.abc import Mapping
from typing import Final

from drivers.keys.key_events import KeyEvent, KeyPressed, KeysLost

RECORD: Final = struct.Struct("@llHHi")
"""`struct input_event` of linux/input.h: seconds, microseconds, type, code, value. Recordings hold these
bytes."""

EV_SYN: Final = 0
EV_KEY: Final = 1
SYN_DROPPED: Final = 3
DOWN: Final = 1
"""Types, the code of lost records, and the value of a key that goes down (linux/input-event-codes.h)."""

NUMBER_PAD: Final[Mapping[int, str]] = {
    78: "hit",
    74: "stand",
    55: "double",
    98: "split",
    83: "surrender",
    96: "end",
    69: "freeze",
}
"""A plain number pad: + hit, - stand, * double, / split, point surrender, Enter end, Num Lock freeze."""


class KeyRecords:
    """A keypad's records as events, as `LineProtocol` asks."""

    silence_ms = 0
    """Nobody may press a key for hours."""

    def __init__(self, keys: Mapping[int, str]) -> None:
        """`keys` are key codes of linux/input-event-codes.h and what they mean; others are passed over."""
        self._keys = keys
        self.messages_received = 0
        self._part = b""

    def connected(self) -> None:
        """See `LineProtocol.connected`."""
        self._part = b""

    def feed(self, data: bytes) -> list[KeyEvent]:
        """See `LineProtocol.feed`. Releases and the keyboard's own repeats say nothing."""
        data = self._part + data
        whole = len(data) - len(data) % RECORD.size
        self._part = data[whole:]
        self.messages_received += whole // RECORD.size
        events = (self._event(*fields[2:]) for fields in RECORD.iter_unpack(data[:whole]))
        return [event for event in events if event is not None]

    def poll(self, _now_ms: int) -> tuple[list[KeyEvent], bytes]:
        """See `LineProtocol.poll`; a keypad is sent nothing."""
        return [], b""

    def _event(self, kind: int, code: int, value: int) -> KeyEvent | None:
        if (kind, code) == (EV_SYN, SYN_DROPPED):
            return KeysLost()
        if kind == EV_KEY and value == DOWN and code in self._keys:
            return KeyPressed(self._keys[code])
        return None
