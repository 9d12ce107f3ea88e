"""`stand17 plan camera`: the view of a camera over a table, or in a shoe's mouth, before it is bought.

Pixels of an index, light, exposure, blur and depth of field by a pinhole with a thin lens; lengths in
millimetres unless a name says metres. Every default has its source here.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal, NamedTuple

import typer
from rich.table import Table

from controller.cli.application import AsJson
from controller.cli.output import console, echo, print_answer

_READ_SHARES: Final = ((10.0, 0.0), (13.5, 0.045), (16.5, 0.373), (20.0, 0.676), (25.0, 0.912), (34.0, 0.938))
"""Height of an index (rank and pip) in pixels, and the share of readable ones that are read in one picture.

Source: docs/measurements/reader.md, Drawn stress; the middles of its rows.
"""

PAPER: Final = 0.8
LENS: Final = 0.9
"""Shares of light that paper gives back, and that a lens lets through. Source: estimates."""

_VOLT_PER_LUX_S: Final = 4.0 / 3
_FULL_VOLT: Final = 0.6
FILLED: Final = 0.7
"""A pixel's answer to light and where it ends; paper is to fill this share of it. Source: 4.0 V/(lux s) is
the data sheet's of the AR0141CS, pixels of 3 um (dtsheet.com/doc/1311235); a third of it behind colour
filters, and the rest, are estimates. Scaled by a pixel's area."""

_PIXEL_UM: Final = 3.0


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
    """The reading at one place; box 0 is the dealer. `sees`: it lies in the picture."""

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
    """Return the exposure time in this light."""
    area = (camera.pixel_mm * 1000 / _PIXEL_UM) ** 2
    at_sensor = lux * PAPER * LENS / (4 * camera.f_number**2)
    return 1000 * _FULL_VOLT * FILLED / (_VOLT_PER_LUX_S * GAIN * area * at_sensor)


def light(camera: PlannedCamera, table: TablePlan) -> LightPlan:
    """The exposure, and the depth of field for one pixel of blur."""
    hyper = camera.focal_mm**2 / (camera.f_number * camera.pixel_mm) + camera.focal_mm
    focus = table.height_m * 1000
    near = hyper * focus / (hyper + focus)
    far = hyper * focus / (hyper - focus) if hyper > focus else math.inf
    return LightPlan(exposure_ms(camera, table.lux), near / 1000, far / 1000)


def _box_plan(camera: PlannedCamera, table: TablePlan, box: int) -> BoxPlan:
    """Return the view of one place by a camera that looks straight down."""
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
    points = _READ_SHARES
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
    """Return the view of a card passing at this speed; `field_mm` is the width of the picture."""
    scale = camera.width_px / field_mm
    magnification = scale * camera.pixel_mm
    depth = 2 * camera.f_number * camera.pixel_mm * (1 + magnification) / magnification**2
    return MouthPlan(
        scale, camera.focal_mm * (1 + 1 / magnification), speed_m_s * flash_us / 1000 * scale, depth
    )


app = typer.Typer(add_completion=False, no_args_is_help=True, help="Plan what is bought before it is bought.")

_SENSORS: Final = {
    "1080p": PlannedCamera(1920, 1080, 5.57, 3.6, 2.0),
    "4k": PlannedCamera(3840, 2160, 5.57, 3.6, 2.0),
    "mouth": PlannedCamera(1280, 800, 3.84, 2.8, 2.0),
}
"""Sensors of 1/2.8 inch over the table, and of 1/4 inch (1280 x 800) in the mouth.

Source: the common formats; estimates for other makes, and `--sensor-mm` and `--focal-mm` take a data sheet's.
"""

_FELT_M_S: Final = 0.02
_MOUTH_M_S: Final = 2.0
"""A card that comes to rest on the felt (estimate), and the fastest draw that the mouth is built for."""

_ENDLESS_M: Final = 1e6
"""From here on the depth of field is printed as having no end."""

