"""What a camera makes of a table, in figures: the height of a rank at each box, and the light."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.config.cameras import CameraSection
from controller.devices.cameras.setup import layout_of
from controller.ports import Frame
from vision.calibration import SETUP_LIMITS, Layout

BURNT_LEVEL: Final = 250
"""From this level (green, 0 to 255) on a pixel is at the end of the scale."""

LIGHT_PERCENTILE: Final = 99
"""The brightest hundredth of a picture of a table is paper or print, with and without cards."""


class RankHeight(NamedTuple):
    """Height in pixels of the rank's letter alone at a box, 0 for the dealer; the worst corner counts."""

    box: int
    px: float


class Light(NamedTuple):
    """`level`: brightness of the brightest things, 0 to 255; `burnt`: burnt out share of the picture."""

    level: float
    burnt: float

    @property
    def is_low(self) -> bool:
        """Darker than the paper of a calibration may be."""
        return self.level < SETUP_LIMITS.paper_level

    @property
    def is_burnt(self) -> bool:
        """More at the end of the scale than of a calibration's paper may be."""
        return self.burnt > SETUP_LIMITS.burnt_share


REPORTED_FROM_PX: Final = ((10.0, 0.96), (6.0, 0.93), (4.5, 0.48))
"""Height of a rank, and from it on the share of cards in full view of which one picture tells the rank.

Source: docs/measurements/reader.md, By height of the rank; below 4.5 px the reader looks at no index.
"""

RANK_PX: Final = SETUP_LIMITS.rank_px
RANK_PX_WISHED: Final = SETUP_LIMITS.rank_px_wished


def rank_heights(section: CameraSection) -> tuple[RankHeight, ...]:
    """The boxes that the camera's layout names; none without a layout. Raises as `layout_of`."""
    layout = layout_of(section)
    return () if layout is None else heights_by(layout)


def heights_by(layout: Layout) -> tuple[RankHeight, ...]:
    """The boxes that a layout names."""
    flat, rank_mm = layout.flat, layout.cards.rank_mm
    return tuple(
        RankHeight(zone.number, float(flat.px_per_mm(zone.corners()).min()) * rank_mm)
        for zone in layout.zone
        if zone.number is not None
    )


def reported_share(rank_px: float) -> float:
    """The share (0..1) of cards with ranks of this height that one picture tells, as drawn tables show it."""
    return next((share for from_px, share in REPORTED_FROM_PX if rank_px >= from_px), 0.0)


def has_reference(section: CameraSection) -> bool:
    """Whether there is a picture by which a blurred or moved camera shows from the first moment on."""
    layout = layout_of(section)
    return section.reference is not None or (layout is not None and layout.origin.reference is not None)


def light_of(frame: Frame) -> Light:
    """Measure a picture."""
    return light_in(frame.image)


def light_in(image: NDArray[np.uint8]) -> Light:
    """Measure pixels (height x width x 3, BGR)."""
    green = image[::4, ::4, 1]
    return Light(float(np.percentile(green, LIGHT_PERCENTILE)), float(np.mean(green >= BURNT_LEVEL)))
