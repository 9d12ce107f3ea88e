"""The cameras of a table: the sections of a configuration in, cameras that can be opened out."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.config import TableConfig
from controller.config.cameras import CameraSection
from controller.devices.cameras.frame_follower import CameraPlan
from controller.devices.cameras.layouts import (
    BoxAt,
    CircleZone,
    NamedLayout,
    circle_zones,
    fitted,
    owned_boxes,
)
from controller.devices.presence import PresenceReporter
from controller.domain import ConfigError, DeviceError
from controller.ports import Clock, DeviceState, FrameSource, ReportSink, Tap
from controller.recording.format import SUFFIX, RecordingError
from controller.recording.recording_reader import Recording
from controller.runtime.contradictions import DEALER_BOX
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy, WitnessPlan
from drivers.camera import Camera, CameraConfig, Grabber, open_confined, open_reference
from drivers.lifecycle import LifePolicy
from drivers.replay import recorded_pictures
from vision.calibration import Layout, TableMap, latest_layout, layout_with, load_reference

_MISSED: Final = 3
"""A camera that sends seldom counts as stale after so many pictures that did not come. Not measured."""

StateListener = Callable[[DeviceState, str], None]
CameraFactory = Callable[[Clock, StateListener, Tap | None], FrameSource]


class CameraSetup(NamedTuple):
    """A camera over the table and where it sees the boxes."""

    section: CameraSection
    make: CameraFactory
    box_at: BoxAt
    layout: Layout | None = None


def camera_setups(config: TableConfig, *, placed: bool = False) -> tuple[CameraSetup, ...]:
    """Return the cameras of a configuration, unopened.

    `placed`: their drivers report a displaced camera, when no follower does.

    Raises `ConfigError` REFERENCE_UNREADABLE for a missing or invalid reference picture, and as `layout_of`
    and `fitted`.
    """
    shared = fitted(dealing_layouts(config))
    return tuple(
        CameraSetup(
            section,
            camera_factory(section, placed=placed),
            zones_of(section),
            shared.get(section.name) or layout_of(section),
        )
        for section in config.table_cameras
    )


def dealing_layouts(config: TableConfig) -> tuple[NamedLayout, ...]:
    """The cameras that deal, each with its layout; raises as `layout_of`."""
    found = ((section.name, layout_of(section)) for section in config.dealing_cameras)
    return tuple((name, layout) for name, layout in found if layout is not None)


LAYOUT_UNKNOWN: Final = "LAYOUT_UNKNOWN"


def layout_of(section: CameraSection, sha256: str = "") -> Layout | None:
    """Read the camera's layout file, or its last calibration in place; None without one.

    `sha256` selects another one of these files. Raises `ConfigError` as `load_layout`, LAYOUT_UNKNOWN for an
    unknown hash, and LAYOUT_OTHER_SIZE for a camera of another size.
    """
    if section.layout is None:
        return None
    found = layout_with(section.layout, sha256) if sha256 else latest_layout(section.layout)
    if found is None:
        raise ConfigError(LAYOUT_UNKNOWN, path=str(section.layout), sha256=sha256[:12])
    layout = found.layout
    own = (layout.camera.width, layout.camera.height)
    if section.width and section.height and (section.width, section.height) != own:
        size = {"width": section.width, "height": section.height}
        own_size = {"layout_width": own[0], "layout_height": own[1]}
        raise ConfigError("LAYOUT_OTHER_SIZE", file=section.name, **size, **own_size)
    return layout


def reference_of(section: CameraSection) -> NDArray[np.uint8] | None:
    """Return the picture of the camera in its place; None without one. Raises as `camera_setups`."""
    if section.reference is not None:
        return open_reference(section.reference)
    layout = layout_of(section)
    return None if layout is None or section.layout is None else load_reference(layout, section.layout)


def camera_factory(section: CameraSection, *, placed: bool = False) -> CameraFactory:
    """Make a camera when clock, listener and recorder are known; raises as `camera_setups`."""
    config = camera_config(section)._replace(placed=placed)
    reference = reference_of(section)
    return lambda clock, changed, tap: Camera(
        config, clock, connect=open_pictures, changed=changed, reference=reference, tap=tap
    )


def open_pictures(config: CameraConfig) -> Grabber:
    """Open a source of pictures in a process of its own; raises `DeviceError` DEVICE_OPEN_FAILED.

    A recording plays the camera of the same name, or its first camera without one.
    """
    if SUFFIX not in Path(config.source).suffixes:
        return open_confined(config)
    try:
        with Recording(Path(config.source)) as recording:
            names = {source for kind, source in recording.settings if kind == "jpeg"}
        camera = config.name if config.name in names else ""
        return recorded_pictures(Path(config.source), camera, loop=config.loop)
    except RecordingError as error:
        reason = "NOT_THERE" if error.code == "RECORDING_MISSING" else "NOT_OPENED"
        raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason=reason) from error


def camera_config(section: CameraSection) -> CameraConfig:
    """Return the driver's configuration of a camera; its follower reports a displacement."""
    return CameraConfig(
        section.name,
        section.source,
        section.width,
        section.height,
        section.fps,
        section.loop,
        section.fixed,
        LifePolicy(silence_ms=section.silence_ms, gaps=_MISSED),
        section.record_fps,
        placed=False,
    )


