"""A recorded shoe, and the camera at its mouth: the live table's drivers once more."""

from contextlib import suppress
from pathlib import Path

from controller.config.cameras import CameraSection
from controller.config.model import ShoeSection
from controller.devices.shoes import (
    MouthNames,
    card_namer,
    coded_mouth,
    naming_camera,
    shoe_mouth_camera,
    shoe_mouth_watcher,
    shoe_reader,
)
from controller.domain import DeviceError
from controller.ports import ReportSink
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.replayed_camera import is_live
from controller.replay.live.replayed_device import ReplayedDevice, clock_of, mark_of
from drivers.replay import ReplayLine, ReplayPictures


class ReplayedShoe(ReplayedDevice):
    """A shoe reader's driver on a recorded line; what it sends is compared."""

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
        clock = clock_of(start)
        self._line = ReplayLine(clock)
        namer = card_namer(section, models) if names is None else None
        self._reader = shoe_reader(
            section, clock, session, post, connect=self._line.connect, namer=namer, camera=names
        )
        self._numbered = section.protocol == "open"
        self._from_start = False
        self._served = False
        super().__init__(self._line, self._reader)

    def order(self, order: str) -> None:
        """Have the driver send a command. Those to an open reader carry a number that each run chooses."""
        self._from_start &= not self._numbered
        with suppress(DeviceError):
            self._reader.order(order)

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        self._served |= recorded.kind != "mark"
        if recorded.kind == "tx":
            return self._spoken(recorded, t)
        if recorded.kind == "mark":
            mark = mark_of(recorded)
            self._from_start |= mark.state == "live" and not mark.again
        return super().take(recorded, t)

    def let_pass(self, mono_ns: int) -> None:
        """Let a moment pass in which no byte comes, on a line that is open and was served before."""
        # The first read of the live driver takes a tenth of a second. A question sent before it would be sent
        # twice where the first bytes are of a reader that is not known yet.
        if self._line.is_open and self._served:
            self._line.receives(mono_ns, b"")

    def _spoken(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Compare what the driver sends; where the recording begins later, it asks questions of its own."""
        sent, expected = self._line.sent, recorded.data
        if len(sent) < len(expected) and not self.receives(recorded.mono_ns, b""):
            return [ReplayDifference(t, "NOT_TAKEN", recorded.source)]
        made = bytes(sent[: len(expected)])
        if not self._from_start or made == expected:
            del sent[: len(expected) if self._from_start else None]
            return []
        sent.clear()
        was, now = ({"bytes": data.hex(" ")} for data in (expected, made))
        return [ReplayDifference(t, "SENT_DIFFERS", recorded.source, recorded=was, made=now)]


def replayed_mouth(
    section: CameraSection,
    models: Path | None,
    start: Recorded,
    session: str,
    post: ReportSink,
    *,
    names: MouthNames | None,
) -> ReplayedDevice:
    """A camera at a shoe's mouth: every recorded picture is read, as the live table has read each of them.

    With `names` it names what a reader counts, and deals nothing by itself. `session` as in `ShoeAdapter`.
    """
    clock = clock_of(start)
    pictures = ReplayPictures(clock, watched=is_live(section.source))
    if names is None:
        watcher = shoe_mouth_watcher(section, models)
        camera = shoe_mouth_camera(section, watcher, clock, session, post, connect=pictures.connect)
    else:
        reader = coded_mouth(section, models)
        camera = naming_camera(section, reader, names, clock, post, connect=pictures.connect)
    return ReplayedDevice(pictures, camera)
