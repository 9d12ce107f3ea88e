"""A dealer keypad or foot pedal: key presses from an input device of the kernel, taken for itself alone.

What others call: `Keypad(config, keys, post, clock)` with `open()`, `close()`, `health()`;
`post(event, mono_ns)` is called from its thread with `KeyPressed`, `KeysLost` and `DeviceChanged`.

No key arrives anywhere else: the device is grabbed, so that a press at the table never types into a window.
"""

import errno
import fcntl
import os
import select
import stat
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.domain.errors import DeviceError
from controller.ports.clock import Clock
from controller.ports.taps import Tap
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line_driver import Connect, LineConfig, LineDriver

RECORD: Final = struct.Struct("@llHHi")
"""`struct input_event` of linux/input.h: seconds, microseconds, type, code, value."""

GRAB: Final = 0x40044590
"""EVIOCGRAB of linux/input.h."""

READ_S_MAX: Final = 0.1
_SYNC: Final = 0
_DROPPED: Final = 3
_KEY: Final = 1
_DOWN: Final = 1

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


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down; `word` is what the table's configuration calls it."""

    word: str


@dataclass(frozen=True, slots=True)
class KeysLost:
    """The kernel dropped presses because nobody read them in time."""


KeyEvent = KeyPressed | KeysLost


class EvdevKeys:
    """Records of the kernel to events; the device may be silent for hours."""

    silence_ms = 0

    def __init__(self, keys: Mapping[int, str]) -> None:
        """`keys` are key codes of linux/input-event-codes.h and what they mean; others are passed over."""
        self._keys = keys
        self._part = b""

    def connected(self) -> None:
        """See `LineProtocol.connected`."""
        self._part = b""

    def feed(self, data: bytes) -> list[KeyEvent]:
        """See `LineProtocol.feed`. Releases and the keyboard's own repeats say nothing."""
        data = self._part + data
        whole = len(data) - len(data) % RECORD.size
        self._part = data[whole:]
        events = (self._event(*fields[2:]) for fields in RECORD.iter_unpack(data[:whole]))
        return [event for event in events if event is not None]

    def poll(self, _now_ms: int) -> tuple[list[KeyEvent], bytes]:
        """See `LineProtocol.poll`; a keypad is told nothing."""
        return [], b""

    def _event(self, kind: int, code: int, value: int) -> KeyEvent | None:
        if (kind, code) == (_SYNC, _DROPPED):
            return KeysLost()
        if kind == _KEY and value == _DOWN and code in self._keys:
            return KeyPressed(self._keys[code])
        return None


class InputStream:
    """An input device as a `ByteStream`, grabbed for this program alone; a FIFO stands in for one."""

    def __init__(self, port: str, _baud: int = 0) -> None:
        """Open and grab; raises `DeviceError` DEVICE_OPEN_FAILED with the port and a `reason`."""
        try:
            self._handle = os.open(port, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise _failed(port, error) from error
        try:
            if not stat.S_ISFIFO(os.fstat(self._handle).st_mode):
                fcntl.ioctl(self._handle, GRAB, 1)
        except OSError as error:
            self.close()
            raise _failed(port, error) from error

    def read(self) -> bytes:
        """See `ByteStream.read`."""
        if not select.select([self._handle], [], [], READ_S_MAX)[0]:
            return b""
        data = os.read(self._handle, RECORD.size * 64)
        if not data:
            raise OSError(errno.ENODEV, "the other end has gone")
        return data

    def write(self, data: bytes) -> None:
        """Raise: nothing can be sent to a keypad."""
        raise OSError(errno.EBADF, f"{len(data)} bytes for a keypad")

    def close(self) -> None:
        """See `ByteStream.close`; closing lifts the grab."""
        handle, self._handle = self._handle, -1
        with suppress(OSError):
            os.close(handle)


class Keypad(LineDriver[KeyEvent]):
    """A keypad or pedal. Give its stable name, `/dev/input/by-id/...-event-kbd`, as the port."""

    heard_as = "key"

    def __init__(
        self,
        name: str,
        port: str,
        keys: Mapping[int, str],
        post: Callable[[KeyEvent | DeviceChanged, int], None],
        clock: Clock,
        *,
        life: LifePolicy | None = None,
        connect: Connect | None = None,
        tap: Tap | None = None,
    ) -> None:
        config = LineConfig(name, port, 0, life or LifePolicy(), "keys")
        super().__init__(config, EvdevKeys(keys), post, clock, connect=connect or InputStream, tap=tap)


class SimulatedKeypad:
    """A keypad behind a FIFO: presses arrive as the same records that the kernel writes."""

    def __init__(self, port: Path) -> None:
        """Make the FIFO at `port`."""
        os.mkfifo(port)
        self._port = port
        self._handle = os.open(port, os.O_RDWR)

    def press(self, code: int) -> None:
        """Press and release a key."""
        for value in (_DOWN, 0):
            self._write(_KEY, code, value)
            self._write(_SYNC, 0, 0)

    def drop(self) -> None:
        """Say that the kernel lost presses."""
        self._write(_SYNC, _DROPPED, 0)

    def unplug(self) -> None:
        """Take the keypad away."""
        self._port.unlink()
        os.close(self._handle)

    def _write(self, kind: int, code: int, value: int) -> None:
        os.write(self._handle, RECORD.pack(0, 0, kind, code, value))


def _failed(port: str, error: OSError) -> DeviceError:
    reasons = {errno.ENOENT: "NOT_THERE", errno.ENODEV: "NOT_THERE", errno.EBUSY: "BUSY"}
    reasons |= {
        errno.EACCES: "NO_PERMISSION",
        errno.ENOTTY: "NO_INPUT_DEVICE",
        errno.EINVAL: "NO_INPUT_DEVICE",
    }
    reason = reasons.get(error.errno or 0, "IO_ERROR")
    return DeviceError("DEVICE_OPEN_FAILED", port=port, reason=reason)
