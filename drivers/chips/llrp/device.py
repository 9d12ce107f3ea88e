"""An RFID reader under the felt on the device thread."""

from collections.abc import Callable, Mapping
from typing import Final

from controller.ports.clock import Clock
from controller.ports.taps import Tap
from drivers.chips.chip_events import ChipsSeen, ReaderRefused
from drivers.chips.llrp.circles import AntennaPlace
from drivers.chips.llrp.rfid_reader import LlrpReader, RefusedFor
from drivers.device_driver import DeviceLost
from drivers.lifecycle import DeviceChanged
from drivers.line import Connect, LineConfig, LineDriver, SerialStream

REASONS: Final[Mapping[RefusedFor, str]] = {
    "SETUP": "SETUP_REFUSED",
    "CONNECTION": "BUSY",
    "FORM": "NOTHING_UNDERSTOOD",
}
"""Why the line was given up, as `DeviceChanged` says it."""


class RfidChips(LineDriver[ChipsSeen | ReaderRefused]):
    """A reader that speaks LLRP over TCP, by convention at port 5084 (`socket://ADDRESS:5084`)."""

    def __init__(
        self,
        config: LineConfig,
        places: Mapping[int, AntennaPlace],
        values: Mapping[str, int],
        post: Callable[[ChipsSeen | ReaderRefused | DeviceChanged, int], None],
        clock: Clock,
        *,
        connect: Connect = SerialStream,
        tap: Tap | None = None,
    ) -> None:
        """See `LlrpReader` for places and values, `LineDriver` for the rest."""
        self._reader = LlrpReader(places, values)
        super().__init__(config, self._reader, post, clock, connect=connect, tap=tap)

    def _serve(self) -> None:
        """As any line; a reader that does not serve this host is tried again later."""
        super()._serve()
        if self._reader.refused:
            raise DeviceLost(REASONS[self._reader.refused])