Sensor = Literal["1080p", "4k", "mouth"]


@app.callback()
def plan() -> None:
    """Plan devices before you buy them."""


@app.command("camera")
def plan_camera(
    *,
    sensor: Annotated[
        Sensor, typer.Option(help="1080p, 4k, or mouth: a camera in the shoe's mouth.")
    ] = "1080p",
    width: Annotated[float, typer.Option(help="The table's width, metres.", min=0.5, max=5)] = 1.8,
    height: Annotated[float, typer.Option(help="The camera above the felt, metres.", min=0.3, max=5)] = 1.5,
    back: Annotated[
        float, typer.Option(help="The camera from the dealer's edge, metres.", min=0, max=3)
    ] = 0.5,
    boxes: Annotated[int, typer.Option(min=1, max=7)] = 7,
    focal_mm: Annotated[float | None, typer.Option(help="The lens.", min=1, max=100)] = None,
    sensor_mm: Annotated[float | None, typer.Option(help="The sensor's width.", min=1, max=40)] = None,
    f_number: Annotated[float | None, typer.Option(min=0.7, max=22)] = None,
    index_mm: Annotated[float, typer.Option(help="Rank and pip together.", min=4, max=45)] = 14.0,
    lux: Annotated[float, typer.Option(help="Light on the felt.", min=1, max=100_000)] = 500.0,
    speed: Annotated[
        float | None,
        typer.Option(help="A card's, metres a second: 0.02, in the mouth 2.", min=0, max=5),
    ] = None,
    field_mm: Annotated[
        float, typer.Option(help="mouth: what the picture shows across.", min=10, max=200)
    ] = 64.0,
    flash_us: Annotated[float, typer.Option(help="mouth: the flash.", min=1, max=10_000)] = 40.0,
    as_json: AsJson = False,
) -> None:
    """Print the share of cards read at each place, by the index's height (docs/measurements/reader.md)."""
    shipped = _SENSORS[sensor]
    camera = shipped._replace(
        focal_mm=focal_mm or shipped.focal_mm,
        sensor_mm=sensor_mm or shipped.sensor_mm,
        f_number=f_number or shipped.f_number,
    )
    if sensor == "mouth":
        passing = _MOUTH_M_S if speed is None else speed
        _print_mouth(mouth_plan(camera, field_mm, flash_us, passing), as_json=as_json)
        return
    table = TablePlan(width, boxes, height, back, index_mm, lux, _FELT_M_S if speed is None else speed)
    found = light(camera, table)
    rows = [_box_plan(camera, table, box) for box in range(boxes + 1)]
    if as_json:
        far = found.far_m if found.far_m < _ENDLESS_M else None
        print_answer("camera_plan", **found._asdict() | {"far_m": far}, boxes=[row._asdict() for row in rows])
    else:
        _print_camera(found, rows)


def _print_camera(found: LightPlan, rows: Sequence[BoxPlan]) -> None:
    far = f"{found.far_m:.2f} m" if found.far_m < _ENDLESS_M else "infinity"
    echo(f"exposure {found.exposure_ms:.2f} ms, sharp from {found.near_m:.2f} m to {far}")
    table = Table("box", "index px", "blur px", "read in one picture, %", box=None)
    for row in rows:
        name = "dealer" if row.box == 0 else str(row.box)
        read = f"{row.read_percent:.0f}" if row.sees else "not in the picture"
        table.add_row(name, f"{row.index_px:.1f}", f"{row.blur_px:.1f}", read)
    console().print(table)


def _print_mouth(answer: MouthPlan, *, as_json: bool) -> None:
    if as_json:
        print_answer("mouth_plan", **answer._asdict())
        return
    echo(
        f"{answer.px_per_mm:.1f} pixels a millimetre, lens {answer.distance_mm:.1f} mm from the card, "
        f"blur {answer.blur_px:.2f} px, sharp within {answer.depth_mm:.1f} mm"
    )
