"""The cameras of a table: sections of a configuration in, cameras that can be opened out.

With the boxes in each camera's picture and, for several cameras over one plan, the owner of each box.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.config import CameraSection, TableConfig
from controller.devices.inputs import PresenceReporter
from controller.domain import ConfigError, DeviceError
from controller.ports import Clock, DeviceState, FrameSource, ReportSink, Tap
from controller.recording.format import SUFFIX, RecordingError
from controller.recording.recording_reader import Recording
from controller.runtime.contradictions import DEALER_BOX, Pixel
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy, WitnessPlan
from drivers.camera import Camera, CameraConfig, Grabber, open_confined, open_reference
from drivers.device_driver import LifePolicy
from drivers.replay import RecordedPictures
from vision.calibration import (
    Layout,
    TableMap,
    check_zones,
    latest_layout,
    layout_with,
    load_reference,
    zone_name,
)

BoxAt = Callable[[Pixel], int | None]
"""Tells the box at a place in the picture: 0 is the dealer, None is nobody's."""


class CircleZone(NamedTuple):
    """A circle in the picture, in pixels, in which the cards of a box lie; box 0 is the dealer."""

    box: int
    x: float
    y: float
    radius: float


def circle_zones(zones: Iterable[CircleZone]) -> BoxAt:
    """Return the `BoxAt` of round zones: the nearest centre, measured in its radius."""
    known = tuple(zones)

    def box_at(at: Pixel) -> int | None:
        distances = {zone: ((at[0] - zone.x) ** 2 + (at[1] - zone.y) ** 2) / zone.radius**2 for zone in known}
        nearest = min(distances, key=distances.__getitem__, default=None)
        return nearest.box if nearest is not None and distances[nearest] <= 1 else None

    return box_at


NamedLayout = tuple[str, Layout]
"""A camera's name, and what it was calibrated with."""

APART_MM: Final = 10.0
"""The same box lies no further apart in two layouts. Not measured: by one plan they are the same."""


class OwnedBox(NamedTuple):
    """A box (0: the dealer), the camera that owns it, and its pixels a millimetre there.

    `cameras` are all that see the box, the owner first.
    """

    box: int
    camera: str
    px_per_mm: float
    cameras: tuple[str, ...]


def owned_boxes(cameras: Sequence[NamedLayout]) -> tuple[OwnedBox, ...]:
    """Return each box that any camera sees, with its owner, by number.

    The owner has most pixels per millimetre at the box's worst corner; among equal ones (to a thousandth),
    the camera named first.
    """
    seen: dict[int, list[tuple[float, str]]] = {}
    for name, layout in cameras:
        for zone in layout.zone:
            if zone.number is not None:
                px_per_mm = round(float(layout.flat.px_per_mm(zone.corners()).min()), 3)
                seen.setdefault(zone.number, []).append((px_per_mm, name))
    owned = []
    for box in sorted(seen):
        best_first = sorted(seen[box], key=lambda one: -one[0])
        px_per_mm, camera = best_first[0]
        owned.append(OwnedBox(box, camera, px_per_mm, tuple(name for _, name in best_first)))
    return tuple(owned)


def fitted(cameras: Sequence[NamedLayout]) -> dict[str, Layout]:
    """Return the layouts with the owner's outline for each box, so that all cameras agree on a card's box.

    Raises `ConfigError` LAYOUTS_APART for a box that lies elsewhere in another layout, and LAYOUTS_CLASH for
    a box that overlaps another zone of the other layout.
    """
    _require_one_plane(cameras)
    layouts = dict(cameras)
    owner = {one.box: one.camera for one in owned_boxes(cameras)}
    outline = {
        zone_name(zone): zone
        for name, layout in cameras
        for zone in layout.zone
        if zone.number is not None and owner[zone.number] == name
    }
    found = {}
    for name, layout in layouts.items():
        zones = tuple(outline.get(zone_name(zone), zone) for zone in layout.zone)
        try:
            check_zones(zones)
        except ValueError as error:
            raise ConfigError("LAYOUTS_CLASH", error=f"{name}: {error}") from error
        found[name] = layout.model_copy(update={"zone": zones})
    return found


def _require_one_plane(cameras: Sequence[NamedLayout]) -> None:
    for (name, layout), (other, second) in combinations(cameras, 2):
        for box, apart in _apart_mm(layout, second):
            if apart > APART_MM:
                raise ConfigError("LAYOUTS_APART", camera=name, other=other, box=box, mm=round(apart))


def _apart_mm(one: Layout, other: Layout) -> Iterator[tuple[int, float]]:
    """Yield the distance between the centres of each common box, in millimetres."""
    middles = [{zone.number: zone.corners().mean(0) for zone in layout.zone} for layout in (one, other)]
    for box in sorted(number for number in middles[0] if number is not None and number in middles[1]):
        yield box, float(np.hypot(*(middles[0][box] - middles[1][box])))


_MISSED: Final = 3
"""A camera that sends seldom counts as stale after so many pictures that did not come. Not measured."""

StateListener = Callable[[DeviceState, str], None]

CameraFactory = Callable[[Clock, StateListener, Tap | None], FrameSource]


class CameraPlan(NamedTuple):
    """The settings for following one camera: `name` is its own, `box_at` locates the boxes.

    The table receives the cards' places every `read_every_ms`; a card counts from the probability `certain`
    on.
    """

    name: str
    box_at: BoxAt
    read_every_ms: int
    certain: float
    required: bool = True
    """Whether the table waits for it; of any other camera there is a warning."""


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
        return RecordedPictures(Path(config.source), camera, loop=config.loop)
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
