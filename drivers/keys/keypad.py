"""A dealer keypad or foot pedal on the device thread."""

from collections.abc import Callable, Mapping

from controller.ports.clock import Clock
from controller.ports.taps import Tap
from drivers.keys.input_stream import InputStream
from drivers.keys.key_events import KeyEvent
from drivers.keys.key_records import KeyRecords
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line import Connect, LineConfig, LineDriver


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
