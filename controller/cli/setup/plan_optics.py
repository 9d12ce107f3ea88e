"""What a camera will see: pixels of an index, light, exposure, blur and depth, as arithmetic. Pure.

A pinhole with a thin lens; lengths in millimetres unless a name says metres. Every default has its source
here.
"""

import math
from itertools import pairwise
from typing import Final, NamedTuple

READ_SHARES: Final = ((10.0, 0.0), (13.5, 0.045), (16.5, 0.373), (20.0, 0.676), (25.0, 0.912), (34.0, 0.938))
"""Height of an index (rank and pip) in pixels, and the share of readable ones that are read in one picture.

Source: docs/measurements/reader.md, Drawn stress; the middles of its rows.
"""

PAPER: Final = 0.8
LENS: Final = 0.9
"""Shares of light that paper gives back, and that a lens lets through. Source: estimates."""

VOLT_PER_LUX_S: Final = 4.0 / 3
FULL_VOLT: Final = 0.6
FILLED: Final = 0.7
"""A pixel's answer to light and where it ends; paper is to fill this share of it. Source: 4.0 V/(lux s) is
the data sheet's of the AR0141CS, pixels of 3 um (dtsheet.com/doc/1311235); a third of it behind colour
filters, and the rest, are estimates. Scaled by a pixel's area."""

PIXEL_UM: Final = 3.0


class PlannedCamera(NamedTuple):
    """A camera: picture in pixels, sensor's width, lens."""

    width_px: int
    height_px: int
    sensor_mm: float
    focal_mm: float
    f_number: float

    @property
    def pixel_mm(self) -> float:
        """A pixel's side on the sensor."""
        return self.sensor_mm / self.width_px

    @property
    def focal_px(self) -> float:
        """The focal length in pixels."""
        return self.focal_mm / self.pixel_mm


class TablePlan(NamedTuple):
    """A table seen from above: `width_m` across, `boxes` on an arc, the camera over its middle line.

    `height_m` is the camera's above the felt, `back_m` how far it hangs from the dealer's edge.
    """

    width_m: float = 1.8
    boxes: int = 7
    height_m: float = 1.5
    back_m: float = 0.5
    index_mm: float = 14.0
    lux: float = 500.0
    speed_m_s: float = 0.02


class BoxPlan(NamedTuple):
    """What one place gives; box 0 is the dealer. `sees`: it lies in the picture."""

    box: int
    sees: bool
    index_px: float
    blur_px: float
    read_percent: float


class LightPlan(NamedTuple):
    """Exposure that fills the scale as wanted, and the depth in which an index stays sharp."""

    exposure_ms: float
    near_m: float
    far_m: float


def place(table: TablePlan, box: int) -> tuple[float, float]:
    """Middle of a box's cards, metres from the middle of the dealer's edge: across, and away from it."""
    if box == 0:
        return 0.0, 0.18
    angle = math.pi * box / (table.boxes + 1)
    radius = 0.42 * table.width_m
    return -radius * math.cos(angle), 0.12 + radius * math.sin(angle) * 0.75


GAIN: Final = 4.0
"""What the sensor amplifies: its noise is still small then. Source: estimate."""


def exposure_ms(camera: PlannedCamera, lux: float) -> float:
    """How long the shutter has to be open in this light."""
    area = (camera.pixel_mm * 1000 / PIXEL_UM) ** 2
    at_sensor = lux * PAPER * LENS / (4 * camera.f_number**2)
    return 1000 * FULL_VOLT * FILLED / (VOLT_PER_LUX_S * GAIN * area * at_sensor)


def light(camera: PlannedCamera, table: TablePlan) -> LightPlan:
    """The exposure, and the depth of field for one pixel of blur."""
    hyper = camera.focal_mm**2 / (camera.f_number * camera.pixel_mm) + camera.focal_mm
    focus = table.height_m * 1000
    near = hyper * focus / (hyper + focus)
    far = hyper * focus / (hyper - focus) if hyper > focus else math.inf
    return LightPlan(exposure_ms(camera, table.lux), near / 1000, far / 1000)


def box_plan(camera: PlannedCamera, table: TablePlan, box: int) -> BoxPlan:
    """What the camera, looking straight down, gets of one place."""
    x, y = place(table, box)
    aside, along = x * 1000, (y - table.back_m) * 1000
    down = table.height_m * 1000
    scale = camera.focal_px / down
    sees = (
        abs(aside) * scale + table.index_mm * scale < camera.width_px / 2
        and abs(along) * scale + table.index_mm * scale < camera.height_px / 2
    )
    index = table.index_mm * scale
    blur = table.speed_m_s * exposure_ms(camera, table.lux) * scale
    # A smeared index is read like one that is smaller by as much.
    read = share_read(max(index - blur, 0.0)) if sees else 0.0
    return BoxPlan(box, sees, index, blur, 100 * read)


def share_read(index_px: float) -> float:
    """The share that is read at this height, between the measured points on a line."""
    points = READ_SHARES
    if index_px <= points[0][0]:
        return 0.0
    for (low, some), (high, more) in pairwise(points):
        if index_px <= high:
            return some + (more - some) * (index_px - low) / (high - low)
    return points[-1][1]


class MouthPlan(NamedTuple):
    """A camera in a shoe's mouth: its distance, blur of a flash, depth for one pixel of blur."""

    px_per_mm: float
    distance_mm: float
    blur_px: float
    depth_mm: float


def mouth_plan(camera: PlannedCamera, field_mm: float, flash_us: float, speed_m_s: float) -> MouthPlan:
    """What a card gives that passes at this speed; `field_mm` is what the picture shows across."""
    scale = camera.width_px / field_mm
    magnification = scale * camera.pixel_mm
    depth = 2 * camera.f_number * camera.pixel_mm * (1 + magnification) / magnification**2
    return MouthPlan(
        scale, camera.focal_mm * (1 + 1 / magnification), speed_m_s * flash_us / 1000 * scale, depth
    )
