"""Where everything sits, and what the camera sees of a card that passes."""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

Point = tuple[float, float, float]


class Box(NamedTuple):
    """A rectangle in the plane of the cards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def holds(self, other: "Box") -> bool:
        """Whether the other one lies inside."""
        return self.x0 <= other.x0 and self.y0 <= other.y0 and other.x1 <= self.x1 and other.y1 <= self.y1

    def moved(self, x: float, y: float) -> "Box":
        """The same somewhere else."""
        return Box(self.x0 + x, self.y0 + y, self.x1 + x, self.y1 + y)


class CardSize(NamedTuple):
    """A card as it is drawn, long side first: `along` the way, `across` it."""

    name: str
    along: float
    across: float
    thick: float = 0.31


class Index(NamedTuple):
    """How far the print of an index reaches, from the leading edge and from the side edge.

    Source: the twelve drawn decks of `vision.synth` (seeds 0 to 11) fit into one of these; no card was
    measured.
    """

    name: str
    behind: tuple[float, float]
    inward: tuple[float, float]

    def at(self, leading_x: float, side_y: float) -> Box:
        """Its rectangle while the card's leading edge is at `leading_x` and its side edge at `side_y`."""
        return Box(
            leading_x - self.behind[1],
            side_y + self.inward[0],
            leading_x - self.behind[0],
            side_y + self.inward[1],
        )


CARDS: Final = (
    CardSize("poker", 63.5, 88.9),
    CardSize("poker, European", 63.0, 88.0),
    CardSize("bridge", 57.2, 88.9),
)
"""Sizes that casinos deal. Source: the makers' nominal sizes; no card was measured."""

INDICES: Final = (
    Index("standard", (2.0, 12.5), (2.4, 20.0)),
    Index("jumbo", (2.0, 17.0), (2.4, 30.5)),
    Index("magnum", (3.0, 19.0), (3.0, 39.0)),
)


class Optics(NamedTuple):
    """Camera and lens.

    Source: Arducam's USB module with the OV9782 (USB 0c45:6366). 1280 x 800 pixels of 3 um:
    docs.luxonis.com/hardware/sensors/OV9782 lists 1280 x 800 and 1280 x 720 only, and
    github.com/wpilibsuite/SystemcoreTesting/issues/357 reports 1280 x 800 at 100 a second as the only
    mode of the sister module. The exposure's useful range is 1 to 60 units of 0.1 ms
    (github.com/PhotonVision/photonvision/issues/1204). No bench has measured either.
    """

    width_px: int = 1280
    height_px: int = 800
    pixel_mm: float = 0.003
    focal_mm: float = 2.8
    f_number: float = 2.0
    frame_ms: float = 10.0
    exposure_ms: float = 5.0
    """Of each frame the sensor collects light so long; a flash in the rest is lost."""


class Stack(NamedTuple):
    """The camera along its axis. Source: estimates; the carriage moves by more than they can be wrong.

    `front_mm` is from the board's face to the lens's front: M12 lenses in their holders differ that much.
    `pupil_mm` is from the lens's front back to its front principal plane, from which the field is computed.
    """

    front_mm: tuple[float, float] = (15.0, 22.0)
    pupil_mm: tuple[float, float] = (3.0, 8.0)
    board_mm: float = 38.0
    behind_mm: float = 12.0
    barrel_mm: float = 15.0

    def board_behind(self, front_mm: float, pupil_mm: float) -> float:
        """How far the board's face lies behind the principal plane."""
        return front_mm - pupil_mm


READ_PX: Final = 320
"""The table's reader shrinks a picture to this width (`vision.shoe_mouth.CODED_READ_PX`)."""


