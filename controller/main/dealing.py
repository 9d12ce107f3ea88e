"""Where a table's cards come from: a shoe that reads by itself, or a camera at a shoe's mouth."""

from collections.abc import Callable

from controller.config import TableConfig
from controller.domain.errors import ConfigError
from controller.main.mouth import mouth_camera, mouth_config, open_mouth, watcher_of
from controller.main.shoe import namer_of, require_port, shoe_of
from controller.ports import Clock, FrameSource, ObservationSource, Report, Tap
from drivers.camera import Camera

Source = ObservationSource | FrameSource
MakeSource = Callable[[Clock, str, Callable[[Report], None], Tap | None], Source]
"""Builds the device from clock, session (see `ShoeAdapter`), listener and recorder; opens nothing."""


def source_of(config: TableConfig) -> MakeSource:
    """Load what the source of cards needs, before the table opens.

    Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED, and `DeviceError` DEVICE_OPEN_FAILED for a shoe whose
    line cannot be opened now. A camera may come later: until then the table is held.
    """
    shoe, mouth = config.shoe, config.mouth
    if shoe is not None:
        namer = namer_of(shoe, config.models.folder)
        require_port(shoe)
        return lambda clock, session, post, tap: shoe_of(shoe, clock, session, post, tap, namer=namer)
    if mouth is None:
        raise ConfigError("CONFIG_NO_CARDS")
    watcher = watcher_of(mouth, config.models.folder)
    return lambda clock, session, post, tap: mouth_camera(mouth, watcher, clock, session, post, tap=tap)


def tried_source_of(config: TableConfig, clock: Clock) -> Source:
    """Build the source of cards for somebody who wants to know what is wrong with it: nothing is told.

    Raises `ConfigError` as `source_of`.
    """
    mouth = config.mouth
    if mouth is None:
        return unread_source_of(config, clock, "devices")
    return mouth_camera(mouth, watcher_of(mouth, config.models.folder), clock, "devices", lambda _: None)


def unread_source_of(config: TableConfig, clock: Clock, session: str, tap: Tap | None = None) -> Source:
    """Build the source of cards for somebody who only listens to it: nothing is read, nothing is told."""
    shoe, mouth = config.shoe, config.mouth
    if shoe is not None:
        return shoe_of(shoe, clock, session, lambda _: None, tap)
    if mouth is None:
        raise ConfigError("CONFIG_NO_CARDS")
    return Camera(mouth_config(mouth), clock, connect=open_mouth, tap=tap)
