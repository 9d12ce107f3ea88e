"""The printed parts, for build123d: floor with window and pockets, roof, chamber, lamp bars, clip.

In these solids y is turned round: build123d's axes are right-handed, those of `geometry` have y to the
right. All sizes in millimetres. Print: PETG, matt black but for the floor's upper side, 0.2 mm layers, no
supports.
"""

from pathlib import Path
from typing import Any, Final

from build123d import (
    Align,
    Box,
    Compound,
    Cylinder,
    Pos,
    export_step,
    export_stl,
)

from design.geometry import CODE_SPOTS, READER, CardSize, Design

FLOOR: Final = 2.4
WALL: Final = 3.0
ROOF: Final = 2.4
PANE_ROOM: Final = 1.5
"""The pane is so much larger than the window on each side."""

FINGER: Final = (41.5, 54.0)
"""The slot in the roof through which a finger pushes the card, across the way; it lies beside the window,
over which the roof keeps the light of the room out."""

SENSOR_Y: Final = 66.0
PAPER_Y: Final = 86.0
PLATES_X: Final = (12.0, 32.0)
PLATES_Y: Final = (56.0, 76.0)
BEAM: Final = 3.1
"""Bore for a 3 mm infrared diode and its receiver."""

CHAMBER_WALL: Final = 2.4
BOARD: Final = 38.0
"""Side of a common camera board; four holes in a square of 34 mm."""
HOLES: Final = 34.0
SHOE_WIDTH: Final = (104.0, 118.0)
"""Outer widths of six- and eight-pack shoes between which the clip can be set. Source: estimate; measure
yours."""

LOW: Final = (Align.MIN, Align.MIN, Align.MIN)


