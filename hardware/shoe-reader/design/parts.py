"""The printed parts, for build123d: floor, roof in two halves, chamber, carriage, tray, slide, plinth.

In these solids y is turned round: build123d's axes are right-handed, those of `geometry` have y to the
right. All sizes in millimetres. Print: PETG, matt black but for the floor's upper side, 0.2 mm layers, no
supports.
"""

import math
from collections.abc import Iterable
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
    Sphere,
    export_step,
    export_stl,
    extrude,
)

from design.geometry import CODE_SPOTS, FINGER, PAPER, PLATES, READER, SENSOR_Y, CardSize, Design, Point
from design.thickness import CARD_MM, RIM_MM, SKIN_MM

FLOOR: Final = 2.4
_WALL: Final = 3.0
_ROOF: Final = 4.0
_FOIL_ROOF: Final = 2.4
"""The roof over the window, which a hand leans on, and that over the foils."""

_WING: Final = (-14.0, 142.0)
"""How far the floor reaches across the way: chamber, tray, roof, slide and plinth are screwed to it."""

_PANE_ROOM: Final = (1.5, 0.3)
"""The pane's seat is so much larger than the window on three sides, and where cards leave it."""

_PANE_PLAY: Final = 0.2
_SLOPE: Final = 4.0
"""Where cards leave the window the floor rises over this length, from just below the pane."""

_BEAM: Final = 3.1
"""Bore for a 3 mm infrared diode and its receiver."""

_EYE: Final = (3.8, 3.1, 1.7)
"""Seat of the QRE1113: 3.6 x 2.9 x 1.7 mm at most (its data sheet), and play."""

_EYE_WINDOW: Final = (3.2, 2.2)

_CHAMBER_WALL: Final = 2.4
BOTTOM: Final = 2.0
PADS: Final = 1.0
"""Self-adhesive felt pads under everything that stands on the table."""

_LIGHT_ROOM: Final = ((-24.0, 70.0), (-1.0, 46.0))
_CAMERA_ROOM: Final = ((-1.0, 41.0), (46.0, 79.0))
"""Insides of the chamber: under the window, and along the camera's axis."""

_MIRROR: Final = (58.0, 37.0, 1.1)
"""First-surface mirror: its coated face is the plane that `geometry` computes with."""

HOLES: Final = 34.0
"""Side of the square of the camera board's four holes; the board's own is 38 mm. Source: the usual pattern of
boards of this size; measure yours."""

_CARRIAGE: Final = (4.0, 9.5)
"""Thickness of the carriage's plate, and length of its feet, which slide along the camera's axis."""

_BOSS: Final = 10.0
"""Height of the floor's bosses, 8 mm wide: a screw holds in them and does not come through to the cards."""

ARM: Final = 4.0
"""Thickness of what is screwed to a boss."""

PASSES: Final = 3.4
HOLDS: Final = 2.5
"""Bores for an M3 screw: it passes the first, and cuts its thread into the second."""

HEAD: Final = 6.5
"""Room for its head and for what turns it."""

_CAMERA_HOLDS: Final = 1.7
"""The same for the camera's four M2 screws."""

SHOE: Final = (119.0, 6.0)
"""Room for a shoe across, packed out with foam, and how high its mouth lies above its own base. Source:
estimates; measure yours and set both before printing the plinth."""

_CLAMP_X: Final = (9.0, 31.0)
_CLAMP_Y: Final = 130.0
_CABLES_X: Final = (17.0, 23.0)
"""The clamp's screws, and the cables under it."""

_BOARD: Final = ((-8.0, 54.0), (88.0, 122.0), 14.0)
"""The stripboard's four posts, x and y, and how high it lies over the tray's bottom."""

_LOW: Final = (Align.MIN, Align.MIN, Align.MIN)

