"""Where a table's cards come from: a shoe that reads, a camera at its mouth, or both joined."""

from collections.abc import Callable

from controller.config import TableConfig
from controller.devices.shoes.joined_shoe import coded_mouth, joined_shoe
from controller.devices.shoes.shoe_mouth import (
    open_encoded,
    shoe_mouth_camera,
    shoe_mouth_config,
    shoe_mouth_watcher,
)
from controller.devices.shoes.shoe_reader import card_namer, require_port, shoe_reader
from controller.ports import Clock, FrameSource, ObservationSource, ReportSink, Tap
from drivers.camera import Camera

CardSource = ObservationSource | FrameSource
CardSourceFactory = Callable[[Clock, str, ReportSink, Tap | None], tuple[CardSource, ...]]
"""Builds the devices from clock, session (see `ShoeAdapter`), listener and recorder; opens nothing."""


def card_source(config: TableConfig) -> CardSourceFactory | None:
    """Load what the source of cards needs, before the table opens; None where no shoe is a witness.

    Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED, and `DeviceError` DEVICE_OPEN_FAILED for a shoe whose
    line cannot be opened now. A camera may come later: until then the table is held.
    """
    shoe, mouth = config.shoe, config.shoe_mouth
    folder = config.models.folder
    if shoe is not None:
        require_port(shoe)
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
    """Build the sources of cards for somebody who wants to know what is wrong with them: nothing is reported.

    None where no shoe is a witness. Raises `ConfigError` as `card_source`.
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
    """Build the sources of cards for somebody who only listens to them: nothing is read or reported."""
    shoe, mouth = config.shoe, config.shoe_mouth
    made: tuple[CardSource, ...] = ()
    if shoe is not None:
        made += (shoe_reader(shoe, clock, session, lambda _: None, tap),)
    if mouth is not None:
        made += (Camera(shoe_mouth_config(mouth), clock, connect=open_encoded, tap=tap),)
    return made
