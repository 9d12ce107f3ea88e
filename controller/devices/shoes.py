"""The source of a table's cards: a shoe that reads, a camera at its mouth, or both joined.

Of a joined shoe the reader counts and the camera names. A difference holds the table: a card without a name
is CARD_UNREAD, a name without a card CARD_NOT_COUNTED.
"""

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.config import CameraSection, ShoeSection, TableConfig
from controller.devices.cameras.setup import camera_config, open_pictures
from controller.devices.inputs import PresenceReporter
from controller.ports import Clock, FrameSource, ObservationSource, Report, ReportSink, Tap, Trouble
from drivers.camera import Camera, CameraConfig, EncodedPictures, Grabber, PictureFault
from drivers.camera.pictures import without_password
from drivers.device_driver import DeviceChanged
from drivers.line import Connect, SerialStream
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.open_passages import Crop, EntryName, MouthCamera, Namer, ReadName
from drivers.shoe.open_shoe import OpenShoe, OpenShoeOptions
from drivers.shoe.reader import (
    CardOut,
    CardPulledBack,
    CutCardOut,
    DoubleFeed,
    SerialShoe,
    ShoeAdapter,
    ShoeEvent,
    ShoeProtocol,
)
from vision.card_passes import CardLeft, CutCardLeft, IndexDetection, MouthEvent, PulledBack, Uncertain
from vision.shoe_mouth import (
    CODED_READ_PX,
    CodedMouth,
    CodedPicture,
    MouthCameraSetup,
    MouthReader,
    MouthTracker,
    UprightReader,
)

COMMANDS: Final = frozenset({"lock", "unlock", "clear_error"})
"""What a table that allows commands may have its shoe do."""


def shoe_reader(
    section: ShoeSection,
    clock: Clock,
    session: str,
    post: ReportSink,
    tap: Tap | None = None,
    *,
    connect: Connect = SerialStream,
    namer: Namer | None = None,
    camera: MouthCamera | None = None,
    overhear: Callable[[ShoeEvent], None] | None = None,
) -> SerialShoe:
    """Build the driver without opening it.

    `connect` may open a recorded line. `namer` reads the pictures of a reader that sends pixels; it is called
    from the driver's thread. `camera` names the cards of a reader that only counts; `overhear` gets every
    event as well.
    """
    adapter = ShoeAdapter(section.name, session)
    presence = PresenceReporter(section.name, clock, post, required=True, port=section.port)

    def receive(event: ShoeEvent, mono_ns: int) -> None:
        if overhear is not None:
            overhear(event)
        if isinstance(event, DeviceChanged):
            presence.changed(event.state, event.reason, mono_ns)
        else:
            post(adapter.report(event, mono_ns))

    return SerialShoe(
        section.name,
        section.port,
        _protocol(section, namer, camera),
        receive,
        clock,
        connect=connect,
        baud=section.baud,
        tap=tap,
    )


def card_namer(section: ShoeSection, models: Path | None) -> Namer | None:
    """Load the table's model for a reader that may send pictures; None for a protocol without them.

    An uncertain card has no name: it is reported unread, and the table asks. Raises `ConfigError`
    MODEL_MISSING or MODEL_CHANGED.
    """
    if section.protocol != "open":
        return None
    reader = MouthReader.open(models)

    def name(crop: Crop) -> ReadName:
        picture = np.frombuffer(crop.pixels, np.uint8).reshape(crop.height, crop.width)
        named = reader.read(picture)
        return ReadName(None, None, 0.0) if named is None else ReadName(*named)

    return name


def _protocol(section: ShoeSection, namer: Namer | None, camera: MouthCamera | None) -> ShoeProtocol:
    commands = COMMANDS if section.commands else frozenset[str]()
    if section.protocol == "open":
        # An id of an earlier run would be taken for a command that has been carried out.
        first = secrets.randbelow(0x10000)
        return OpenShoe(OpenShoeOptions(section.certain, commands, first_command=first), namer, camera)
    return AngelEye(AngelEyeOptions(bcc_in=section.bcc, commands=commands))


OpenPictures = Callable[[CameraConfig], Grabber]

BLIND: Final = {"covered": "COVERED", "dark": "DARK", "glare": "GLARE", "outside": "WINDOW_OUTSIDE"}
"""What keeps the mouth from being seen; such pictures are no sign of life: the camera becomes stale."""


def shoe_mouth_watcher(section: CameraSection, models: Path | None) -> MouthTracker:
    """Load the reader of the mouth. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    return MouthTracker.open(_window_of(section), models)


def _window_of(section: CameraSection) -> MouthCameraSetup:
    """Return the camera's view of the mouth, by its section."""
    cut = section.cut_rgb
    cut_bgr = None if cut is None else (cut[2], cut[1], cut[0])
    return MouthCameraSetup(
        section.window, section.turn_deg, section.leaves, cut_bgr, section.gap_ms, section.mirrored
    )