_EARS: Final = ((8.0, -8.0), (38.0, -8.0), (8.0, 96.9), (38.0, 96.9))
_CHAMBER: Final = ((-8.0, -8.0), (50.0, -8.0), (-12.0, 54.0), (54.0, 54.0))
_TRAY: Final = ((-5.0, 135.0), (52.0, 135.0))
_SLIDE: Final = ((67.0, -8.0), (67.0, 96.0))
_PLINTH: Final = ((-20.0, -8.0), (-20.0, 96.0))
"""Places of the screws, x and y: what each part hangs from."""


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
    """Everything that holds the parts together; the camera's own screws need one part each."""
    ears = -FLOOR - _BOSS - ARM
    hung = (("chamber", _CHAMBER), ("tray", _TRAY), ("slide", _SLIDE), ("plinth", _PLINTH))
    (left, right), _ = _CAMERA_ROOM
    foot = design.axis_z - design.stack.board_mm / 2 + 3.5 if design.axis_z is not None else 0.0
    middle = sum(design.carriage()) / 2 + _CARRIAGE[0] + _CARRIAGE[1] / 2
    return (
        *(
            Screw(
                "floor", "roof-window" if y < 0 else "roof-foils", (x, y, -FLOOR), (0, 0, FLOOR + 4.8), FLOOR
            )
            for x, y in _EARS
        ),
        *(
            Screw(name, "floor", (x, y, ears), (0, 0, ARM + 8.0), ARM)
            for name, places in hung
            for x, y in places
        ),
        *(
            Screw("chamber", "carriage", (x, middle, foot), (way, 0, 0), _CHAMBER_WALL)
            for x, way in ((left - _CHAMBER_WALL, 8.0), (right + _CHAMBER_WALL, -8.0))
        ),
        *(
            Screw("clamp", "tray", (x, _CLAMP_Y, _tray_bottom(design) + 12.0), (0, 0, -11.0), 5.0)
            for x in _CLAMP_X
        ),
    )


def _tray_bottom(design: Design) -> float:
    """The inside of the tray's and of the chamber's bottom."""
    return design.bottom_z + PADS + BOTTOM


def _block(x: Iterable[float], y: Iterable[float], z: Iterable[float]) -> Any:
    """A box between two corners in the axes of `geometry`."""
    (x0, x1), (y0, y1), (z0, z1) = x, y, z
    return Pos(x0, -y1, z0) * Box(x1 - x0, y1 - y0, z1 - z0, align=_LOW)


def _bore(x: float, y: float, z: tuple[float, float], width: float) -> Any:
    return Pos(x, -y, z[0]) * Cylinder(width / 2, z[1] - z[0], align=(Align.CENTER, Align.CENTER, Align.MIN))


def _along_x(corners: Iterable[tuple[float, float]], x: tuple[float, float]) -> Any:
    """A prism along the way; corners are y and z."""
    flat = Plane.YZ.offset(x[0]) * Polygon(*[(-y, z) for y, z in corners], align=None)
    return extrude(flat, x[1] - x[0], dir=(1, 0, 0))


def _along_y(corners: Iterable[tuple[float, float]], y: tuple[float, float]) -> Any:
    """A prism across the way; corners are x and z."""
    flat = Plane.XZ.offset(y[0]) * Polygon(*corners, align=None)
    return extrude(flat, y[1] - y[0], dir=(0, -1, 0))


def pane(design: Design = READER) -> Any:
    """The pane in its seat."""
    window, (wide, near) = design.window, _PANE_ROOM
    top, bottom = design.pane_z
    x = (window.x0 - wide + _PANE_PLAY, window.x1 + near - _PANE_PLAY)
    return _block(x, (window.y0 - wide + _PANE_PLAY, window.y1 + wide - _PANE_PLAY), (bottom, top))


