"""A recorded shoe: its bytes through the live table's driver once more; what the driver sends is compared."""

from contextlib import suppress
from pathlib import Path

from controller.config.model import ShoeSection
from controller.devices.shoes.mouth_names import MouthNames
from controller.devices.shoes.shoe_reader import card_namer, shoe_reader
from controller.domain.errors import DeviceError
from controller.ports import ReportSink
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.lifecycle_marks import apply_mark, mark_of
from drivers.replay import ReplayClock, ReplayLine


class ReplayedShoe:
    """A shoe reader's driver on a recorded line."""

    def __init__(
        self,
        section: ShoeSection,
        models: Path | None,
        start: Recorded,
        session: str,
        post: ReportSink,
        *,
        names: MouthNames | None = None,
    ) -> None:
        """Begin at the first thing that was recorded of it; `session` as in `ShoeAdapter`.

        `models` is the folder of the model that names the pictures of an open reader; `names` are those that
        the camera at its mouth has read, where it only counts.
        """
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._line = ReplayLine(clock)
        namer = card_namer(section, models) if names is None else None
        self._driver = shoe_reader(
            section, clock, session, post, connect=self._line.connect, namer=namer, camera=names
        )
        self._numbered = section.protocol == "open"
        self._from_start = False
        self._served = False
        self._driver.open()

    def order(self, order: str) -> None:
        """Have the driver send a command. Those to an open reader carry a number that each run chooses."""
        self._from_start &= not self._numbered
        with suppress(DeviceError):
            self._driver.order(order)

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        self._served |= recorded.kind != "mark"
        if recorded.kind == "tx":
            return self._spoken(recorded, t)
        if recorded.kind == "mark":
            mark = mark_of(recorded)
            self._from_start |= mark.state == "live" and not mark.again
            followed = apply_mark(self._line, recorded.mono_ns, mark)
        else:
            followed = self._receives(recorded.mono_ns, recorded.data)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def let_pass(self, mono_ns: int) -> None:
        """Let a moment pass in which no byte comes, on a line that is open and was served before."""
        # The first read of the live driver takes a tenth of a second. A question sent before it would be sent
        # twice where the first bytes are of a reader that is not known yet.
        if self._line.is_open and self._served:
            self._line.receives(mono_ns, b"")

    def close(self) -> None:
        """See `ReplayedDevice.close`."""
        self._line.end()
        self._driver.close()

    def _spoken(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Compare what the driver sends; where the recording begins later, it asks questions of its own."""
        sent, expected = self._line.sent, recorded.data
        if len(sent) < len(expected) and not self._receives(recorded.mono_ns, b""):
            return [ReplayDifference(t, "NOT_TAKEN", recorded.source)]
        made = bytes(sent[: len(expected)])
        if not self._from_start or made == expected:
            del sent[: len(expected) if self._from_start else None]
            return []
        sent.clear()
        was, now = ({"bytes": data.hex(" ")} for data in (expected, made))
        return [ReplayDifference(t, "SENT_DIFFERS", recorded.source, recorded=was, made=now)]

    def _receives(self, mono_ns: int, data: bytes) -> bool:
        """A recording may begin with an open line."""
        is_open = self._line.is_open or self._line.opens(mono_ns)
        return is_open and self._line.receives(mono_ns, data)
