"""The devices of a recording: the live table's own drivers, opened on ports with recorded data.

The session names the SHA-256 of each camera's layout file, the journal each calibration in its place. The
files themselves lie beside the configured one; a recording holds none of them.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import ValidationError

from controller.config.model import ShoeSection, TableConfig, without_retired
from controller.config.sections import ADDRESS, CameraSection, ChipsSection
from controller.devices.cameras.deck import ENDINGS, ENROL, STOP, DeckEnrolment, decks_of
from controller.devices.cameras.follower import CALIBRATED, FrameFollower, FrameSink
from controller.devices.cameras.setup import (
    LAYOUT_UNKNOWN,
    camera_config,
    camera_plan,
    camera_presence,
    fitted,
    layout_of,
    zones_of,
)
from controller.devices.cameras.tracker import CameraTracker, open_tracker
from controller.devices.inputs import ChipListener, input_driver
from controller.devices.kept import layouts_named, name_layouts
from controller.devices.shoes import (
    MouthNames,
    card_namer,
    coded_mouth,
    naming_camera,
    shoe_mouth_camera,
    shoe_mouth_watcher,
    shoe_reader,
)
from controller.domain import ConfigError, DeviceError, RuleSet
from controller.feed.replay import Json
from controller.i18n import text
from controller.journal.entry import Entry, NewEntry, body_of
from controller.ports import ReportSink
from controller.recording.format import RecordingError
from controller.recording.recording_reader import Recorded, Recording
from controller.rules.loading import rules_named
from controller.runtime.api import NameCard
from controller.runtime.ledger import naming_of, params_of
from controller.runtime.redaction import hide_cards
from drivers.camera import Camera
from drivers.device_driver import DeviceDriver
from drivers.replay import ReplayClock, ReplayDevice, ReplayLine, ReplayPictures
from vision.calibration import Layout
from vision.enrolment import load_profile

ComparedEntry = Json
"""An entry as a replay compares it: `kind`, `actor`, `caused_by` and the `body`."""

DifferenceCode = Literal["DIFFERS", "NOT_MADE", "NOT_RECORDED", "NOT_TAKEN", "SENT_DIFFERS"]
"""Another entry was made · nothing was made · an entry was made that was never recorded · the driver did not
follow what happened to its device · the driver sent other bytes."""


class ReplayDifference(NamedTuple):
    """One difference. `t` is seconds since the recording began, `device` the reporting device.

    `recorded` and `made` are the old and the new value, None without one; `seq` and `round_id` are those of
    the recorded entry.
    """

    t: float
    code: DifferenceCode
    device: str
    recorded: Json | None = None
    made: Json | None = None
    seq: int | None = None
    round_id: int | None = None

    def to_json(self, secret: frozenset[int]) -> Json:
        """Give the object that `--json` prints; cards of `secret` rounds are left out."""
        fields = {"type": "difference", **self._asdict()}
        if self.round_id in secret:
            fields |= {key: _hidden(fields[key]) for key in ("recorded", "made")}
        return {key: value for key, value in fields.items() if value is not None and key != "round_id"}


_NOT_MADE_ANEW: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of a person's command: a replay knows of it what the entry tells."""


def compared_form(entry: Entry | NewEntry) -> ComparedEntry:
    """Return the compared fields of an entry; an older program's entry is converted first.

    Raises `JournalError` for an entry of a later program.
    """
    body = body_of(entry) if isinstance(entry, Entry) else json.loads(entry.body)
    made_anew = {key: value for key, value in body.items() if key not in _NOT_MADE_ANEW}
    return {"kind": entry.kind, "actor": entry.actor, "caused_by": entry.caused_by, "body": made_anew}


def sentence_of(fields: Json) -> str:
    """The sentence of a difference, given as by `ReplayDifference.to_json`."""
    holes = {name: _one_line(fields.get(name)) for name in ("recorded", "made")}
    return text(f"replay.{fields['code']}", {"t": f"{fields['t']:.3f}", "device": fields["device"], **holes})


def _one_line(value: Json | None) -> str:
    if value is None:
        return "-"
    found = value.get("body", value)
    return f"{value.get('kind', '')} {json.dumps(found, ensure_ascii=False)}".strip()