def floor(design: Design = READER) -> Any:
    """What cards slide on: window for the pane, beams, foils, reflective sensor, code lights underneath."""
    solid = _block((design.tunnel[0], design.floor_end), _WING, (-FLOOR, 0.0))
    for x, y in (*_CHAMBER, *_TRAY, *_SLIDE, *_PLINTH):
        solid += _bore(x, y, (-FLOOR - _BOSS, -FLOOR), 8.0)
    window, (wide, near) = design.window, _PANE_ROOM
    top = design.pane_z[0]
    begin, seat_y = window.x1 + near, (window.y0 - wide, window.y1 + wide)
    # The pane lies in a seat from below; above it the opening is the window's. Where cards leave it there is
    # no rim over the pane: the floor begins lower than the pane and rises, so no bent card meets an edge.
    solid -= _block((window.x0 - wide, begin), seat_y, (-FLOOR - 0.1, top))
    solid -= _block((window.x0, begin), (window.y0 - 0.5, window.y1 + 0.5), (top - 0.1, 0.1))
    slope = ((begin, top - 0.1), (begin + _SLOPE, 0.0), (begin + _SLOPE, 0.1), (begin, 0.1))
    solid -= _along_y(slope, (window.y0 - 0.5, window.y1 + 0.5))
    # Light comes in flat from beyond that edge.
    solid -= _block((begin - 0.1, begin + 3.0), seat_y, (-FLOOR - 0.1, -1.3))
    for x in (design.inner_x, design.outer_x):
        solid -= _bore(x, SENSOR_Y, (-FLOOR - 0.1, 0.1), _BEAM)
    solid -= _foil_room((-FLOOR - 0.1, -SKIN_MM), RIM_MM + _PANE_PLAY)
    (x, y), (long, across, deep) = PAPER, _EYE
    solid -= _block(
        (x - long / 2, x + long / 2), (y - across / 2, y + across / 2), (-FLOOR - 0.1, -FLOOR + deep)
    )
    long, across = _EYE_WINDOW
    solid -= _block((x - long / 2, x + long / 2), (y - across / 2, y + across / 2), (-FLOOR, 0.1))
    for x, y in CODE_SPOTS:
        solid -= _bore(x, y, (-FLOOR - 0.1, -1.0), 4.0)
    # The wires of the lights, and those that come down from the roof.
    solid -= _block((-8.5, -7.5), (CODE_SPOTS[0][1], 52.0), (-FLOOR - 0.1, -FLOOR + 0.8))
    solid -= _block((14.0, 30.0), (102.0, 106.0), (-FLOOR - 0.1, 0.1))
    return solid


def _foil_room(z: tuple[float, float], aside: float) -> Any:
    """A block over the foils and so much around them."""
    return _block((PLATES.x0 - aside, PLATES.x1 + aside), (PLATES.y0 - aside, PLATES.y1 + aside), z)


def _foil_cover(_: Design = READER) -> Any:
    """What closes the foils' pocket: the shield's foil lies on its underside."""
    cover = _foil_room((-FLOOR, -SKIN_MM - 0.1), RIM_MM)
    # Three wires come out towards the tray.
    middle, edge = (PLATES.x0 + PLATES.x1) / 2, PLATES.y1 + RIM_MM
    return cover - _block((middle - 2, middle + 2), (edge - 1.5, edge + 0.1), (-FLOOR - 0.1, 0.0))


def _roof_window(design: Design = READER) -> Any:
    """The roof's half over the window, with the guided side's wall."""
    return _roof(design, (-1.0 - _WALL, FINGER[0]), _EARS[:2], _ROOF)


def _roof_foils(design: Design = READER) -> Any:
    """The roof's half over beams and foils: the upper foil lies in its pocket and is on ground."""
    high = design.height
    solid = _roof(design, (FINGER[1], -1.0 + design.width + _WALL), _EARS[2:], _FOIL_ROOF)
    for x in (design.inner_x, design.outer_x):
        solid -= _bore(x, SENSOR_Y, (high - 0.1, high + _FOIL_ROOF + 0.1), _BEAM)
    return solid - _foil_room((high + SKIN_MM, high + _FOIL_ROOF + 0.1), 3.0)


def _roof(design: Design, y: tuple[float, float], ears: Iterable[tuple[float, float]], thick: float) -> Any:
    """A roof with its wall and ears; the finger's slot is chamfered."""
    x, high = design.tunnel, design.height
    left = y[0] < 0
    wall = (y[0], y[0] + _WALL) if left else (y[1] - _WALL, y[1])
    solid = _block(x, y, (high, high + thick)) + _block(x, wall, (0.0, high))
    for at_x, at_y in ears:
        side = (at_y - 4.0, y[0] + 0.1) if left else (y[1] - 0.1, at_y + 4.0)
        solid += _block((at_x - 5.0, at_x + 5.0), side, (0.0, high + thick))
    edge, into = (y[1], -1.5) if left else (y[0], 1.5)
    top = high + thick
    return solid - _along_x(
        ((edge, top - 1.5), (edge, top + 0.1), (edge + into, top + 0.1)), (x[0] - 1, x[1] + 1)
    )


