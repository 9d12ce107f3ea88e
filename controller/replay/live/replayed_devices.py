"""The devices of a recording: the live table's own drivers, at the other end of recorded bytes."""

import json
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from controller.config.cameras import CameraSection
from controller.config.inputs import ChipsSection
from controller.config.model import ShoeSection, TableConfig
from controller.config.retired import without_retired
from controller.devices.cameras.deck import DeckEnrolment, decks_of
from controller.devices.cameras.frame_follower import FrameSink
from controller.devices.cameras.layouts import fitted
from controller.devices.cameras.tracker import open_tracker
from controller.devices.inputs import ChipListener, input_driver
from controller.devices.shoes import MouthNames
from controller.domain import RuleSet
from controller.journal.entry import Entry
from controller.recording.format import RecordingError
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.recorded_layouts import RecordedLayouts, enrolment_of
from controller.replay.live.replayed_camera import ReplayedCamera
from controller.replay.live.replayed_device import ReplayedDevice, clock_of
from controller.replay.live.replayed_shoe import ReplayedShoe, replayed_mouth
from controller.rules.loading import rules_named
from controller.runtime.api import NameCard
from drivers.replay import ReplayLine
from vision.calibration import Layout
from vision.enrolment import load_profile

SESSION: Final = "replay"
PLAYED: Final = {"rx", "tx", "mark", "jpeg"}


def rules_of(recording: Recording) -> RuleSet:
    """The rules of the table when it was recorded. Raises `RecordingError` RECORDING_SETTINGS."""
    try:
        return rules_named(json.loads(recording.session.rules))[0]
    except (ValueError, TypeError) as error:
        raise RecordingError("RECORDING_SETTINGS", path=str(recording.path), name="rules") from error


