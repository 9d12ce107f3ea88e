"""A camera in front of the shoe's mouth as the table's source of cards: the same facts as a shoe's reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.config.cameras import CameraSection
from controller.devices.cameras.setup import camera_config, open_pictures
from controller.devices.presence import PresenceReporter
from controller.ports import Clock, Report, ReportSink, Tap, Trouble
from drivers.camera import Camera, CameraConfig, Grabber, PictureFault, encoded
from drivers.camera.config import without_password
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.shoe_events import CardOut, CardPulledBack, CutCardOut, DoubleFeed, ShoeEvent
from vision.shoe_mouth import (
    CardLeft,
    CutCardLeft,
    MouthCameraSetup,
    MouthEvent,
    MouthTracker,
    PulledBack,
    Uncertain,
)

OpenPictures = Callable[[CameraConfig], Grabber]

BLIND: Final = {"covered": "COVERED", "dark": "DARK", "glare": "GLARE", "outside": "WINDOW_OUTSIDE"}
"""What keeps the mouth from being seen; such pictures are no sign of life: the camera becomes stale."""


def shoe_mouth_watcher(section: CameraSection, models: Path | None) -> MouthTracker:
    """Load what reads the mouth. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    return MouthTracker.open(window_of(section), models)


def window_of(section: CameraSection) -> MouthCameraSetup:
    """How the camera sees the mouth, as its section says."""
    cut = section.cut_rgb
    cut_bgr = None if cut is None else (cut[2], cut[1], cut[0])
    return MouthCameraSetup(
        section.window, section.turn_deg, section.leaves, cut_bgr, section.gap_ms, section.mirrored
    )


def open_encoded(config: CameraConfig) -> Grabber:
    """Open a source of pictures all of which a recording keeps as they are looked at."""
    return encoded(open_pictures(config))


def shoe_mouth_camera(
    section: CameraSection,
    watcher: MouthTracker,
    clock: Clock,
    session: str,
    post: ReportSink,
    *,
    tap: Tap | None = None,
    connect: OpenPictures = open_encoded,
) -> Camera:
    """Build the camera; nothing is opened yet. `session` as in `ShoeAdapter`.

    Every picture is looked at in the camera's own thread, and recorded as it was looked at.
    """
    mouth = _ShoeMouth(section, watcher, session, post)
    presence = PresenceReporter(
        section.name, clock, post, required=True, port=without_password(section.source)
    )
    return Camera(
        shoe_mouth_config(section),
        clock,
        connect=connect,
        changed=presence.changed,
        tap=tap,
        each=mouth.see,
    )


def shoe_mouth_config(section: CameraSection) -> CameraConfig:
    """Tell the driver that what this camera sees does not stay in its place."""
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
