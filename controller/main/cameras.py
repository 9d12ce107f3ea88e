"""The cameras of a table: built from the configuration, and what their coming and going means."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.config import TableConfig
from controller.config.cameras import CameraSection
from controller.domain.errors import ConfigError, DeviceError
from controller.domain.observations import DeviceSeen, Presence
from controller.ports import Clock, DeviceState, FrameSource, Report, Tap, Trouble
from controller.recording.errors import RecordingError
from controller.recording.format import SUFFIX
from controller.recording.reader import Recording
from controller.runtime.fusion import DEALER_BOX, Onlooker, Patience
from controller.runtime.watch import BoxAt, Zone, circles
from drivers.camera import Camera, CameraConfig, Grabber, open_reference, open_source
from drivers.lifecycle import LifePolicy
from drivers.replay import recorded_pictures
from vision.calibration import Layout, TableMap, load_layout, load_reference

Post = Callable[[Report], None]
Changed = Callable[[DeviceState, str], None]
MakeCamera = Callable[[Clock, Changed, Tap | None], FrameSource]


class Eyes(NamedTuple):
    """A camera over the table and where it sees the boxes."""

    section: CameraSection
    make: MakeCamera
    box_at: BoxAt
    layout: Layout | None = None


def eyes_of(config: TableConfig) -> tuple[Eyes, ...]:
    """Make the cameras of a configuration; nothing is opened yet.

    Raises `ConfigError` REFERENCE_UNREADABLE for a reference picture that is not there or none, and what
    `layout_of` raises.
    """
    return tuple(
        Eyes(section, camera_maker(section), zones_of(section), layout_of(section)) for section in config.eyes
    )


def layout_of(section: CameraSection) -> Layout | None:
    """Read the camera's layout file, None without one.

    Raises `ConfigError` as `load_layout`, and LAYOUT_OTHER_SIZE when the camera is asked for another size.
    """
    if section.layout is None:
        return None
    layout = load_layout(section.layout)
    own = (layout.camera.width, layout.camera.height)
    if section.width and section.height and (section.width, section.height) != own:
        size = {"width": section.width, "height": section.height}
        own_size = {"layout_width": own[0], "layout_height": own[1]}
        raise ConfigError("LAYOUT_OTHER_SIZE", file=section.name, **size, **own_size)
    return layout


def camera_maker(section: CameraSection) -> MakeCamera:
    """Make a camera when clock, listener and recorder are known; raises as `eyes_of`."""
    config = driver_config(section)
    reference = open_reference(section.reference) if section.reference is not None else None
    layout = layout_of(section)
    if reference is None and layout is not None and section.layout is not None:
        reference = load_reference(layout, section.layout)
    return lambda clock, changed, tap: Camera(
        config, clock, connect=open_pictures, changed=changed, reference=reference, tap=tap
    )


def open_pictures(config: CameraConfig) -> Grabber:
    """Open a source of pictures; raises `DeviceError` DEVICE_OPEN_FAILED.

    A recording plays those of the camera of the same name, or of its first camera when it has none.
    """
    if SUFFIX not in Path(config.source).suffixes:
        return open_source(config)
    try:
        with Recording(Path(config.source)) as recording:
            names = {source for kind, source in recording.settings if kind == "jpeg"}
        camera = config.name if config.name in names else ""
        return recorded_pictures(Path(config.source), camera, loop=config.loop)
    except RecordingError as error:
        reason = "NOT_THERE" if error.code == "RECORDING_MISSING" else "NOT_OPENED"
        raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason=reason) from error


def driver_config(section: CameraSection) -> CameraConfig:
    """Tell the driver what the configuration asks for."""
    return CameraConfig(
        section.name,
        section.source,
        section.width,
        section.height,
        section.fps,
        section.loop,
        section.fixed,
        LifePolicy(silence_ms=section.silence_ms),
        section.record_fps,
    )


def zones_of(section: CameraSection) -> BoxAt:
    """Find boxes and dealer by the layout, or by the circles of the configuration.

    Pixels count in pictures of the size that the layout was calibrated with.
    """
    if (layout := layout_of(section)) is not None:
        return TableMap(layout, layout.camera.width, layout.camera.height).box_at
    zones = [
        Zone(zone.box or place, zone.x, zone.y, zone.radius) for place, zone in enumerate(section.boxes, 1)
    ]
    dealer = section.dealer
    if dealer is not None:
        zones.append(Zone(DEALER_BOX, dealer.x, dealer.y, dealer.radius))
    return circles(tuple(zones))


def onlooker_of(config: TableConfig) -> Onlooker | None:
    """Compare what the cameras see with the table, each by its own patience; None without a camera."""
    patience = {camera.name: Patience(camera.votes, camera.settle_ms) for camera in config.eyes}
    return Onlooker(patience) if patience else None


def camera_news(section: CameraSection, clock: Clock, post: Post) -> Changed:
    """Tell the table when the camera comes and goes; opening and waiting are no news.

    A camera that keeps breaking and was given up is told as well: only a person brings it back.
    """
    told: Presence | None = None

    def changed(state: DeviceState, _reason: str) -> None:
        nonlocal told
        seen: Presence = state if state == "live" or state == "stale" else "lost"  # noqa: PLR1714 - narrows
        troubles: tuple[Trouble, ...] = ()
        if state == "fault":
            troubles = (Trouble("DEVICE_FAULT", (("name", section.name),), hold=section.required),)
        if state != "opening" and (seen != told or troubles):
            told = seen
            post(_report(section, seen, clock.mono_ns(), troubles))

    return changed


def _report(section: CameraSection, seen: Presence, mono_ns: int, troubles: tuple[Trouble, ...]) -> Report:
    """Say that a camera came or went. One that is not required only warns: the table goes on without it."""
    if section.required:
        return Report(section.name, mono_ns, (DeviceSeen(section.name, seen),), troubles)
    if seen != "live":
        code = "DEVICE_STALE" if seen == "stale" else "DEVICE_LOST"
        troubles += (Trouble(code, (("name", section.name),), hold=False),)
    return Report(section.name, mono_ns, (), troubles)