def mirror(design: Design = READER) -> Any:
    """The glass, its coated face on the plane that `geometry` computes with."""
    (_, y0, z0), (_, y1, z1) = design.mirror()
    x, middle = design.lens[0], ((y0 + y1) / 2, (z0 + z1) / 2)
    across, long, thick = _MIRROR
    unit = math.sqrt(0.5)
    corners = []
    for along, deep in ((-long / 2, 0.0), (long / 2, 0.0), (long / 2, thick), (-long / 2, thick)):
        corners.append((middle[0] + unit * (along - deep), middle[1] - unit * (along + deep)))
    return _along_x(corners, (x - across / 2, x + across / 2))


def chamber(design: Design = READER) -> Any:
    """The dark box under the floor: lamps at both ends, the mirror under the window, the camera's room."""
    wall, low, top = _CHAMBER_WALL, _tray_bottom(design), -FLOOR
    (lx, ly), (cx, cy) = _LIGHT_ROOM, _CAMERA_ROOM

    def around(span: tuple[float, float]) -> tuple[float, float]:
        return span[0] - wall, span[1] + wall

    solid = _block(around(lx), around(ly), (low - BOTTOM, top)) + _block(
        around(cx), around(cy), (low - BOTTOM, top)
    )
    solid -= _block(lx, ly, (low, top + 0.1)) + _block(cx, (cy[0] - 0.1, cy[1]), (low, top + 0.1))
    # The mirror leans on this slope, and its lower edge on the ledge.
    (_, y0, z0), (_, y1, z1) = design.mirror()
    back = _MIRROR[2] * math.sqrt(2)
    up, down = (y0 - 1.6, z0 + 1.6 - back), (y1 + 1.6, z1 - 1.6 - back)
    x = design.lens[0] - _MIRROR[0] / 2, design.lens[0] + _MIRROR[0] / 2
    solid += _along_x((up, down, (down[0], low), (ly[0], low), (ly[0], up[1])), x)
    solid += _block(x, (down[0] - 0.2, down[0] + 1.4), (low, down[1] + 1.2))
    # Three lamps on carriers of 8 mm sit on each slope.
    for flip in (False, True):
        corners = ((lx[0], -19.0), (-22.5, -19.0), (-19.1, -27.3), (lx[0], -32.2))
        turned = [(sum(lx) - at if flip else at, z) for at, z in corners]
        solid += _along_y(turned, (13.0, 40.0))
    # Four noses hold the pane in its seat.
    base, pad = (-FLOOR - 2.0, -FLOOR - 0.05), (-FLOOR - 2.0, design.pane_z[1] - 0.05)
    window = design.window
    for at in ((2.0, 10.0), (34.0, 42.0)):
        solid += _block(at, (ly[0] - 0.1, window.y0 - 0.3), base)
        solid += _block(at, (ly[0] + 0.1, window.y0 - 0.3), pad)
    for at in ((window.x0 - 1.4, window.x0 + 1.6), (window.x1 - 4.0, window.x1)):
        solid += _block(at, (window.y1 + 0.3, ly[1] + 0.1), base)
        solid += _block(at, (window.y1 + 0.3, window.y1 + 1.4), pad)
    for at_x, at_y in _CHAMBER:
        side = (at_y - 4.5, ly[0] - wall + 0.1) if at_y < 0 else (ly[1] + wall - 0.1, at_y + 4.5)
        solid += _block((at_x - 5.0, at_x + 5.0), side, (low - BOTTOM, -FLOOR - _BOSS))
        solid -= _bore(at_x, at_y, (low - BOTTOM - 0.1, -FLOOR - _BOSS - ARM), HEAD)
    # The camera's cable, and the slots along which its carriage is set.
    solid -= _block((15.0, 27.0), (cy[1] - 0.1, cy[1] + wall + 0.1), (low + 2.0, low + 10.0))
    near, far = design.carriage()
    foot = screws(design)[-3].head[2]
    reach = (near + _CARRIAGE[0] + _CARRIAGE[1] / 2 - 1.7, far + _CARRIAGE[0] + _CARRIAGE[1] / 2 + 1.7)
    solid -= _block(around(around(cx)), reach, (foot - 1.7, foot + 1.7)) - _block(
        cx, reach, (foot - 2, foot + 2)
    )
    return solid


