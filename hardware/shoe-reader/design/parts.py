"""The printed parts, for build123d: floor with window and pockets, roof, chamber, lamp bars, clip.

In these solids y is turned round: build123d's axes are right-handed, those of `geometry` have y to the
right. All sizes in millimetres. Print: PETG, matt black but for the floor's upper side, 0.2 mm layers, no
supports.
"""

from pathlib import Path
from typing import Any, Final, NamedTuple

from build123d import (
    Align,
    Box,
    Compound,
    Cylinder,
    Plane,
    Polygon,
    Pos,
    Solid,
    export_step,
    export_stl,
    extrude,
)

from design.geometry import CODE_SPOTS, READER, CardSize, Design, Point

FLOOR: Final = 2.4
WALL: Final = 3.0
ROOF: Final = 2.4
WING: Final = (-33.0, 122.0)
"""How far the floor reaches across the way: it covers the chamber, and roof and clip are screwed to it."""

PANE_ROOM: Final = 1.5
"""The pane is so much larger than the window on each side."""

FINGER: Final = (41.5, 54.0)
"""The slot in the roof through which a finger pushes the card, across the way; it lies beside the window,
over which the roof keeps the light of the room out."""

SENSOR_Y: Final = 69.0
PAPER_Y: Final = 86.5
PLATES_X: Final = (11.5, 32.5)
PLATES_Y: Final = (65.0, 84.0)
BEAM: Final = 3.1
"""Bore for a 3 mm infrared diode and its receiver."""

CHAMBER_WALL: Final = 2.4
BOTTOM: Final = 4.0
HOLES: Final = 34.0
"""Side of the square of the camera board's four holes; the board's own is 38 mm."""
BAR_ASIDE: Final = 42.0
"""From the lens to the chamber's long walls, on which the lamp bars sit."""

SHOE_WIDTH: Final = (104.0, 118.0)
"""Outer widths of six- and eight-pack shoes between which the clip can be set. Source: estimate; measure
yours."""

ARM: Final = 4.0
"""Thickness of the clip's arms and feet, and of the chamber's posts above their screws."""

BOSS: Final = 10.0
"""Height of the floor's bosses, 8 mm wide: a screw holds in them and does not come through to the cards."""

PASSES: Final = 3.4
HOLDS: Final = 2.5
"""Bores for an M3 screw: it passes the first, and cuts its thread into the second."""

HEAD: Final = 6.5
"""Room for its head and for what turns it."""

CAMERA_HOLDS: Final = 1.7
"""The same for the camera's four M2 screws."""

LOW: Final = (Align.MIN, Align.MIN, Align.MIN)


class Screw(NamedTuple):
    """An M3 screw through one part into another: where its head sits, its way from there, in millimetres.

    `passed` of the way lie in the part that it passes, the rest in the one that holds it.
    """

    through: str
    into: str
    head: Point
    way: Point
    passed: float

    @property
    def long(self) -> float:
        """From the head's seat to the end of the bore."""
        return float(sum(abs(part) for part in self.way))

    def rod(self, width: float, begin: float, end: float) -> Any:
        """A cylinder around the screw's axis, from so far behind the head's seat to so far."""
        unit = [part / self.long for part in self.way]
        x, y, z = (at + begin * one for at, one in zip(self.head, unit, strict=True))
        axis = Plane(origin=(x, -y, z), z_dir=(unit[0], -unit[1], unit[2]))
        return Solid.make_cylinder(width / 2, end - begin, axis)


def screws(design: Design) -> tuple[Screw, ...]:
    """Everything that holds the parts together; the camera's and the circuit's screws need one part each."""
    middle, ears = design.lens[1], -FLOOR - BOSS - ARM
    walls = middle - BAR_ASIDE - CHAMBER_WALL, middle + BAR_ASIDE + CHAMBER_WALL
    return (
        *(Screw("floor", "roof", (x, y, -FLOOR), (0, 0, FLOOR + 4.8), FLOOR) for x, y in _EARS),
        *(Screw("chamber", "floor", (x, y, ears), (0, 0, ARM + 8.0), ARM) for x, y in _CHAMBER_BOSSES),
        *(Screw("clip", "floor", (x, y, ARM), (0, 0, -ARM - FLOOR - 8.0), ARM) for x, y in _CLIP_BOSSES),
        *(
            Screw("chamber", "lamp-bars", (x, y, -21.0), (0, way, 0), CHAMBER_WALL)
            for y, way in zip(walls, (6.2, -6.2), strict=True)
            for x in (2.0, 32.0)
        ),
    )


_EARS: Final = ((13.0, -8.0), (45.0, -8.0), (13.0, 96.9), (45.0, 96.9))
_CHAMBER_BOSSES: Final = ((14.0, -28.5), (50.0, -28.5), (-8.0, 69.5), (50.0, 69.5))
_CLIP_BOSSES: Final = ((-7.0, -28.5), (-7.0, 117.4))
_CIRCUIT_BOSSES: Final = ((14.0, 108.0), (48.0, 108.0))
"""Places of the screws, x and y. The circuit hangs under the floor beside the chamber."""


