"""Marks in a recording: what happened to a device, given to the driver that is played again."""

import json
from typing import NamedTuple

from controller.recording.format import RecordingError
from controller.recording.recording_reader import Recorded
from drivers.replay import ReplayDevice


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


def apply_mark(device: ReplayDevice, mono_ns: int, mark: LifecycleMark) -> bool:
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
