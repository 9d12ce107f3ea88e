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
    """Camera and lens. `pixel_mm` is a pixel of the picture as it arrives, two by two of the sensor's joined.

    Source: 1280 x 800 pixels of 3 um, 640 x 400 by binning at up to 255 pictures a second
    (docs.luxonis.com/hardware/sensors/OV9282.md; the OV9782 is the same array in colour).
    """

    width_px: int = 640
    height_px: int = 400
    pixel_mm: float = 0.006
    focal_mm: float = 2.8
    f_number: float = 2.0
    frame_ms: float = 1000 / 120
    exposure_ms: float = 8.0
    """Of each frame the sensor collects light so long; a flash in the rest is lost."""


class Design(NamedTuple):
    """A reader. `flash_ms` 0: one picture, taken when the inner sensor is covered.

    `window` is the pane, `picture` what the camera sees at the level of the cards; what is beside the
    window in it is the underside of the floor, where the lights of the code are.
    """

    inner_x: float
    outer_x: float
    window: Box
    picture: Box
    flash_ms: float
    flash_us: float = 24.0
    optics: Optics = Optics()
    lens_z: float = -49.5
    lamps: tuple[Point, ...] = ()
    pane_z: tuple[float, float] = (-0.4, -1.9)
    side_slack: float = 1.0
    turn_deg: float = 1.3
    tunnel: tuple[float, float] = (-14.0, 58.0)
    height: float = 3.0
    width: float = 90.9

    @property
    def lens(self) -> Point:
        """The middle of the lens, right below the window's."""
        x, y = self.window.middle
        return x, y, self.lens_z

    @property
    def px_per_mm(self) -> float:
        """Pixels of the picture to a millimetre of the card."""
        return self.optics.width_px / (self.picture.x1 - self.picture.x0)

    @property
    def magnification(self) -> float:
        """Size on the sensor to size on the card."""
        return self.px_per_mm * self.optics.pixel_mm

    def picture_places(self, speed_m_s: float, phase: float) -> Iterator[float]:
        """Where the leading edge is each time a picture is taken; `phase` (0 to 1) of the flashes' rhythm."""
        if not self.flash_ms:
            yield self.inner_x
            return
        step = speed_m_s * self.flash_ms
        x = self.tunnel[0] + phase * step
        while x < self.outer_x + max(card.along for card in CARDS):
            yield x
            x += step

    def sights(self, index: Index, speed_m_s: float, phase: float, side_y: float = 0.0) -> int:
        """How many pictures show the whole index, the card turned by `turn_deg` the worse way."""
        return sum(self.shows(index, x, side_y) for x in self.picture_places(speed_m_s, phase))

    def shows(self, index: Index, leading_x: float, side_y: float = 0.0) -> bool:
        """Whether the whole index lies in the window while the leading edge is at `leading_x`."""
        room = math.tan(math.radians(self.turn_deg)) * index.inward[1]
        box = index.at(leading_x, side_y)
        return self.window.holds(Box(box.x0 - room, box.y0, box.x1 + room, box.y1))

    def blur_px(self, speed_m_s: float) -> float:
        """How many pixels the card moves on during one flash."""
        return speed_m_s * self.flash_us / 1000 * self.px_per_mm

    def depth_mm(self) -> float:
        """How far a card may be from the plane of focus, to both sides together, for one pixel of blur."""
        m, optics = self.magnification, self.optics
        return 2 * optics.f_number * optics.pixel_mm * (1 + m) / m**2

    def focus_z(self) -> float:
        """Where the lens is sharp, by the thin lens: the plane of the cards for a well-built reader."""
        return self.lens_z + self.optics.focal_mm * (1 + 1 / self.magnification)


def mirrored(lens: Point, lamp: Point, plane_z: float) -> tuple[float, float]:
    """Where the lens sees a lamp's mirror image in a level, shining plane."""
    up, down = plane_z - lens[2], plane_z - lamp[2]
    share = up / (up + down)
    return lens[0] + (lamp[0] - lens[0]) * share, lens[1] + (lamp[1] - lens[1]) * share


def lamps_around(window: Box, z: float = -20.0, aside: float = 35.0) -> tuple[Point, ...]:
    """Two bars of three lamps, one on each long side of the window."""
    x, y = window.middle
    return tuple((x + along, y + side, z) for side in (-aside, aside) for along in (-16.0, 0.0, 16.0))


_WINDOW: Final = Box(-4.0, 0.5, 44.0, 40.5)

READER: Final = Design(
    inner_x=0.0,
    outer_x=44.0,
    window=_WINDOW,
    picture=Box(-12.0, 0.5, 52.0, 40.5),
    flash_ms=8.5,
    lamps=lamps_around(_WINDOW),
)
"""The reader of this folder.

The outer sensor sits where the window ends: a card has left only when no index of it can be in a picture any
more, so that what is read between two edges is that card's and nobody else's. A flash comes a little later
than the next frame begins to collect light: no frame gets two, and the few that get none are passed over.
"""

_OLD_WINDOW: Final = Box(5.0, 1.0, 20.0, 21.0)

OLD_README: Final = Design(
    inner_x=0.0, outer_x=25.0, window=_OLD_WINDOW, picture=_OLD_WINDOW, flash_ms=0.0, flash_us=100.0
)
"""As the first README had it: sensors 25 mm apart, a window of 15 x 20 mm between them, and one picture when
the inner sensor is covered. Kept for the test that it fails."""

CODE_SPOTS: Final = tuple((-8.0, 5.5 + 6.0 * place) for place in range(6))
"""Where the lights of the code sit under the floor: x and y. The camera sees them and no card hides them."""