def carriage(design: Design = READER) -> Any:
    """What carries the camera's board, drawn in the middle of its range; a screw on each side holds it."""
    (x0, x1), _ = _CAMERA_ROOM
    lens_x, low = design.lens[0], _tray_bottom(design)
    at, (thick, long) = sum(design.carriage()) / 2, _CARRIAGE
    z = design.axis_z or 0.0
    half = design.stack.board_mm / 2
    solid = _block((x0 + 0.3, x1 - 0.3), (at, at + thick), (low + 0.3, z + half))
    # The plug and what is on the board's back.
    solid -= _block((lens_x - 13, lens_x + 13), (at - 1, at + thick + 1), (z - 13, z + half + 1))
    for x in ((x0 + 0.3, x0 + 7.0), (x1 - 7.0, x1 - 0.3)):
        solid += _block(x, (at + thick - 0.1, at + thick + long), (low + 0.3, low + 8.0))
    for dx in (-HOLES / 2, HOLES / 2):
        for dz in (-HOLES / 2, HOLES / 2):
            axis = Plane(origin=(lens_x + dx, -at + 0.1, z + dz), z_dir=(0, -1, 0))
            solid -= Solid.make_cylinder(_CAMERA_HOLDS / 2, thick + 0.2, axis)
    return solid


def camera(design: Design = READER, front_mm: float = 18.5) -> Any:
    """Board, barrel and what is behind, for a lens whose front stands so far from the board's face."""
    x, z = design.lens[0], design.axis_z or 0.0
    at, stack = sum(design.carriage()) / 2, design.stack
    half = stack.board_mm / 2
    board = _block((x - half, x + half), (at - 1.6, at), (z - half, z + half))
    barrel = Solid.make_cylinder(7.0, front_mm, Plane(origin=(x, -(at - 1.6), z), z_dir=(0, 1, 0)))
    behind = _block((x - 12, x + 12), (at, at + stack.behind_mm), (z - 12, z + 12))
    return board + barrel + behind


def tray(design: Design = READER) -> Any:
    """What holds the stripboard under the floor, beside the camera's room, and carries that side."""
    low, top, wall = _tray_bottom(design), -FLOOR, _CHAMBER_WALL
    x, y = (-14.0, 60.0), (82.0, 139.6)
    solid = _block(x, y, (low - BOTTOM, top))
    solid -= _block((x[0] + wall, x[1] - wall), (y[0] + wall, y[1] - wall), (low, top + 0.1))
    # The camera's cable comes in, both cables go out under the clamp.
    solid -= _block((15.0, 27.0), (y[0] - 0.1, y[0] + wall + 0.1), (low + 2.0, low + 10.0))
    solid -= _block((14.0, 26.0), (y[1] - wall - 0.1, y[1] + 0.1), (low + 2.0, low + 10.0))
    for at in _CLAMP_X:
        solid += _block((at - 4, at + 4), (_CLAMP_Y - 4, _CLAMP_Y + 4), (low - 0.1, low + 7.0))
    for at_x, at_y in _TRAY:
        solid += _block((at_x - 5, at_x + 5), (at_y - 5, y[1] - 0.1), (low - BOTTOM, -FLOOR - _BOSS))
        solid -= _bore(at_x, at_y, (-FLOOR - _BOSS, top + 0.1), 8.6)
        solid -= _bore(at_x, at_y, (low - BOTTOM - 0.1, -FLOOR - _BOSS - ARM), HEAD)
    across, along, high = _BOARD
    for at_x in across:
        for at_y in along:
            solid += _bore(at_x, at_y, (low - 0.1, low + high), 7.0) - _bore(
                at_x, at_y, (low, low + high + 0.1), HOLDS
            )
    return solid