def _block(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Any:
    """A box between two corners in the axes of `geometry`."""
    size = (x[1] - x[0], y[1] - y[0], z[1] - z[0])
    return Pos(x[0], -y[1], z[0]) * Box(*size, align=LOW)


def _bore(x: float, y: float, z: tuple[float, float], width: float) -> Any:
    return Pos(x, -y, z[0]) * Cylinder(width / 2, z[1] - z[0], align=(Align.CENTER, Align.CENTER, Align.MIN))


def floor(design: Design = READER) -> Any:
    """What cards slide on: window for the pane, beams, plates, paper sensor, code lights in its underside."""
    x0, x1 = design.tunnel
    across = (-1.0 - WALL, -1.0 + design.width + WALL)
    solid = _block((x0, x1), across, (-FLOOR, 0.0))
    pane, room = design.window, PANE_ROOM
    top, bottom = design.pane_z
    # The pane lies in a seat from below; above it the opening is the window's, so that no edge can catch a
    # card.
    solid -= _block((pane.x0, pane.x1), (pane.y0 - 1.0, pane.y1), (top - 0.1, 0.1))
    solid -= _block((pane.x0 - room, pane.x1 + room), (pane.y0 - room, pane.y1 + room), (bottom, top))
    # Below the pane the opening widens: light comes in flat from both long sides.
    solid -= _block((pane.x0 - 1, pane.x1 + 1), (pane.y0 - 5.5, pane.y1 + 6.0), (-FLOOR - 0.1, bottom + 0.01))
    for x in (design.inner_x, design.outer_x):
        solid -= _bore(x, SENSOR_Y, (-FLOOR - 0.1, 0.1), BEAM)
    solid -= _block(PLATES_X, PLATES_Y, (-FLOOR - 0.1, -0.8))
    solid -= _bore(22.0, PAPER_Y, (-FLOOR - 0.1, 0.1), 4.0)
    for x, y in CODE_SPOTS:
        solid -= _bore(x, y, (-FLOOR - 0.1, -1.0), 4.0)
    return solid


def roof(design: Design = READER) -> Any:
    """Side walls and roof over the cards, with the slot for the finger, beams and the upper plate."""
    x0, x1 = design.tunnel
    left, right = -1.0, -1.0 + design.width
    high = design.height
    solid = _block((x0, x1), (left - WALL, left), (0.0, high + ROOF))
    solid += _block((x0, x1), (right, right + WALL), (0.0, high + ROOF))
    solid += _block((x0, x1), (left, right), (high, high + ROOF))
    solid -= _block((x0 - 1, x1 + 1), FINGER, (high - 0.1, high + ROOF + 0.1))
    for x in (design.inner_x, design.outer_x):
        solid -= _bore(x, SENSOR_Y, (high - 0.1, high + ROOF + 0.1), BEAM)
    solid -= _block(PLATES_X, PLATES_Y, (high + 0.8, high + ROOF + 0.1))
    return solid


def chamber(design: Design = READER) -> Any:
    """The dark box under the floor: lamps on both long sides, camera board at its bottom, lens upwards."""
    seen = design.picture
    x = (seen.x0 - 3.0, seen.x1 + 3.0)
    y = (seen.y0 - 16.0, seen.y1 + 16.0)
    z = (design.lens_z - 26.0, -FLOOR)
    wall = CHAMBER_WALL
    solid = _block((x[0] - wall, x[1] + wall), (y[0] - wall, y[1] + wall), (z[0] - wall, z[1]))
    solid -= _block(x, y, (z[0], z[1] + 0.1))
    # A shelf carries the camera board; the lens looks through its middle.
    lens_x, lens_y, _ = design.lens
    shelf = design.lens_z - 12.0
    plate = _block(x, y, (shelf - 2.0, shelf))
    plate -= _bore(lens_x, lens_y, (shelf - 2.1, shelf + 0.1), 18.0)
    for dx in (-HOLES / 2, HOLES / 2):
        for dy in (-HOLES / 2, HOLES / 2):
            plate -= _bore(lens_x + dx, lens_y + dy, (shelf - 2.1, shelf + 0.1), 2.2)
    solid += plate
    # Cables leave below the shelf; the bottom is a lid in the print.
    solid -= _block((x[1] - 0.1, x[1] + wall + 0.1), (lens_y - 6, lens_y + 6), (z[0] + 2, z[0] + 10))
    return solid


def lamp_bars(design: Design = READER) -> Any:
    """Two strips on which three lamps each sit, turned to the window's middle."""
    solid = None
    for side in (-1, 1):
        y = design.lens[1] + side * 35.0
        bar = _block((-2.0, 42.0), (y - 1.2, y + 1.2), (-24.0, -20.6))
        solid = bar if solid is None else solid + bar
    return solid


def clip(design: Design = READER) -> Any:
    """Two arms that hold the shoe's front; each is set by a screw in its slot to the shoe's width."""
    x0 = design.tunnel[0]
    middle = design.width / 2 - 1.0
    solid = None
    for side in (-1, 1):
        inner = middle + side * SHOE_WIDTH[0] / 2
        outer = inner + side * 4.0
        arm = _block((x0 - 40.0, x0), (min(inner, outer), max(inner, outer)), (-FLOOR, 30.0))
        foot = _block(
            (x0 - 4.0, x0),
            (min(middle + side * 30.0, outer), max(middle + side * 30.0, outer)),
            (-FLOOR, 0.0),
        )
        slot = _block(
            (x0 - 2.6, x0 - 1.0), sorted_pair(middle + side * 34.0, middle + side * 44.0), (-FLOOR - 1, 1.0)
        )
        arm = arm + foot - slot
        solid = arm if solid is None else solid + arm
    return solid


def sorted_pair(one: float, other: float) -> tuple[float, float]:
    """Both, the smaller one first."""
    return min(one, other), max(one, other)


def card(size: CardSize, leading_x: float, side_y: float = 0.0, height: float = 0.05) -> Any:
    """A card at a place of its way; `height` of its face above the floor."""
    return _block(
        (leading_x - size.along, leading_x), (side_y, side_y + size.across), (height, height + size.thick)
    )


def parts(design: Design = READER) -> dict[str, Any]:
    """Every printed part by name."""
    return {
        "floor": floor(design),
        "roof": roof(design),
        "chamber": chamber(design),
        "lamp-bars": lamp_bars(design),
        "clip": clip(design),
    }


def export(folder: Path) -> dict[str, Any]:
    """Write STEP and STL of each part, and the whole as STEP; gives the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    made = parts()
    for name, solid in made.items():
        export_step(solid, str(folder / f"{name}.step"))
        export_stl(solid, str(folder / f"{name}.stl"))
    export_step(Compound(children=list(made.values())), str(folder / "reader.step"))
    return made
