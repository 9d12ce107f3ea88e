"""`stand17 plan camera`: the view of a camera over a table, or in a shoe's mouth, before it is bought.

Pixels of an index, light, exposure, blur and depth of field by a pinhole with a thin lens; lengths in
millimetres unless a name says metres. Every default has its source here.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

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


GAIN: Final = 4.0
"""What the sensor amplifies: its noise is still small then. Source: estimate."""


def exposure_ms(camera: PlannedCamera, lux: float) -> float:
    """Return the exposure time in this light."""
    area = (camera.pixel_mm * 1000 / _PIXEL_UM) ** 2
    at_sensor = lux * PAPER * LENS / (4 * camera.f_number**2)
    return 1000 * _FULL_VOLT * FILLED / (_VOLT_PER_LUX_S * GAIN * area * at_sensor)


def _view(
    camera: PlannedCamera, at_m: tuple[float, float], height_m: float, index_mm: float, moved_mm: float
) -> dict[str, Any]:
    """The view of an index below a camera that looks straight down, from the camera's foot on.

    `moved_mm` is the way of a card during the exposure.
    """
    scale = camera.focal_px / (height_m * 1000)
    index, blur = index_mm * scale, moved_mm * scale
    halves = (camera.width_px / 2, camera.height_px / 2)
    sees = all(abs(way) * 1000 * scale + index < half for way, half in zip(at_m, halves, strict=True))
    # A smeared index is read like one that is smaller by as much.
    read = share_read(max(index - blur, 0.0)) if sees else 0.0
    return {"sees": sees, "index_px": index, "blur_px": blur, "read_percent": 100 * read}


def share_read(index_px: float) -> float:
    """The share that is read at this height, between the measured points on a line."""
    import numpy as np

    heights, shares = zip(*_READ_SHARES, strict=True)
    return float(np.interp(index_px, heights, shares))


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
        _print_mouth(camera, field_mm, flash_us, _MOUTH_M_S if speed is None else speed, as_json=as_json)
        return
    exposure = exposure_ms(camera, lux)
    hyper, focus = camera.focal_mm**2 / (camera.f_number * camera.pixel_mm) + camera.focal_mm, height * 1000
    # The depth of field for one pixel of blur.
    near_m = hyper * focus / (hyper + focus) / 1000
    far_m = hyper * focus / (hyper - focus) / 1000 if hyper > focus else math.inf
    moved_mm = exposure * (_FELT_M_S if speed is None else speed)
    rows = []
    for box in range(boxes + 1):
        # The middle of a box's cards; box 0 is the dealer, the others stand on an arc.
        angle, radius = math.pi * box / (boxes + 1), 0.42 * width
        away = 0.12 + radius * math.sin(angle) * 0.75 if box else 0.18
        at_m = (-radius * math.cos(angle) if box else 0.0, away - back)
        rows.append({"box": box, **_view(camera, at_m, height, index_mm, moved_mm)})
    if as_json:
        far = far_m if far_m < _ENDLESS_M else None
        print_answer("camera_plan", exposure_ms=exposure, near_m=near_m, far_m=far, boxes=rows)
    else:
        far_words = f"{far_m:.2f} m" if far_m < _ENDLESS_M else "infinity"
        echo(f"exposure {exposure:.2f} ms, sharp from {near_m:.2f} m to {far_words}")
        _print_boxes(rows)


def _print_boxes(rows: Sequence[dict[str, Any]]) -> None:
    table = Table("box", "index px", "blur px", "read in one picture, %", box=None)
    for row in rows:
        name = str(row["box"] or "dealer")
        read = f"{row['read_percent']:.0f}" if row["sees"] else "not in the picture"
        table.add_row(name, f"{row['index_px']:.1f}", f"{row['blur_px']:.1f}", read)
    console().print(table)


def _print_mouth(
    camera: PlannedCamera, field_mm: float, flash_us: float, speed_m_s: float, *, as_json: bool
) -> None:
    """Print a passing card's view in the mouth: distance, blur of a flash, depth for one pixel of blur.

    `field_mm` is the width of the picture.
    """
    scale = camera.width_px / field_mm
    magnification = scale * camera.pixel_mm
    depth = 2 * camera.f_number * camera.pixel_mm * (1 + magnification) / magnification**2
    distance, blur = camera.focal_mm * (1 + 1 / magnification), speed_m_s * flash_us / 1000 * scale
    if as_json:
        print_answer("mouth_plan", px_per_mm=scale, distance_mm=distance, blur_px=blur, depth_mm=depth)
    else:
        echo(
            f"{scale:.1f} pixels a millimetre, lens {distance:.1f} mm from the card, "
            f"blur {blur:.2f} px, sharp within {depth:.1f} mm"
        )
