"""`stand17 plan camera`: what a camera over a table, or in a shoe's mouth, will see; before it is bought."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import typer
from rich.table import Table

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import console, echo
from controller.cli.setup.plan_optics import (
    BoxPlan,
    LightPlan,
    MouthPlan,
    PlannedCamera,
    TablePlan,
    box_plan,
    light,
    mouth_plan,
)

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Plan what is bought before it is bought.")

SENSORS: Final = {
    "1080p": PlannedCamera(1920, 1080, 5.57, 3.6, 2.0),
    "4k": PlannedCamera(3840, 2160, 5.57, 3.6, 2.0),
    "mouth": PlannedCamera(1280, 800, 3.84, 2.8, 2.0),
}
"""Sensors of 1/2.8 inch over the table, and of 1/4 inch (1280 x 800) in the mouth.

Source: the common formats; estimates for other makes, and `--sensor-mm` and `--focal-mm` take a data sheet's.
"""

FELT_M_S: Final = 0.02
MOUTH_M_S: Final = 2.0
"""A card that comes to rest on the felt (estimate), and the fastest draw that the mouth is built for."""

ENDLESS_M: Final = 1e6
"""From here on the depth of field is printed as having no end."""

Sensor = Literal["1080p", "4k", "mouth"]


@app.callback()
def plan() -> None:
    """Plan what is bought before it is bought."""


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
    """Say what will be read where, from the share by the index's height (docs/measurements/reader.md)."""
    shipped = SENSORS[sensor]
    camera = shipped._replace(
        focal_mm=focal_mm or shipped.focal_mm,
        sensor_mm=sensor_mm or shipped.sensor_mm,
        f_number=f_number or shipped.f_number,
    )
    if sensor == "mouth":
        passing = MOUTH_M_S if speed is None else speed
        _print_mouth(mouth_plan(camera, field_mm, flash_us, passing), as_json=as_json)
        return
    table = TablePlan(width, boxes, height, back, index_mm, lux, FELT_M_S if speed is None else speed)
    found = light(camera, table)
    rows = [box_plan(camera, table, box) for box in range(boxes + 1)]
    if as_json:
        far = found.far_m if found.far_m < ENDLESS_M else None
        print_answer("camera_plan", **found._asdict() | {"far_m": far}, boxes=[row._asdict() for row in rows])
    else:
        _print_camera(found, rows)


def _print_camera(found: LightPlan, rows: Sequence[BoxPlan]) -> None:
    far = f"{found.far_m:.2f} m" if found.far_m < ENDLESS_M else "infinity"
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