def zones_of(section: CameraSection) -> BoxAt:
    """Find boxes and dealer by the layout, or by the circles of the configuration.

    Pixels count in pictures of the size that the layout was calibrated with.
    """
    if (layout := layout_of(section)) is not None:
        return TableMap(layout, layout.camera.width, layout.camera.height).box_at
    zones = [
        CircleZone(zone.box or place, zone.x, zone.y, zone.radius)
        for place, zone in enumerate(section.boxes, 1)
    ]
    dealer = section.dealer
    if dealer is not None:
        zones.append(CircleZone(DEALER_BOX, dealer.x, dealer.y, dealer.radius))
    return circle_zones(tuple(zones))


def contradiction_detector(config: TableConfig) -> ContradictionDetector | None:
    """Return the detector that compares the cameras with the table; None without a camera.

    A dealing camera cannot contradict the table, which has its cards from it.
    """
    dealing = config.dealing_cameras
    policies = {
        camera.name: VotePolicy(camera.votes, camera.settle_ms)
        for camera in config.table_cameras
        if camera not in dealing
    }
    return ContradictionDetector(policies) if policies else None


def camera_plan(section: CameraSection, box_at: BoxAt) -> CameraPlan:
    """Tell how the camera's pictures are followed."""
    return CameraPlan(section.name, box_at, section.read_every_ms, section.certain, section.required)


def camera_presence(section: CameraSection, clock: Clock, post: ReportSink) -> PresenceReporter:
    """Make the reporter of the camera's coming and going."""
    return PresenceReporter(section.name, clock, post, required=section.required)


def witness_plan(config: TableConfig) -> WitnessPlan | None:
    """Return the dealing cameras and their shoe; None when the cards come from the shoe alone.

    Raises as `layout_of`.
    """
    names = tuple(section.name for section in config.dealing_cameras)
    if not names:
        return None
    witnesses = config.witnesses
    boxes = tuple((one.box, one.cameras) for one in owned_boxes(dealing_layouts(config)))
    going = witnesses.degrade, witnesses.degrade_by
    return WitnessPlan(names[0], config.shoe_name, *going, names[1:], boxes, witnesses.arrives_ms)


def require_boxes(config: TableConfig) -> None:
    """Raise `ConfigError` LAYOUT_NO_BOXES where the cameras that deal know no boxes, or no dealer."""
    numbers = {one.box for one in owned_boxes(dealing_layouts(config))}
    if config.dealing_cameras and (DEALER_BOX not in numbers or len(numbers) < 2):
        paths = ", ".join(str(section.layout) for section in config.dealing_cameras)
        raise ConfigError("LAYOUT_NO_BOXES", path=paths)
