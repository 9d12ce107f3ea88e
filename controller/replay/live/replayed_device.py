"""A device of a recording: the live table's own driver, opened on a port that says what was recorded."""

import json
from typing import Final, NamedTuple, Protocol

from controller.recording.format import RecordingError
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from drivers.replay import ReplayClock, ReplayDevice


class OpenedDriver(Protocol):
    """A driver as far as a replay uses it by itself."""

    def open(self) -> None:
        """Begin to try to open the device."""
        ...

    def close(self) -> None:
        """End."""
        ...


def clock_of(start: Recorded) -> ReplayClock:
    """A clock that stands at the first thing that was recorded of a device."""
    return ReplayClock(start.mono_ns, start.utc_ns // 1000)


class ReplayedDevice:
    """Gives a driver what was recorded of its device: bytes or pictures, marks of its coming and going."""

    def __init__(self, port: ReplayDevice, driver: OpenedDriver) -> None:
        """Open the driver, which connects by `port`."""
        self.port: Final = port
        self._driver = driver
        driver.open()

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Give the driver a recorded message; returns where it did otherwise than is recorded."""
        if recorded.kind == "mark":
            followed = _apply(self.port, recorded.mono_ns, mark_of(recorded))
        else:
            followed = self.receives(recorded.mono_ns, recorded.data)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def receives(self, mono_ns: int, data: bytes) -> bool:
        """Let bytes or a picture come; a recording may begin with an open device."""
        is_open = self.port.is_open or self.port.opens(mono_ns)
        return is_open and self.port.receives(mono_ns, data)

    def close(self) -> None:
        """Close the driver."""
        self.port.end()
        self._driver.close()


class LifecycleMark(NamedTuple):
    """A change of a device's life; `again` repeats one from before the recording."""

    state: str
    reason: str
    again: bool


def mark_of(recorded: Recorded) -> LifecycleMark:
    """Read a mark. Raises `RecordingError` NOT_A_RECORDING naming its channel for anything else."""
    try:
        fields = json.loads(recorded.data)
        return LifecycleMark(str(fields["state"]), str(fields["reason"]), bool(fields.get("again")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RecordingError("NOT_A_RECORDING", path=f"mark/{recorded.source}") from error


def repeated(mark: LifecycleMark) -> bytes:
    """Write a mark as one that was made before the recording begins."""
    return json.dumps({"state": mark.state, "reason": mark.reason, "again": True}).encode()


def _apply(device: ReplayDevice, mono_ns: int, mark: LifecycleMark) -> bool:
    """Open, break or fail the device as the mark says; other changes the driver makes by itself.

    False when the driver did not follow.
    """
    state = mark.state
    if state in {"live", "stale"} and not device.is_open:
        return device.opens(mono_ns)
    if state == "stale":
        return device.receives(mono_ns, b"")
    if state in {"lost", "fault"} and device.is_open:
        return device.breaks(mono_ns)
    if state in {"absent", "lost"} and not device.is_open and not mark.again:
        return device.fails(mono_ns, mark.reason)
    return True
