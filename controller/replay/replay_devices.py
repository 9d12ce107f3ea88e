"""The devices of a recording: the live table's own drivers, at the other end of recorded bytes."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from pydantic import ValidationError

from controller.config.model import ShoeSection, TableConfig
from controller.domain.errors import DeviceError
from controller.main.cameras import layout_of
from controller.main.devices import open_reader
from controller.main.shoe import namer_of, shoe_of
from controller.ports import Report
from controller.recording.errors import RecordingError
from controller.recording.reader import Recorded, Recording
from controller.replay.differences import ReplayDifference
from controller.replay.lifecycle_marks import apply_mark, mark_of
from controller.replay.replay_camera import ReplayedCamera
from controller.replay.replay_shoe_mouth import ReplayedShoeMouth
from controller.runtime.api import NameCard
from controller.runtime.fusion import Look
from drivers.replay import ReplayClock, ReplayLine

SESSION: Final = "replay"
PLAYED: Final = {"rx", "tx", "mark", "jpeg"}

Post = Callable[[Report], None]


class ReplayedDevice(Protocol):
    """A driver that is given what was recorded of its device."""

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Let it happen; tells where the driver did otherwise."""
        ...

    def close(self) -> None:
        """Let the driver end."""
        ...


class ReplayedShoe:
    """A shoe reader's driver on a recorded line."""

    def __init__(self, section: ShoeSection, models: Path | None, start: Recorded, post: Post) -> None:
        """Begin at the first thing that was recorded of it. `models` name the pictures of an open reader."""
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._line = ReplayLine(clock)
        namer = namer_of(section, models)
        self._driver = shoe_of(section, clock, SESSION, post, connect=self._line.connect, namer=namer)
        self._numbered = section.protocol == "open"
        self._from_start = False
        self._driver.open()

    def order(self, order: str) -> None:
        """Have the driver send a command. Those to an open reader carry a number that each run chooses."""
        self._from_start &= not self._numbered
        with suppress(DeviceError):
            self._driver.order(order)

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        if recorded.kind == "tx":
            return self._spoken(recorded, t)
        if recorded.kind == "mark":
            mark = mark_of(recorded)
            self._from_start |= mark.state == "live" and not mark.again
            followed = apply_mark(self._line, recorded.mono_ns, mark)
        else:
            followed = self._hears(recorded.mono_ns, recorded.data)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def close(self) -> None:
        """See `ReplayedDevice.close`."""
        self._line.end()
        self._driver.close()

    def _spoken(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Compare what the driver sends; where the recording begins later, it asks questions of its own."""
        sent, expected = self._line.sent, recorded.data
        if len(sent) < len(expected) and not self._hears(recorded.mono_ns, b""):
            return [ReplayDifference(t, "NOT_TAKEN", recorded.source)]
        made = bytes(sent[: len(expected)])
        if not self._from_start or made == expected:
            del sent[: len(expected) if self._from_start else None]
            return []
        sent.clear()
        was, now = ({"bytes": data.hex(" ")} for data in (expected, made))
        return [ReplayDifference(t, "SENT_DIFFERS", recorded.source, recorded=was, made=now)]

    def _hears(self, mono_ns: int, data: bytes) -> bool:
        """A recording may begin with an open line."""
        is_open = self._line.is_open or self._line.opens(mono_ns)
        return is_open and self._line.hears(mono_ns, data)


class ReplayDevices:
    """Builds each device at its first message; others than shoes and cameras are not played again."""

    def __init__(
        self,
        recording: Recording,
        config: TableConfig | None,
        post: Callable[[Report], None],
        look: Callable[[Look], None],
    ) -> None:
        """`config` replaces the settings that were recorded."""
        self._recording = recording
        self._given = config
        self.config: Final = config or recorded_config(recording)
        self._post, self._look = post, look
        self._devices: dict[str, ReplayedDevice] = {}

    def shoes(self) -> set[str]:
        """Name what has seen the cards that were dealt: shoes, or a camera at a shoe's mouth."""
        mouth = None if self.config is None else self.config.mouth
        return self._of("shoe") | (self._of("camera") & ({mouth.name} if mouth is not None else set()))

    def cameras(self) -> set[str]:
        """Name the cameras of which it is known where they see what."""
        known = () if self.config is None else self.config.eyes
        return self._of("camera") & {section.name for section in known}

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Pass a message to its driver."""
        if recorded.kind in PLAYED and recorded.source in self.shoes() | self.cameras():
            return self._device(recorded).take(recorded, t)
        return []

    def order(self, name: str, order: str) -> None:
        """Give a device the order that the pit gave it."""
        device = self._devices.get(name)
        if isinstance(device, ReplayedShoe):
            device.order(order)

    def name_card(self, action: NameCard, who: str) -> None:
        """Tell a camera which card lies there, as a person told it."""
        device = self._devices.get(action.camera)
        if isinstance(device, ReplayedCamera):
            device.name_card(action, who)

    def close(self) -> None:
        """Let all drivers end."""
        for device in self._devices.values():
            device.close()

    def _of(self, device: str) -> set[str]:
        kinds = self._recording.settings.items()
        return {source for (_, source), settings in kinds if settings.get("device") == device}

    def _device(self, recorded: Recorded) -> ReplayedDevice:
        name = recorded.source
        if name not in self._devices:
            self._devices[name] = self._made(recorded)
        return self._devices[name]

    def _made(self, start: Recorded) -> ReplayedDevice:
        if start.source not in self.shoes():
            return self._camera(start)
        mouth = None if self.config is None else self.config.mouth
        if mouth is not None and mouth.name == start.source:
            return ReplayedShoeMouth(mouth, self._models(), start, SESSION, self._post)
        return self._shoe(start)

    def _camera(self, start: Recorded) -> ReplayedDevice:
        assert self.config is not None, "a camera is known by its section"
        section = next(section for section in self.config.eyes if section.name == start.source)
        sight = open_reader(self._models(), layout_of(section))
        return ReplayedCamera(section, sight, start, self._post, self._look)

    def _shoe(self, start: Recorded) -> ReplayedDevice:
        """Read the shoe's settings from its channels. Raises `RecordingError` RECORDING_SETTINGS."""
        name = start.source
        if self._given is not None and self._given.shoe is not None:
            given = self._given.shoe.model_copy(update={"name": name})
            return ReplayedShoe(given, self._models(), start, self._post)
        every = self._recording.settings.items()
        found = next(settings for (_, source), settings in every if source == name)
        known = {key: value for key, value in found.items() if key in ShoeSection.model_fields}
        try:
            section = ShoeSection.model_validate({"port": "recording", **known, "name": name})
        except ValidationError as error:
            path = str(self._recording.path)
            raise RecordingError("RECORDING_SETTINGS", path=path, name=name) from error
        return ReplayedShoe(section, self._models(), start, self._post)

    def _models(self) -> Path | None:
        """Give the folder of the models: those of then may lie on another machine."""
        return None if self._given is None else self._given.models.folder


def recorded_config(recording: Recording) -> TableConfig | None:
    """Read the table's settings of then; None where there are none that this program understands."""
    try:
        return TableConfig.model_validate_json(recording.session.config)
    except ValidationError:
        return None
