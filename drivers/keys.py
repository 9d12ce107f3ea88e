"""Dealer keypads and foot pedals: input devices of the kernel.

In: an input device, and what its keys mean. Out: `KeyPressed` and `KeysLost`, posted from the device thread.
The device is grabbed: a press at the table never types into a window. May import `drivers.line`; it alone
knows evdev. Keypads on a serial line are in `drivers.text_line`.
"""

import errno
import os
import select
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from controller.domain import DeviceError
from controller.ports import Clock, Tap
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line import Connect, LineConfig, LineDriver


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down; `word` is what the table's configuration calls it (`hit`, `stand`, ...)."""

    word: str


@dataclass(frozen=True, slots=True)
class KeysLost:
    """The kernel dropped presses because nobody read them in time."""


KeyEvent = KeyPressed | KeysLost


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
        """Start on a new connection."""
        self._part = b""

    def feed(self, data: bytes, _now_ms: int = 0) -> list[KeyEvent]:
        """Take received bytes. Releases and the keyboard's own repeats report nothing."""
        data = self._part + data
        whole = len(data) - len(data) % RECORD.size
        self._part = data[whole:]
        self.messages_received += whole // RECORD.size
        events = (self._event(*fields[2:]) for fields in RECORD.iter_unpack(data[:whole]))
        return [event for event in events if event is not None]

    def poll(self, _now_ms: int) -> tuple[list[KeyEvent], bytes]:
        """Report nothing: time means nothing to a keypad, and it is sent nothing."""
        return [], b""

    def _event(self, kind: int, code: int, value: int) -> KeyEvent | None:
        if (kind, code) == (EV_SYN, SYN_DROPPED):
            return KeysLost()
        if kind == EV_KEY and value == DOWN and code in self._keys:
            return KeyPressed(self._keys[code])
        return None


READ_S_MAX: Final = 0.1
"""How long `read` waits for a key."""

_RECORDS_MAX: Final = 64
"""Records read at once: more than a hand can press in `READ_S_MAX`."""

_REASONS: Final = {
    errno.ENOENT: "NOT_THERE",
    errno.ENODEV: "NOT_THERE",
    errno.EBUSY: "BUSY",
    errno.EACCES: "NO_PERMISSION",
    errno.ENOTTY: "NO_INPUT_DEVICE",
    errno.EINVAL: "NO_INPUT_DEVICE",
}


class _Opened(Protocol):
    """The part of an open device that is needed here."""

    def fileno(self) -> int: ...

    def close(self) -> None: ...


class InputStream:
    """An input device as a `ByteStream`; a FIFO stands in for one."""

    def __init__(self, port: str, _baud: int = 0) -> None:
        """Open and grab.

        Raises `DeviceError` DEVICE_OPEN_FAILED with the port and a `reason`: NOT_THERE, BUSY (grabbed by
        another program), NO_PERMISSION, NO_INPUT_DEVICE, NO_EVDEV (this machine lacks the package), IO_ERROR.
        """
        try:
            self._device = _fifo(port) if Path(port).is_fifo() else _grabbed(port)
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, "IO_ERROR")
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=reason) from error
        except ImportError as error:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="NO_EVDEV") from error

    def read(self) -> bytes:
        """Wait a short while (about 0.1 s) for bytes and return all that came."""
        handle = self._device.fileno()
        if not select.select([handle], [], [], READ_S_MAX)[0]:
            return b""
        data = os.read(handle, RECORD.size * _RECORDS_MAX)
        if not data:
            raise OSError(errno.ENODEV, "the other end has gone")
        return data

    def write(self, data: bytes) -> None:
        """Raise: nothing can be sent to a keypad."""
        raise OSError(errno.EBADF, f"{len(data)} bytes for a keypad")

    def close(self) -> None:
        """Give the keypad back; closing lifts the grab."""
        self._device.close()


def _grabbed(port: str) -> _Opened:
    """Open an input device for reading and keep its keys from everybody else."""
    # Only here: where evdev has no wheel for a machine, a table without keypads needs no compiler.
    import evdev  # noqa: PLC0415

    device = evdev.InputDevice(port, readonly=True)
    try:
        device.grab()
    except OSError:
        device.close()
        raise
    return device


def _fifo(port: str) -> _Opened:
    """Open a FIFO, the stand-in for an input device, without waiting for its other end."""
    return os.fdopen(os.open(port, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)


class Keypad(LineDriver[KeyEvent]):
    """A keypad or pedal. Give its stable name, `/dev/input/by-id/...-event-kbd`, as the port."""

    received_as = "key"

    def __init__(
        self,
        name: str,
        port: str,
        keys: Mapping[int, str],
        post: Callable[[KeyEvent | DeviceChanged, int], None],
        clock: Clock,
        *,
        life: LifePolicy | None = None,
        connect: Connect = InputStream,
        tap: Tap | None = None,
    ) -> None:
        """`keys` as for `KeyRecords`; the rest as for `LineDriver`."""
        config = LineConfig(name, port, 0, life or LifePolicy(), "keys")
        super().__init__(config, KeyRecords(keys), post, clock, connect=connect, tap=tap)
