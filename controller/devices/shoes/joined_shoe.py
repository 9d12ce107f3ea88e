"""A shoe reader that counts and a camera in its mouth that names, as the table's one source of cards.

What one has and the other lacks holds the table: a card that left without a name is CARD_UNREAD, a name
without a card CARD_NOT_COUNTED.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.config.cameras import CameraSection
from controller.config.model import ShoeSection
from controller.devices.presence import PresenceReporter
from controller.devices.shoes.mouth_names import MouthNames
from controller.devices.shoes.shoe_mouth import OpenPictures, open_encoded, shoe_mouth_config, window_of
from controller.devices.shoes.shoe_reader import shoe_reader
from controller.ports import Clock, ReportSink, Tap
from drivers.camera import Camera, PictureFault
from drivers.camera.config import without_password
from drivers.line import Connect, SerialStream
from drivers.shoe.driver import SerialShoe
from drivers.shoe.shoe_events import ShoeEvent
from vision.shoe_mouth import CODED_READ_PX, CodedMouth, UprightReader

SPOT_PX: Final = 4.0
"""Half the side of the square that is looked at in the middle of each light."""


def coded_mouth(section: CameraSection, models: Path | None) -> CodedMouth:
    """Load what reads the mouth. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    reader = UprightReader.open(section.leaves, CODED_READ_PX, models)
    return CodedMouth(reader, section.code, SPOT_PX)


def joined_shoe(
    sections: tuple[ShoeSection, CameraSection],
    reader: CodedMouth,
    clock: Clock,
    session: str,
    post: ReportSink,
    *,
    tap: Tap | None = None,
    connect: Connect = SerialStream,
    connect_camera: OpenPictures = open_encoded,
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
    connect: OpenPictures = open_encoded,
) -> Camera:
    """Build the camera alone; what every picture shows goes into `names`, from its thread."""
    presence = PresenceReporter(mouth.name, clock, post, required=True, port=without_password(mouth.source))
    window = window_of(mouth)

    def see(picture: NDArray[np.uint8], mono_ns: int) -> None:
        upright = window.upright(picture)
        if min(upright.shape) < 1:
            raise PictureFault("WINDOW_OUTSIDE")
        names.see(reader.look(picture, upright), mono_ns // 1_000_000)

    return Camera(
        shoe_mouth_config(mouth), clock, connect=connect, changed=presence.changed, tap=tap, each=see
    )
