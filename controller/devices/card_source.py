"""Where a table's cards come from: a shoe that reads by itself, or a camera at a shoe's mouth."""

from collections.abc import Callable

from controller.config import TableConfig
from controller.devices.shoe_mouth import (
    open_encoded,
    shoe_mouth_camera,
    shoe_mouth_config,
    shoe_mouth_watcher,
)
from controller.devices.shoe_reader import card_namer, require_port, shoe_reader
from controller.ports import Clock, FrameSource, ObservationSource, ReportSink, Tap
from drivers.camera import Camera

CardSource = ObservationSource | FrameSource
CardSourceFactory = Callable[[Clock, str, ReportSink, Tap | None], CardSource]
"""Builds the device from clock, session (see `ShoeAdapter`), listener and recorder; opens nothing."""


def card_source(config: TableConfig) -> CardSourceFactory | None:
    """Load what the source of cards needs, before the table opens; None where no shoe is a witness.

    Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED, and `DeviceError` DEVICE_OPEN_FAILED for a shoe whose
    line cannot be opened now. A camera may come later: until then the table is held.
    """
    shoe, mouth = config.shoe, config.shoe_mouth
    if shoe is not None:
        namer = card_namer(shoe, config.models.folder)
        require_port(shoe)
        return lambda clock, session, post, tap: shoe_reader(shoe, clock, session, post, tap, namer=namer)
    if mouth is None:
        return None
    watcher = shoe_mouth_watcher(mouth, config.models.folder)
    return lambda clock, session, post, tap: shoe_mouth_camera(mouth, watcher, clock, session, post, tap=tap)


def card_source_to_try(config: TableConfig, clock: Clock) -> CardSource | None:
    """Build the source of cards for somebody who wants to know what is wrong with it: nothing is told.

    None where no shoe is a witness.

    Raises `ConfigError` as `card_source`.
    """
    mouth = config.shoe_mouth
    if mouth is None:
        return unread_card_source(config, clock, "devices")
    return shoe_mouth_camera(
        mouth, shoe_mouth_watcher(mouth, config.models.folder), clock, "devices", lambda _: None
    )


def unread_card_source(
    config: TableConfig, clock: Clock, session: str, tap: Tap | None = None
) -> CardSource | None:
    """Build the source of cards for somebody who only listens to it: nothing is read, nothing is told.

    None where no shoe is a witness.
    """
    shoe, mouth = config.shoe, config.shoe_mouth
    if shoe is not None:
        return shoe_reader(shoe, clock, session, lambda _: None, tap)
    if mouth is None:
        return None
    return Camera(shoe_mouth_config(mouth), clock, connect=open_encoded, tap=tap)