def clamp(design: Design = READER) -> Any:
    """A bar over both USB cables: a pull at one does not reach its plug."""
    low = _tray_bottom(design)
    y = _CLAMP_Y - 4.0, _CLAMP_Y + 4.0
    solid = _block((_CLAMP_X[0] - 4, _CLAMP_X[1] + 4), y, (low + 7.0, low + 12.0))
    for x in _CABLES_X:
        axis = Plane(origin=(x, 1 - y[0], low + 6.4), z_dir=(0, -1, 0))
        solid -= Solid.make_cylinder(2.0, 10.0, axis)
    return solid


def slide(design: Design = READER) -> Any:
    """A slope that carries a card from the mouth to the felt: it hangs nowhere, and lies on its face."""
    x0, z0 = design.floor_end + 0.2, -0.3
    fall = math.tan(math.radians(design.slide_deg))
    low = design.bottom_z + PADS
    x1 = x0 + (z0 - low - 0.6) / fall
    y = (_SLIDE[0][1] - 4.0, _SLIDE[1][1] + 4.0)
    plate = ((x0, z0), (x1, low + 0.6), (x1, low), (x1 - 4.0, low), (x0, z0 - 2.7))
    solid = _along_y(plate, y)
    side = ((x0, z0), (x1, low + 0.6), (x1, low), (x0, low))
    for near in (y[0], y[1] - 2.4, sum(y) / 2 - 1.2):
        solid += _along_y(side, (near, near + 2.4))
    rim = ((x0, z0), (x0, z0 + 3.0), (x1, low + 3.6), (x1, low))
    for near in (y[0], y[1] - 2.4):
        solid += _along_y(rim, (near, near + 2.4))
    for at_x, at_y in _SLIDE:
        z = (-FLOOR - _BOSS - ARM, -FLOOR - _BOSS)
        solid += _block((at_x - 5.0, x0 + 8.0), (at_y - 4.0, at_y + 4.0), z)
    return solid


def plinth(design: Design = READER) -> Any:
    """What carries the shoe's front, screwed to the reader; printed once more it carries the rear."""
    x1, low = design.tunnel[0] - 0.3, design.bottom_z + PADS
    x = (x1 - 60.0, x1)
    middle, top = design.width / 2 - 1.0, -SHOE[1]
    y = (middle - SHOE[0] / 2 - _WALL, middle + SHOE[0] / 2 + _WALL)
    solid = _block(x, y, (top - 3.0, top))
    for at in (x[0], sum(x) / 2 - 2.0, x[1] - 4.0):
        solid += _block((at, at + 4.0), y, (low, top - 2.9))
    for at in (y[0], y[1] - _WALL):
        solid += _block(x, (at, at + _WALL), (low, top + 12.0))
    for at_x, at_y in _PLINTH:
        z = (-FLOOR - _BOSS - ARM, -FLOOR - _BOSS)
        solid += _block((x1 - 3.0, at_x + 5.0), (at_y - 4.0, at_y + 4.0), z)
    return solid


def card(size: CardSize, leading_x: float, side_y: float = 0.0, height: float = 0.05) -> Any:
    """A card at a place of its way; `height` of its face above the floor."""
    return _block(
        (leading_x - size.along, leading_x), (side_y, side_y + size.across), (height, height + size.thick)
    )


def fingertip(x: float, wide: float) -> Any:
    """A ball as wide as a fingertip that touches a card on the floor, in the middle of the slot."""
    return Pos(x, -sum(FINGER) / 2, CARD_MM + wide / 2) * Sphere(wide / 2)


_MAKERS: Final = {
    "floor": floor,
    "foil-cover": _foil_cover,
    "roof-window": _roof_window,
    "roof-foils": _roof_foils,
    "chamber": chamber,
    "carriage": carriage,
    "tray": tray,
    "clamp": clamp,
    "slide": slide,
    "plinth": plinth,
}


def parts(design: Design = READER) -> dict[str, Any]:
    """Every printed part by name, bored for its screws."""
    made = {name: make(design) for name, make in _MAKERS.items()}
    for screw in screws(design):
        # The chamber's slots let the carriage move.
        if (screw.through, screw.into) != ("chamber", "carriage"):
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