def _block(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Any:
    """A box between two corners in the axes of `geometry`."""
    size = (x[1] - x[0], y[1] - y[0], z[1] - z[0])
    return Pos(x[0], -y[1], z[0]) * Box(*size, align=LOW)


def _bore(x: float, y: float, z: tuple[float, float], width: float) -> Any:
    return Pos(x, -y, z[0]) * Cylinder(width / 2, z[1] - z[0], align=(Align.CENTER, Align.CENTER, Align.MIN))


def floor(design: Design = READER) -> Any:
    """What cards slide on: window for the pane, beams, plates, paper sensor, code lights in its underside."""
    x0, x1 = design.tunnel
    solid = _block((x0, x1), WING, (-FLOOR, 0.0))
    for x, y in (*_CHAMBER_BOSSES, *_CLIP_BOSSES, *_CIRCUIT_BOSSES):
        solid += _bore(x, y, (-FLOOR - BOSS, -FLOOR), 8.0)
    for x, y in _CIRCUIT_BOSSES:
        solid -= _bore(x, y, (-FLOOR - BOSS - 0.1, -FLOOR - 2.0), HOLDS)
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
    """Side walls and roof over the cards: slot for the finger, beams, upper plate, ears to screw it down."""
    x0, x1 = design.tunnel
    left, right = -1.0, -1.0 + design.width
    high = design.height
    solid = _block((x0, x1), (left - WALL, left), (0.0, high + ROOF))
    solid += _block((x0, x1), (right, right + WALL), (0.0, high + ROOF))
    solid += _block((x0, x1), (left, right), (high, high + ROOF))
    for x, y in _EARS:
        side = (y - 4.0, left - WALL) if y < left else (right + WALL, y + 4.0)
        solid += _block((x - 5.0, x + 5.0), side, (0.0, high + ROOF))
    solid -= _block((x0 - 1, x1 + 1), FINGER, (high - 0.1, high + ROOF + 0.1))
    for x in (design.inner_x, design.outer_x):
        solid -= _bore(x, SENSOR_Y, (high - 0.1, high + ROOF + 0.1), BEAM)
    solid -= _block(PLATES_X, PLATES_Y, (high + 0.8, high + ROOF + 0.1))
    return solid


def chamber(design: Design = READER) -> Any:
    """The dark box under the floor: lamp bars on both long walls, camera on its bottom, lens upwards."""
    seen, (lens_x, lens_y, lens_z), wall = design.picture, design.lens, CHAMBER_WALL
    # The walls begin just outside what the lens sees: the shoe stands as near as it can.
    x = (seen.x0 + 0.4, seen.x1 - 0.4)
    y = (lens_y - BAR_ASIDE, lens_y + BAR_ASIDE)
    bottom = lens_z - 12.0
    solid = _block((x[0] - wall, x[1] + wall), (y[0] - wall, y[1] + wall), (bottom - BOTTOM, -FLOOR))
    solid -= _block(x, y, (bottom, -FLOOR + 0.1))
    # The camera's plug is under its board.
    solid -= _bore(lens_x, lens_y, (bottom - BOTTOM - 0.1, bottom + 0.1), 18.0)
    for dx in (-HOLES / 2, HOLES / 2):
        for dy in (-HOLES / 2, HOLES / 2):
            solid -= _bore(lens_x + dx, lens_y + dy, (bottom - BOTTOM + 0.6, bottom + 0.1), CAMERA_HOLDS)
    for at_x, at_y in _CHAMBER_BOSSES:
        side = (at_y - 4.5, y[0] - wall) if at_y < lens_y else (y[1] + wall, at_y + 4.5)
        solid += _block((at_x - 5.0, at_x + 4.0), side, (bottom - BOTTOM, -FLOOR - BOSS))
        solid -= _bore(at_x, at_y, (bottom - BOTTOM - 0.1, -FLOOR - BOSS - ARM), HEAD)
    return solid


def lamp_bars(design: Design = READER) -> Any:
    """Two wedges on the chamber's long walls; three lamps on carriers of 10 mm sit on each one's slope."""
    solid = None
    for side in (-1, 1):
        slope = ((BAR_ASIDE, -25.3), (BAR_ASIDE, -16.7), (39.2, -16.7), (34.25, -25.3))
        corners = [(-(design.lens[1] + side * aside), z) for aside, z in slope]
        bar = extrude(Plane.YZ.offset(-2.0) * Polygon(*corners, align=None), 44.0, dir=(1, 0, 0))
        solid = bar if solid is None else solid + bar
    return solid


def clip(design: Design = READER) -> Any:
    """Two arms that hold the shoe's front; each is set by a screw in its foot's slot to the shoe's width."""
    x0 = design.tunnel[0]
    middle = design.width / 2 - 1.0
    solid = None
    for side, (hole_x, hole_y) in zip((-1, 1), _CLIP_BOSSES, strict=True):
        inner = middle + side * SHOE_WIDTH[0] / 2
        arm = _block((x0 - 40.0, x0 + 14.0), sorted_pair(inner, inner + side * ARM), (0.0, 30.0))
        arm += _block((x0, x0 + 14.0), sorted_pair(inner, inner + side * 26.0), (0.0, ARM))
        # Drawn at the narrowest: the slot lets the arm go outwards by half the difference.
        room = (SHOE_WIDTH[1] - SHOE_WIDTH[0]) / 2
        slot = sorted_pair(hole_y + side * PASSES / 2, hole_y - side * (room + PASSES / 2))
        arm -= _block((hole_x - PASSES / 2, hole_x + PASSES / 2), slot, (-0.1, ARM + 0.1))
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
    """Every printed part by name, bored for its screws."""
    made = {
        "floor": floor(design),
        "roof": roof(design),
        "chamber": chamber(design),
        "lamp-bars": lamp_bars(design),
        "clip": clip(design),
    }
    for screw in screws(design):
        made[screw.through] -= screw.rod(PASSES, -0.1, screw.passed + 0.1)
        made[screw.into] -= screw.rod(HOLDS, screw.passed - 0.1, screw.long)
    return made


def export(folder: Path) -> dict[str, Any]:
    """Write STEP and STL of each part, and the whole as STEP; gives the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    made = parts()
    for name, solid in made.items():
        export_step(solid, str(folder / f"{name}.step"))
        export_stl(solid, str(folder / f"{name}.stl"))
    export_step(Compound(children=list(made.values())), str(folder / "reader.step"))
    return made
