"""What a recorder hears from the devices: every byte, picture and key as it came."""

from typing import Literal, Protocol

TapKind = Literal["rx", "tx", "jpeg", "key", "mark"]
"""Bytes from a device · bytes to it · one JPEG picture · one key record · a JSON object about its life."""


class Tap(Protocol):
    """Hears what passes between a device and its driver."""

    def __call__(self, source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        """Take `data` of the device `source`, passed at `mono_ns` of the injected clock.

        Called from the devices' threads: never blocks and never raises. What cannot be kept is counted.
        """
        ...