def _hidden(value: Json | None) -> Json | None:
    """Hide the cards of an entry; of bytes nothing is left."""
    if value is None or "body" not in value:
        return None
    return {**value, "body": hide_cards(value["kind"], value["body"])}


def calibration_of(entry: Entry) -> tuple[str, str, str] | None:
    """Return the camera that an entry says was calibrated in its place, with its old and new layout.

    The layouts are the SHA-256 of their files; None for any other entry.
    """
    if entry.kind != "trouble":
        return None
    body = body_of(entry)
    if body["code"] != CALIBRATED:
        return None
    params = {key: str(value) for key, value in params_of(body)}
    return params["name"], params["before"], params["after"]


def enrolment_of(entry: Entry) -> str:
    """Return the camera whose enrolment of a deck ended with an entry; "" for any other entry."""
    body = body_of(entry) if entry.kind == "trouble" else {}
    return str(dict(params_of(body))["name"]) if body.get("code") in ENDINGS else ""


class RecordedLayouts:
    """The layout of each camera at the recording's present position, which the caller sets."""

    def __init__(self, recording: Recording, *, replaced: bool) -> None:
        """Begin with the recorded layouts; `replaced`: the cameras' sections are not the recorded ones."""
        self._in_force = layouts_named(recording.session)
        # Where nothing is named, or another layout was given on purpose, the last one of the file has to do.
        self._strict: Final = bool(self._in_force) and not replaced
        for entry in recording.history:
            self.follow(entry)

    @property
    def named(self) -> str:
        """The layouts as they are now, as a session names them."""
        return name_layouts(self._in_force)

    def of(self, section: CameraSection) -> Layout | None:
        """Return the camera's present layout; None without one.

        Raises as `layout_of`; LAYOUT_UNKNOWN when the session names a missing file.
        """
        try:
            return layout_of(section, self._in_force.get(section.name, ""))
        except ConfigError as error:
            if self._strict or error.code != LAYOUT_UNKNOWN:
                raise
        return layout_of(section)

    def follow(self, entry: Entry) -> str:
        """Take an entry of the journal; return the camera whose layout it changes, "" for none."""
        calibrated = calibration_of(entry)
        if calibrated is None:
            return ""
        name, before, after = calibrated
        if self._in_force.get(name, before) != before:
            return ""
        self._in_force[name] = after
        return name


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
    """Return a mark as one from before the recording began."""
    return json.dumps({"state": mark.state, "reason": mark.reason, "again": True}).encode()