def _open_encoded(config: CameraConfig) -> Grabber:
    """Open a source of pictures all of which a recording keeps as they are looked at."""
    return EncodedPictures(open_pictures(config))


def shoe_mouth_camera(
    section: CameraSection,
    watcher: MouthTracker,
    clock: Clock,
    session: str,
    post: ReportSink,
    *,
    tap: Tap | None = None,
    connect: OpenPictures = _open_encoded,
) -> Camera:
    """Build the camera; nothing is opened yet. `session` as in `ShoeAdapter`.

    Every picture is looked at in the camera's own thread, and recorded as it was looked at.
    """
    see = _ShoeMouth(section, watcher, session, post).see
    return _mouth_camera(section, see, clock, post, tap=tap, connect=connect)


def _mouth_camera(
    section: CameraSection,
    see: Callable[[NDArray[np.uint8], int], None],
    clock: Clock,
    post: ReportSink,
    *,
    tap: Tap | None,
    connect: OpenPictures,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Camera:
    """Return a required camera whose pictures are all read in its own thread."""
    presence = PresenceReporter(
        section.name, clock, post, required=True, port=without_password(section.source)
    )
    return Camera(
        _moving(section),
        clock,
        connect=connect,
        changed=presence.changed,
        tap=tap,
        each=see,
        turn=turn,
    )


def _moving(section: CameraSection) -> CameraConfig:
    """Return the driver's configuration for a camera whose objects move."""
    return camera_config(section)._replace(still=False)


class _ShoeMouth:
    """Counts the cards and speaks the table's words; called from the camera's thread."""

    def __init__(self, section: CameraSection, watcher: MouthTracker, session: str, post: ReportSink) -> None:
        self._name = section.name
        self._watcher = watcher
        self._adapter = ShoeAdapter(section.name, session)
        self._post = post
        self._cards = 0

    def see(self, picture: NDArray[np.uint8], mono_ns: int) -> None:
        """Take the next picture. Raises `PictureFault` where it does not show the mouth."""
        update = self._watcher.update(picture, mono_ns // 1_000_000)
        for event in update.events:
            self._post(self._report(event, mono_ns))
        if update.state in BLIND:
            raise PictureFault(BLIND[update.state])

    def _report(self, event: MouthEvent, mono_ns: int) -> Report:
        if isinstance(event, Uncertain) and event.about != "two":
            trouble = Trouble(f"SHOE_MOUTH_{event.about.upper()}", (("name", self._name),))
            return Report(self._name, mono_ns, (), (trouble,))
        return self._adapter.report(self._as_shoe(event), mono_ns)

    def _as_shoe(self, event: MouthEvent) -> ShoeEvent:
        """Say it as a shoe that reads by itself would."""
        match event:
            case CardLeft(name, p):
                self._cards += 1
                rank, suit = (None, None) if name is None else name
                return CardOut(self._cards, rank, suit, p=p)
            case PulledBack():
                return CardPulledBack()
            case CutCardLeft():
                return CutCardOut()
            case Uncertain():
                return DoubleFeed()


ENTRIES: Final = 16

LATE: Final = 8
"""Pictures of the last so many entries that were ended are late ones; before that the number means another
sheet."""

_JUMP: Final = 0.3
"""An index so much further back than one picture ago is another card's (share of the window): 14 mm in 8.5
ms are 1.7 m/s against the way out."""

_UNCOUNTED_MS: Final = 1500
"""An entry that the reader has not reported, when it reports that these were all: half as long again as its
heartbeat."""

_VISIT_MS: Final = 100
"""A card that was read in an empty mouth is reported after so long: more pictures of it may contradict."""

_SAME_MS: Final = 1500
"""The same name once more in the empty mouth so soon is the same card, whose pictures lag or which lies
there."""


@dataclass
class _MouthRead:
    """The readings of one sheet: the surest of each name, and whether it may be two sheets."""

    since_ms: int
    names: dict[tuple[str, str | None], float] = field(default_factory=dict)
    along: float | None = None
    several: bool = False

    def add(self, detections: tuple[IndexDetection, ...]) -> None:
        """Add one picture's indices, of which there can be one."""
        for detection in detections:
            name = (detection.name.rank, detection.name.suit)
            self.names[name] = max(self.names.get(name, 0.0), detection.p)
        if len(detections) == 1:
            along = detections[0].along
            self.several |= self.along is not None and along < self.along - _JUMP
            self.along = along
        self.several |= len(detections) > 1 or len(self.names) > 1

    @property
    def name(self) -> ReadName | None:
        """The only name."""
        if len(self.names) != 1:
            return None
        ((rank, suit), p), *_ = self.names.items()
        return ReadName(rank, suit, p)


_READ_S_MAX: Final = 5.0
"""A picture that is read for longer is not waited for: its thread hangs, and the card is asked for."""

_UNTAKEN_MAX: Final = 1 << 16
"""Pictures that wait while the shoe's line is lost: nine minutes at 117 a second. The oldest go first."""


class MouthNames:
    """A `drivers.shoe.open_passages.MouthCamera`: names by entry, for one camera and one driver.

    The camera's thread only leaves its readings here; the driver's thread takes them in by their moments.
    """

    def __init__(self) -> None:
        """Begin with an empty mouth."""
        self._turns = threading.Condition()
        self._begun = self._ended = 0
        self._untaken: deque[tuple[int, CodedPicture]] = deque(maxlen=_UNTAKEN_MAX)
        self._read: dict[int, _MouthRead] = {}
        self._closed: deque[int] = deque(maxlen=LATE)
        self._at: int | None = None
        self._after: set[int] = set()
        self._stray: _MouthRead | None = None
        self._strayed: tuple[ReadName | None, int] = (None, 0)
        self._now_ms = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Enclose the reading of one picture and its moment; in the camera's thread."""
        with self._turns:
            self._begun += 1
        try:
            yield
        finally:
            with self._turns:
                self._ended = self._begun
                self._turns.notify_all()

    def see(self, picture: CodedPicture, mono_ms: int) -> None:
        """Leave the reading of a picture of that moment; in the camera's thread."""
        self._untaken.append((mono_ms, picture))

    def pictures(self, before_ms: int) -> Iterator[int]:
        """Take in the pictures from before a moment; yield the moment of each before it is taken in."""
        with self._turns:
            begun = self._begun
            self._turns.wait_for(lambda: self._ended >= begun, _READ_S_MAX)
        while self._untaken and self._untaken[0][0] < before_ms:
            mono_ms, picture = self._untaken.popleft()
            yield mono_ms
            self._now_ms = mono_ms
            if picture.entry == "empty":
                self._leave()
                self._stray_card(picture, mono_ms)
            elif picture.entry != "unclear":
                self._see_entry(picture.entry, picture, mono_ms)

    def closed(self, entry: int, *, final: bool) -> EntryName | None:
        """End an entry and tell its name."""
        if not final and entry not in self._after:
            return None
        read = self._read.pop(entry, None)
        self._after.discard(entry)
        self._closed.append(entry)
        if self._at == entry:
            self._at = None
        return EntryName(None) if read is None else EntryName(read.name, read.several)

    def uncounted(self, opened: frozenset[int], *, complete: bool) -> tuple[ReadName, ...]:
        """Name, once each, the cards that no sensor has seen enter."""
        out = []
        stray = self._stray
        if stray is not None and self._now_ms - stray.since_ms >= _VISIT_MS:
            self._stray = None
            self._strayed = (stray.name, self._now_ms)
            out.append(stray)
        for entry in [one for one in self._read if complete and one not in opened]:
            if self._now_ms - self._read[entry].since_ms >= _UNCOUNTED_MS:
                out.append(self._read.pop(entry))
                self._closed.append(entry)
        return tuple(read.name or ReadName(None, None, 0.0) for read in out if read.names)

    def _see_entry(self, entry: int, picture: CodedPicture, mono_ms: int) -> None:
        if entry != self._at:
            self._leave()
            if entry in self._after:
                # It has come round once more, and the sheet before was never asked for: nobody knows whose
                # is whose.
                self._read[entry] = _MouthRead(mono_ms, several=True)
                self._after.discard(entry)
        if entry in self._closed:
            return
        self._at = entry
        self._read.setdefault(entry, _MouthRead(mono_ms)).add(picture.detections)

    def _leave(self) -> None:
        """No picture of the sheet that was there will come any more."""
        if self._at is not None:
            self._after.add(self._at)
            self._at = None

    def _stray_card(self, picture: CodedPicture, mono_ms: int) -> None:
        """Keep a card that is read while no sensor reports one."""
        if not picture.detections:
            return
        last, at_ms = self._strayed
        names = {(one.name.rank, one.name.suit) for one in picture.detections}
        if last is not None and names == {(last.rank, last.suit)} and mono_ms - at_ms < _SAME_MS:
            self._strayed = (last, mono_ms)
            return
        if self._stray is None:
            self._stray = _MouthRead(mono_ms)
        self._stray.add(picture.detections)


_SPOT_PX: Final = 4.0
"""Half the side of the square that is looked at in the middle of each light."""


def coded_mouth(section: CameraSection, models: Path | None) -> CodedMouth:
    """Load the reader of the mouth. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    reader = UprightReader.open(section.leaves, CODED_READ_PX, models)
    return CodedMouth(reader, section.code, _SPOT_PX)


def joined_shoe(
    sections: tuple[ShoeSection, CameraSection],
    reader: CodedMouth,
    clock: Clock,
    session: str,
    post: ReportSink,
    *,
    tap: Tap | None = None,
    connect: Connect = SerialStream,
    connect_camera: OpenPictures = _open_encoded,
    overhear: Callable[[ShoeEvent], None] | None = None,
) -> tuple[SerialShoe, Camera]:
    """Build both drivers; nothing is opened yet. The cards are the shoe's, `session` as in `ShoeAdapter`."""
    shoe, mouth = sections
    names = MouthNames()
    driver = shoe_reader(shoe, clock, session, post, tap, connect=connect, camera=names, overhear=overhear)
    return driver, naming_camera(mouth, reader, names, clock, post, tap=tap, connect=connect_camera)


def naming_camera(
    mouth: CameraSection,
    reader: CodedMouth,
    names: MouthNames,
    clock: Clock,
    post: ReportSink,
    *,
    tap: Tap | None = None,
    connect: OpenPictures = _open_encoded,
) -> Camera:
    """Build the camera alone; the readings of its pictures go into `names`, from its thread."""
    window = _window_of(mouth)

    def see(picture: NDArray[np.uint8], mono_ns: int) -> None:
        upright = window.upright(picture)
        if min(upright.shape) < 1:
            raise PictureFault("WINDOW_OUTSIDE")
        names.see(reader.look(picture, upright), mono_ns // 1_000_000)

    return _mouth_camera(mouth, see, clock, post, tap=tap, connect=connect, turn=names.turn)


CardSource = ObservationSource | FrameSource
CardSourceFactory = Callable[[Clock, str, ReportSink, Tap | None], tuple[CardSource, ...]]
"""Builds the devices from clock, session (see `ShoeAdapter`), listener and recorder; opens nothing."""


def card_source(config: TableConfig) -> CardSourceFactory | None:
    """Load the files of the source of cards, before the table opens; None without a shoe.

    Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED, and `DeviceError` DEVICE_OPEN_FAILED for a shoe whose
    line cannot be opened now. A camera may come later: until then the table is held.
    """
    shoe, mouth = config.shoe, config.shoe_mouth
    folder = config.models.folder
    if shoe is not None:
        # Raises DEVICE_OPEN_FAILED with the reason when the line cannot be opened now.
        SerialStream(shoe.port, shoe.baud).close()
    if shoe is not None and mouth is not None:
        coded = coded_mouth(mouth, folder)
        return lambda clock, session, post, tap: joined_shoe(
            (shoe, mouth), coded, clock, session, post, tap=tap
        )
    if shoe is not None:
        namer = card_namer(shoe, folder)
        return lambda clock, session, post, tap: (shoe_reader(shoe, clock, session, post, tap, namer=namer),)
    if mouth is None:
        return None
    watcher = shoe_mouth_watcher(mouth, folder)
    return lambda clock, session, post, tap: (
        shoe_mouth_camera(mouth, watcher, clock, session, post, tap=tap),
    )


def card_sources_to_try(config: TableConfig, clock: Clock) -> tuple[CardSource, ...]:
    """Build the sources of cards for a trial: they report nothing to a table.

    None without a shoe. Raises `ConfigError` as `card_source`.
    """
    shoe, mouth = config.shoe, config.shoe_mouth
    if mouth is None:
        return unread_card_sources(config, clock, "devices")
    if shoe is not None:
        coded = coded_mouth(mouth, config.models.folder)
        return joined_shoe((shoe, mouth), coded, clock, "devices", lambda _: None)
    watcher = shoe_mouth_watcher(mouth, config.models.folder)
    return (shoe_mouth_camera(mouth, watcher, clock, "devices", lambda _: None),)


def unread_card_sources(
    config: TableConfig, clock: Clock, session: str, tap: Tap | None = None
) -> tuple[CardSource, ...]:
    """Build the sources of cards for listening only: they read and report nothing."""
    shoe, mouth = config.shoe, config.shoe_mouth
    made: tuple[CardSource, ...] = ()
    if shoe is not None:
        made += (shoe_reader(shoe, clock, session, lambda _: None, tap),)
    if mouth is not None:
        made += (Camera(_moving(mouth), clock, connect=_open_encoded, tap=tap),)
    return made
