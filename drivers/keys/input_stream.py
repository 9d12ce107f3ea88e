"""An input device of the kernel as a stream of bytes, taken for this program alone.

No key arrives anywhere else: the device is grabbed, so that a press at the table never types into a window.
"""

import errno
import os
import select
from pathlib import Path
from typing import Final, Protocol

from controller.domain.errors import DeviceError
from drivers.keys.key_records import RECORD

READ_S_MAX: Final = 0.1
"""How long `read` waits for a key."""

RECORDS_MAX: Final = 64
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
        """See `ByteStream.read`."""
        handle = self._device.fileno()
        if not select.select([handle], [], [], READ_S_MAX)[0]:
            return b""
        data = os.read(handle, RECORD.size * RECORDS_MAX)
        if not data:
            raise OSError(errno.ENODEV, "the other end has gone")
        return data

    def write(self, data: bytes) -> None:
        """Raise: nothing can be sent to a keypad."""
        raise OSError(errno.EBADF, f"{len(data)} bytes for a keypad")

    def close(self) -> None:
        """See `ByteStream.close`; closing lifts the grab."""
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
