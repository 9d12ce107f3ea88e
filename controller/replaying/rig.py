"""The devices of a recording: the live table's own drivers, at the other end of recorded bytes."""

import json
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from pydantic import ValidationError

from controller.config.model import ShoeSection
from controller.main.shoe import shoe_of
from controller.ports import Report
from controller.recording.errors import RecordingError
from controller.recording.reader import Recorded, Recording
from controller.replaying.differences import Difference
from drivers.replay import ReplayClock, ReplayDevice, ReplayLine

SESSION: Final = "replay"
PLAYED: Final = {"rx", "tx", "mark", "jpeg"}

Post = Callable[[Report], None]


class Device(Protocol):
    """A driver that is given what was recorded of its device."""

    def take(self, recorded: Recorded, t: float) -> list[Difference]:
        """Let it happen; tells where the driver did otherwise."""
        ...

    def close(self) -> None:
        """Let the driver end."""
        ...


class ShoeDevice:
    """A shoe reader's driver on a recorded line."""

    def __init__(self, section: ShoeSection, start: Recorded, post: Post) -> None:
        """Begin at the first thing that was recorded of it."""
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._line = ReplayLine(clock)
        self._driver = shoe_of(section, clock, SESSION, post, connect=self._line.connect)
        self._from_start = False
        self._driver.open()

    def take(self, recorded: Recorded, t: float) -> list[Difference]:
        """See `Device.take`."""
        if recorded.kind == "tx":
            return self._spoken(recorded, t)
        if recorded.kind == "mark":
            mark = json.loads(recorded.data)
            self._from_start |= mark["state"] == "live" and not mark.get("again")
            followed = live_on(self._line, recorded.mono_ns, mark)
        else:
            followed = self._hears(recorded.mono_ns, recorded.data)
        return [] if followed else [Difference(t, "NOT_TAKEN", recorded.source)]

    def close(self) -> None:
        """See `Device.close`."""
        self._line.end()
        self._driver.close()

    def _spoken(self, recorded: Recorded, t: float) -> list[Difference]:
        """Compare what the driver sends; where the recording begins later, it asks questions of its own."""
        sent, expected = self._line.sent, recorded.data
        if len(sent) < len(expected) and not self._hears(recorded.mono_ns, b""):
            return [Difference(t, "NOT_TAKEN", recorded.source)]
        made = bytes(sent[: len(expected)])
        if not self._from_start or made == expected:
            del sent[: len(expected) if self._from_start else None]
            return []
        sent.clear()
        was, now = ({"bytes": data.hex(" ")} for data in (expected, made))
        return [Difference(t, "SENT_DIFFERS", recorded.source, recorded=was, made=now)]

    def _hears(self, mono_ns: int, data: bytes) -> bool:
        """A recording may begin with an open line."""
        is_open = self._line.is_open or self._line.opens(mono_ns)
        return is_open and self._line.hears(mono_ns, data)


def live_on(device: ReplayDevice, mono_ns: int, mark: Mapping[str, object]) -> bool:
    """Let happen what a mark of a device's life says came from outside; the rest the driver finds itself."""
    state, again = mark["state"], bool(mark.get("again"))
    if state in {"live", "stale"} and not device.is_open:
        return device.opens(mono_ns)
    if state == "stale":
        return device.hears(mono_ns, b"")
    if state in {"lost", "fault"} and device.is_open:
        return device.breaks(mono_ns)
    if state in {"absent", "lost"} and not device.is_open and not again:
        return device.fails(mono_ns, str(mark["reason"]))
    return True


class Rig:
    """Builds each device at its first message; others than shoes are not played again."""

    def __init__(self, recording: Recording, post: Post, shoe: ShoeSection | None) -> None:
        """`shoe` replaces the settings that were recorded."""
        self._recording = recording
        self._post = post
        self._shoe = shoe
        self._devices: dict[str, Device] = {}

    def names(self) -> list[str]:
        """Name the devices that can be played again, as far as the recording has named any."""
        kinds = self._recording.settings.items()
        return sorted({source for (_, source), settings in kinds if settings.get("device") == "shoe"})

    def take(self, recorded: Recorded, t: float) -> list[Difference]:
        """Pass a message to its driver."""
        if recorded.kind in PLAYED and recorded.source in self.names():
            return self._device(recorded).take(recorded, t)
        return []

    def close(self) -> None:
        """Let all drivers end."""
        for device in self._devices.values():
            device.close()

    def _device(self, recorded: Recorded) -> Device:
        known = self._devices.get(recorded.source)
        if known is None:
            section = self._section(recorded.source)
            known = self._devices[recorded.source] = ShoeDevice(section, recorded, self._post)
        return known

    def _section(self, name: str) -> ShoeSection:
        """Read the shoe's settings from its channels. Raises `RecordingError` RECORDING_SETTINGS."""
        if self._shoe is not None:
            return self._shoe.model_copy(update={"name": name})
        found = next(settings for (_, source), settings in self._recording.settings.items() if source == name)
        try:
            known = {key: value for key, value in found.items() if key in ShoeSection.model_fields}
            return ShoeSection.model_validate({"port": "recording", **known, "name": name})
        except ValidationError as error:
            path = str(self._recording.path)
            raise RecordingError("RECORDING_SETTINGS", path=path, name=name) from error