def _clock_of(start: Recorded) -> ReplayClock:
    """A clock that stands at the first thing that was recorded of a device."""
    return ReplayClock(start.mono_ns, start.utc_ns // 1000)


class ReplayedDevice:
    """Gives a driver the recorded messages of its device: bytes or pictures, and lifecycle marks."""

    def __init__(self, port: ReplayDevice, driver: DeviceDriver) -> None:
        """Open the driver, which connects by `port`."""
        self.port: Final = port
        self._driver = driver
        driver.open()

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Give the driver a recorded message; returns where it did otherwise than is recorded."""
        followed = (
            self._changes(recorded.mono_ns, mark_of(recorded))
            if recorded.kind == "mark"
            else self.receives(recorded.mono_ns, recorded.data)
        )
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def _changes(self, mono_ns: int, mark: LifecycleMark) -> bool:
        """Open, break or fail the device as the mark says; other changes the driver makes by itself.

        False when the driver did not follow.
        """
        port, state = self.port, mark.state
        if state in {"live", "stale"} and not port.is_open:
            return port.opens(mono_ns)
        if state == "stale":
            return port.receives(mono_ns, b"")
        if state in {"lost", "fault"} and port.is_open:
            return port.breaks(mono_ns)
        if state in {"absent", "lost"} and not port.is_open and not mark.again:
            return port.fails(mono_ns, mark.reason)
        return True

    def receives(self, mono_ns: int, data: bytes) -> bool:
        """Let bytes or a picture come; a recording may begin with an open device."""
        is_open = self.port.is_open or self.port.opens(mono_ns)
        return is_open and self.port.receives(mono_ns, data)

    def close(self) -> None:
        """Close the driver."""
        self.port.end()
        self._driver.close()


class ReplayedCamera(ReplayedDevice):
    """A camera whose recorded pictures are all read; the live table read those that it had time for."""

    def __init__(
        self,
        section: CameraSection,
        tracker: CameraTracker,
        start: Recorded,
        post: FrameSink,
    ) -> None:
        """Begin at its first recorded message; `post` receives the reports to the table."""
        clock = _clock_of(start)
        self.section: Final = section
        self._pictures = ReplayPictures(clock, watched=_is_live(section.source))
        presence = camera_presence(section, clock, post)
        self._camera = Camera(
            camera_config(section), clock, connect=self._pictures.connect, changed=presence.changed
        )
        self.box_at: Final = zones_of(section) if tracker.layout is None else tracker.box_at
        self.tracker: Final = tracker
        self._post = post
        self._follower = FrameFollower(tracker, camera_plan(section, self.box_at))
        super().__init__(self._pictures, self._camera)

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Give the driver a picture or a mark, then look at the newest picture that is due."""
        found, mono_ns = super().take(recorded, t), recorded.mono_ns
        # As `follow_frames` does on a live table.
        due = recorded.kind != "mark" and mono_ns >= self._follower.due_ns
        frame = self._camera.latest() if due else None
        if frame is not None and frame.number != self._follower.number:
            for item in self._follower.take(frame, mono_ns):
                self._post(item)
        return found

    def name_card(self, action: NameCard, who: str) -> None:
        """Tell the tracker which card lies there."""
        self.tracker.name_card(action, self.box_at, who)

    def order(self, order: str) -> None:
        """Look away while a deck is enrolled: from the order to begin on until it has ended."""
        if order in {ENROL, STOP}:
            with suppress(DeviceError):
                self.tracker.order(order)

    def look_again(self, mono_ns: int) -> None:
        """A deck was enrolled, or could not be: go on from this moment."""
        self.order(STOP)
        for recorded in self._follower.put_back(mono_ns):
            self._post(recorded)

    def give_layout(self, layout: Layout, mono_ns: int) -> None:
        """Go on by the layout that the camera was given in its place at this moment."""
        self.tracker.give_layout(layout)
        for recorded in self._follower.put_back(mono_ns):
            self._post(recorded)


def _is_live(source: str) -> bool:
    """Whether pictures of this source can be frozen, black or blurred; those of files cannot."""
    return ADDRESS in source or source.isdigit() or source.startswith("/dev/")


class ReplayedShoe(ReplayedDevice):
    """A shoe reader's driver on a recorded line; its sent bytes are compared."""

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
        """Begin at its first recorded message; `session` as in `ShoeAdapter`.

        `models` is the folder of the model that names the pictures of an open reader. `names` are the names
        read by the camera at its mouth, for a reader that only counts.
        """
        clock = _clock_of(start)
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
        """Give the driver a message; recorded sent bytes are compared with the driver's."""
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
        """Compare the driver's sent bytes; in a recording that begins later, it asks questions of its own."""
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


_SESSION: Final = "replay"
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
        """Prepare the devices. `config` replaces the recorded settings; `post` receives their reports."""
        self._recording = recording
        self._given = config
        self.config: Final = config or recorded_config(recording)
        self._post = post
        self._devices: dict[str, ReplayedDevice] = {}
        used = self.config
        joined = used is not None and used.shoe is not None and used.shoe_mouth is not None
        self._names: Final = MouthNames() if joined else None
        """The names that a camera gives a counting reader's cards; None at other tables."""
        self._layouts: Final = RecordedLayouts(recording, replaced=config is not None)

    def shoes(self) -> set[str]:
        """Return the devices that reported dealt cards: shoes, or a camera at a shoe's mouth.

        A shoe beside a dealing camera reports none by itself.
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
        """Return the chip sources without a driver: their readings are the recorded entries."""
        return self._of(ChipsSection.__name__) - self.chip_sources()

    def cameras(self) -> set[str]:
        """Name the cameras of which it is known where they see what."""
        known = () if self.config is None else self.config.table_cameras
        return self._of("camera") & {section.name for section in known}

    def table_cameras(self) -> dict[str, ReplayedCamera]:
        """Return the cameras over the layout with a recorded message so far."""
        return {name: one for name, one in self._devices.items() if isinstance(one, ReplayedCamera)}

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """Pass a message to its driver."""
        played = self.shoes() | self.cameras() | self.chip_sources()
        if recorded.kind not in PLAYED or recorded.source not in played:
            return []
        if recorded.source not in self._devices:
            self._devices[recorded.source] = self._made(recorded)
        differences = self._devices[recorded.source].take(recorded, t)
        if recorded.kind == "jpeg":
            self.let_pass(mono_ns=recorded.mono_ns)
        return differences

    def let_pass(self, mono_ns: int, name: str | None = None) -> None:
        """Let the shoe that counts look whether its camera has named something; `name`: if it is this one."""
        for known, device in self._devices.items() if self._names is not None else ():
            if isinstance(device, ReplayedShoe) and name in {None, known}:
                device.let_pass(mono_ns)

    def follow(self, entry: Entry, mono_ns: int) -> None:
        """Give the devices what an entry of this moment says of them: orders, names of cards, layouts.

        A camera takes no pictures of a spread deck anew, and the corners of a layout are not found again: the
        recording does not say which pictures were read. Raises as `RecordedLayouts.of`.
        """
        enrols = self._devices.get(enrolment_of(entry))
        if isinstance(enrols, ReplayedCamera):
            enrols.look_again(mono_ns)
        device = self._devices.get(self._layouts.follow(entry))
        if isinstance(device, ReplayedCamera) and (layout := self._layout(device.section)) is not None:
            device.give_layout(layout, mono_ns)
        body = body_of(entry) if entry.kind in ("ordered", "named") else {}
        if entry.kind == "ordered":
            device = self._devices.get(body["device"])
            if isinstance(device, ReplayedShoe | ReplayedCamera):
                device.order(body["order"])
        elif entry.kind == "named":
            action = naming_of(body)
            device = self._devices.get(action.camera)
            if isinstance(device, ReplayedCamera):
                device.name_card(action, entry.actor)

    def close(self) -> None:
        """Close all drivers."""
        for device in self._devices.values():
            device.close()

    def _of(self, device: str) -> set[str]:
        kinds = self._recording.settings.items()
        return {source for (_, source), settings in kinds if settings.get("device") == device}

    def _made(self, start: Recorded) -> ReplayedDevice:
        if start.source in self.chip_sources():
            return self._chips(start)
        if start.source not in self.shoes():
            return self._camera(start)
        mouth = None if self.config is None else self.config.shoe_mouth
        if mouth is None or mouth.name != start.source:
            return self._shoe(start)
        # Every recorded picture is read, as at the live table.
        clock, models = _clock_of(start), self._models()
        pictures = ReplayPictures(clock, watched=_is_live(mouth.source))
        if self._names is None:
            watcher = shoe_mouth_watcher(mouth, models)
            camera = shoe_mouth_camera(mouth, watcher, clock, _SESSION, self._post, connect=pictures.connect)
        else:
            reader = coded_mouth(mouth, models)
            camera = naming_camera(mouth, reader, self._names, clock, self._post, connect=pictures.connect)
        return ReplayedDevice(pictures, camera)

    def _chips(self, start: Recorded) -> ReplayedDevice:
        assert self.config is not None, "a chip source is known by its section"
        section = next(section for section in self.config.chips if section.name == start.source)
        clock, rules = _clock_of(start), rules_of(self._recording)
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
        """Return the deck's profile of that time, by its hash; the configured one without a match."""
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
            return ReplayedShoe(given, self._models(), start, _SESSION, self._post, names=self._names)
        every = self._recording.settings.items()
        found = next(settings for (_, source), settings in every if source == name)
        known = {key: value for key, value in found.items() if key in ShoeSection.model_fields}
        try:
            section = ShoeSection.model_validate({"port": "recording", **known, "name": name})
        except ValidationError as error:
            path = str(self._recording.path)
            raise RecordingError("RECORDING_SETTINGS", path=path, name=name) from error
        return ReplayedShoe(section, self._models(), start, _SESSION, self._post, names=self._names)

    def _models(self) -> Path | None:
        """Give the folder of the models: those of then may lie on another machine."""
        return None if self._given is None else self._given.models.folder


def recorded_config(recording: Recording) -> TableConfig | None:
    """Return the recorded settings; None when this program does not understand them."""
    try:
        raw, retired = without_retired(json.loads(recording.session.config))
        raw["retired"] = [setting.code for setting in retired]
        return TableConfig.model_validate_json(json.dumps(raw))
    except (ValueError, TypeError):
        return None