class Design(NamedTuple):
    """A reader.

    `window` is the pane, `picture` what the camera sees at the level of the cards. What is beside the window
    in it is the underside of the floor, where the lights of the code are. `path_mm` is the way of the light
    from a card to the lens's principal plane, folded by the mirror at `axis_z`; `flash_ms` is from flash to
    flash.
    """

    inner_x: float
    outer_x: float
    window: Box
    picture: Box
    flash_ms: float
    flash_us: float = 40.0
    optics: Optics = Optics()
    stack: Stack = Stack()
    path_mm: float = 49.5
    axis_z: float | None = None
    lamps: tuple[Point, ...] = ()
    pane_z: tuple[float, float] = (-0.4, -1.9)
    side_slack: float = 1.0
    turn_deg: float = 1.3
    tunnel: tuple[float, float] = (-27.0, 60.0)
    """Where the roof begins and ends; the floor goes on to `floor_end`, where the slide begins."""
    floor_end: float = 73.0
    height: float = 3.0
    width: float = 90.9
    bottom_z: float = -61.5
    """Underside of what stands on the felt."""
    slide_deg: float = 90.0
    """Slope of what carries a card from the mouth down to the felt; 90: nothing does."""

    @property
    def lens(self) -> Point:
        """The lens's principal plane as the cards see it: below the picture's middle, the mirror unfolded."""
        x, y = self.picture.middle
        return x, y, -self.path_mm

    @property
    def pupil(self) -> Point:
        """Where that is built: the mirror turns the axis aside, to the side away from the guided edge."""
        x, y, z = self.lens
        return (x, y, z) if self.axis_z is None else (x, y + self.path_mm + self.axis_z, self.axis_z)

    @property
    def px_per_mm(self) -> float:
        """Pixels of the picture to a millimetre of the card."""
        return self.optics.width_px / (self.picture.x1 - self.picture.x0)

    @property
    def magnification(self) -> float:
        """Size on the sensor to size on the card."""
        return self.px_per_mm * self.optics.pixel_mm

    def picture_places(self, speed_m_s: float, phase: float, flash_phase: float = 0.0) -> Iterator[float]:
        """Where the leading edge is in each picture: in each frame with a flash in its exposure.

        `phase` (0 to 1) of the camera's rhythm, `flash_phase` of the flashes'.
        """
        if not self.flash_ms:
            yield self.inner_x
            return
        begin, end = self.tunnel[0], self.outer_x + max(card.along for card in CARDS)
        last_ms = (end - begin) / speed_m_s
        flashes = int(last_ms / self.flash_ms) + 1
        for number in range(flashes):
            at_ms = (number + flash_phase) * self.flash_ms
            if (at_ms + phase * self.optics.frame_ms) % self.optics.frame_ms < self.optics.exposure_ms:
                yield begin + speed_m_s * at_ms

    def sights(
        self, index: Index, speed_m_s: float, phase: float, flash_phase: float = 0.0, *, side_y: float = 0.0
    ) -> int:
        """How many pictures show the whole index, the card turned by `turn_deg` the worse way."""
        return sum(self.shows(index, x, side_y) for x in self.picture_places(speed_m_s, phase, flash_phase))

    def shows(self, index: Index, leading_x: float, side_y: float = 0.0) -> bool:
        """Whether the whole index lies in the window while the leading edge is at `leading_x`."""
        room = math.tan(math.radians(self.turn_deg)) * index.inward[1]
        box = index.at(leading_x, side_y)
        return self.window.holds(Box(box.x0 - room, box.y0, box.x1 + room, box.y1))

    def blur_px(self, speed_m_s: float) -> float:
        """How many pixels of the picture that is read the card moves on during one flash."""
        moved = speed_m_s * self.flash_us / 1000
        return moved * READ_PX / (self.picture.x1 - self.picture.x0)

    def depth_mm(self) -> float:
        """How far a card may be from the plane of focus, to both sides together, for a blur of 6 um."""
        m = self.magnification
        return 2 * self.optics.f_number * 0.006 * (1 + m) / m**2

    def focus_z(self) -> float:
        """Where the lens is sharp, by the thin lens: the plane of the cards for a well-built reader."""
        return -self.path_mm + self.optics.focal_mm * (1 + 1 / self.magnification)

    def mirror(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """The mirror's edges that the picture needs: half-width, y and z, the high edge first."""
        assert self.axis_z is not None
        half_x, half_y = (self.picture.x1 - self.picture.x0) / 2, (self.picture.y1 - self.picture.y0) / 2
        slope, y = half_y / self.path_mm, self.lens[1]
        edges = []
        for side in (-1, 1):
            # The mirror's plane falls away from the guided side: z = axis_z - (y - lens y).
            deep = (-self.axis_z + side * half_y) / (1 + side * slope)
            edges.append((half_x * (1 - deep / self.path_mm), y + side * (half_y - slope * deep), -deep))
        return edges[0], edges[1]

    def carriage(self) -> tuple[float, float]:
        """Between which y the board's face has to be set, for every lens of the stack."""
        stack = self.stack
        (low, high), (near, far) = stack.front_mm, stack.pupil_mm
        return self.pupil[1] + stack.board_behind(low, far), self.pupil[1] + stack.board_behind(high, near)

    def felt_mm(self) -> float:
        """How high above the felt a card leaves the mouth."""
        return -self.bottom_z

    def steepest_deg(self, card: CardSize) -> float:
        """How steep a card can hang between mouth and felt."""
        free = math.degrees(math.asin(min(1.0, self.felt_mm() / card.along)))
        return min(free, self.slide_deg)


_EYE_MM: Final = (450.0, 600.0)
"""A guest's eye in the first seat: above the felt, and aside from the mouth."""


def lowest_sight_deg(design: Design) -> float:
    """How steep a guest looks down at a card at the mouth: one that hangs less steep shows its back only."""
    high, aside = _EYE_MM
    return math.degrees(math.atan((high - design.felt_mm()) / aside))


def mirrored(lens: Point, lamp: Point, plane_z: float) -> tuple[float, float]:
    """Where the lens sees a lamp's mirror image in a level, shining plane."""
    up, down = plane_z - lens[2], plane_z - lamp[2]
    share = up / (up + down)
    return lens[0] + (lamp[0] - lens[0]) * share, lens[1] + (lamp[1] - lens[1]) * share


PLATES: Final = Box(11.5, 70.0, 32.5, 86.0)
"""The foil under the floor whose capacity tells how many cards lie over it."""

SENSOR_Y: Final = 84.0
"""Where the two beams cross the way."""

PAPER: Final = (40.0, 83.0)
"""Where the reflective sensor looks at the lowest sheet."""

FINGER: Final = (44.0, 64.0)
"""The slot in the roof through which a finger draws the card, across the way. Source: fingertips are 14 to
18 mm wide (the spheres of its test); light of the room steeper than 40 degrees misses the window."""

READER: Final = Design(
    inner_x=0.0,
    outer_x=48.0,
    window=Box(-4.0, 0.5, 48.0, 40.5),
    picture=Box(-12.0, 0.5, 52.0, 40.5),
    flash_ms=5.2,
    axis_z=-24.0,
    lamps=tuple((x, y, -22.0) for x in (-18.0, 64.0) for y in (18.0, 26.5, 35.0)),
    bottom_z=-46.5,
    slide_deg=27.0,
)
"""The reader of this folder.

The outer sensor sits where the window ends: a card has left only when no index of it can be in a picture any
more, so that what is read between two edges is that card's alone. A flash comes a little later than the
exposure lasts, whatever the camera's rhythm is: no picture gets two, 96 of 100 get one, and two pictures in a
row never miss theirs. The mirror turns the camera's axis, so that a card leaves 46 mm above the felt.
"""

CODE_SPOTS: Final = tuple((-8.0, 5.5 + 6.0 * place) for place in range(6))
"""Where the lights of the code sit under the floor: x and y. The camera sees them and no card hides them."""