class ReplayDevices:
    """Builds each device at its first message; keypads and peek devices are not played again."""

    def __init__(
        self,
        recording: Recording,
        config: TableConfig | None,
        post: FrameSink,
    ) -> None:
        """`config` replaces the settings that were recorded; `post` hears what the table would hear."""
        self._recording = recording
        self._given = config
        self.config: Final = config or recorded_config(recording)
        self._post = post
        self._devices: dict[str, ReplayedDevice] = {}
        self._names: Final = self._mouth_names()
        self._layouts: Final = RecordedLayouts(recording, replaced=config is not None)

    def shoes(self) -> set[str]:
        """Name what has reported the cards that were dealt: shoes, or a camera at a shoe's mouth.

        Beside a camera that deals the shoe tells none by itself.
        """
        if self.config is not None and self.config.dealing_cameras:
            return set()
        mouth = None if self.config is None else self.config.shoe_mouth
        return self._of("shoe") | (self._of("camera") & ({mouth.name} if mouth is not None else set()))

    def chip_sources(self) -> set[str]:
        """Name the chip sources of which it is known how sure they have to be."""
        known = () if self.config is None else self.config.chips
        return self._of(ChipsSection.__name__) & {section.name for section in known}

    def unread_chips(self) -> set[str]:
        """Name the chip sources whose bytes no driver reads: their readings are the recorded entries."""
        return self._of(ChipsSection.__name__) - self.chip_sources()

    def cameras(self) -> set[str]:
        """Name the cameras of which it is known where they see what."""
        known = () if self.config is None else self.config.table_cameras
        return self._of("camera") & {section.name for section in known}

    def table_cameras(self) -> dict[str, ReplayedCamera]:
        """Those cameras over the layout that something was recorded of so far."""
        return {name: one for name, one in self._devices.items() if isinstance(one, ReplayedCamera)}

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Pass a message to its driver."""
        played = self.shoes() | self.cameras() | self.chip_sources()
        if recorded.kind not in PLAYED or recorded.source not in played:
            return []
        differences = self._device(recorded).take(recorded, t)
        if self._names is not None and recorded.kind == "jpeg":
            self._let_pass(recorded.mono_ns)
        return differences

    def _let_pass(self, mono_ns: int) -> None:
        """Let the shoe that counts look whether its camera has named something."""
        for device in self._devices.values():
            if isinstance(device, ReplayedShoe):
                device.let_pass(mono_ns)

    def order(self, name: str, order: str) -> None:
        """Give a device the order that the pit gave it; a camera takes no pictures of a spread deck anew."""
        device = self._devices.get(name)
        if isinstance(device, ReplayedShoe | ReplayedCamera):
            device.order(order)

    def follow(self, entry: Entry, mono_ns: int) -> None:
        """Give a camera the layout with which an entry of this moment says that it went on.

        What the corners were then is not found anew: which pictures were looked at is not recorded. Raises
        as `RecordedLayouts.of`.
        """
        enrols = self._devices.get(enrolment_of(entry))
        if isinstance(enrols, ReplayedCamera):
            enrols.look_again(mono_ns)
        name = self._layouts.follow(entry)
        device = self._devices.get(name)
        if isinstance(device, ReplayedCamera) and (layout := self._layout(device.section)) is not None:
            device.give_layout(layout, mono_ns)

    def name_card(self, action: NameCard, who: str) -> None:
        """Tell a camera which card lies there, as a person entered it."""
        device = self._devices.get(action.camera)
        if isinstance(device, ReplayedCamera):
            device.name_card(action, who)

    def close(self) -> None:
        """Close all drivers."""
        for device in self._devices.values():
            device.close()

    def _mouth_names(self) -> MouthNames | None:
        """What a camera names and a reader counts, where the table had both; None elsewhere."""
        config = self.config
        joined = config is not None and config.shoe is not None and config.shoe_mouth is not None
        return MouthNames() if joined else None

    def _of(self, device: str) -> set[str]:
        kinds = self._recording.settings.items()
        return {source for (_, source), settings in kinds if settings.get("device") == device}

    def _device(self, recorded: Recorded) -> ReplayedDevice:
        name = recorded.source
        if name not in self._devices:
            self._devices[name] = self._made(recorded)
        return self._devices[name]

    def _made(self, start: Recorded) -> ReplayedDevice:
        if start.source in self.chip_sources():
            return self._chips(start)
        if start.source not in self.shoes():
            return self._camera(start)
        mouth = None if self.config is None else self.config.shoe_mouth
        if mouth is not None and mouth.name == start.source:
            return replayed_mouth(mouth, self._models(), start, SESSION, self._post, names=self._names)
        return self._shoe(start)

    def _chips(self, start: Recorded) -> ReplayedDevice:
        assert self.config is not None, "a chip source is known by its section"
        section = next(section for section in self.config.chips if section.name == start.source)
        clock, rules = clock_of(start), rules_of(self._recording)
        line, listener = ReplayLine(clock), ChipListener(section, clock, self._post, lambda: rules)
        driver = input_driver(
            section,
            clock,
            lambda _, event, mono_ns: listener.receive(event, mono_ns),
            connect=line.connect,
        )
        return ReplayedDevice(line, driver)

    def _camera(self, start: Recorded) -> ReplayedDevice:
        assert self.config is not None, "a camera is known by its section"
        section = next(section for section in self.config.table_cameras if section.name == start.source)
        layout, enrolment = self._layout(section), DeckEnrolment(Path())
        tracker = open_tracker(self._models(), layout, self._deck(section), enrolment=enrolment)
        return ReplayedCamera(section, tracker, start, self._post)

    def _deck(self, section: CameraSection) -> Path | None:
        """The deck's profile as it was then, by its hash; the configured one where none has it."""
        named = self._recording.session.model_sha256
        made = [path for path in decks_of(section) if path is not None]
        then = [path for path in made if f"deck/{section.name}:{load_profile(path).sha256}" in named]
        return then[0] if then else section.deck

    def _layout(self, section: CameraSection) -> Layout | None:
        """The camera's layout as it was then, with the other cameras' outlines of the boxes that they own."""
        dealing = () if self.config is None else self.config.dealing_cameras
        if section not in dealing:
            return self._layouts.of(section)
        found = ((one.name, self._layouts.of(one)) for one in dealing)
        named = [(name, layout) for name, layout in found if layout is not None]
        return fitted(named).get(section.name)

    def _shoe(self, start: Recorded) -> ReplayedDevice:
        """Read the shoe's settings from its channels. Raises `RecordingError` RECORDING_SETTINGS."""
        name = start.source
        if self._given is not None and self._given.shoe is not None:
            given = self._given.shoe.model_copy(update={"name": name})
            return ReplayedShoe(given, self._models(), start, SESSION, self._post, names=self._names)
        every = self._recording.settings.items()
        found = next(settings for (_, source), settings in every if source == name)
        known = {key: value for key, value in found.items() if key in ShoeSection.model_fields}
        try:
            section = ShoeSection.model_validate({"port": "recording", **known, "name": name})
        except ValidationError as error:
            path = str(self._recording.path)
            raise RecordingError("RECORDING_SETTINGS", path=path, name=name) from error
        return ReplayedShoe(section, self._models(), start, SESSION, self._post, names=self._names)

    def _models(self) -> Path | None:
        """Give the folder of the models: those of then may lie on another machine."""
        return None if self._given is None else self._given.models.folder


def recorded_config(recording: Recording) -> TableConfig | None:
    """Read the table's settings of then; None where there are none that this program understands."""
    try:
        raw, retired = without_retired(json.loads(recording.session.config))
        raw["retired"] = [setting.code for setting in retired]
        return TableConfig.model_validate_json(json.dumps(raw))
    except (ValueError, TypeError):
        return None
