"""The layout file: one camera's view of one table, as `stand17 calibrate` writes it and people may edit it.

Millimetres run to the right and downwards as a person sees them who looks at the table from above, from an
origin on the felt (docs/layout.md).
"""

from typing import Annotated, Final, Literal, Self

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from vision.calibration.homography import FeltPlane, Lens, facing
from vision.geometry import Points

VERSION: Final = 1
BOXES_MAX: Final = 7
"""Boxes of a blackjack layout (the feed format has as many)."""

DEALER: Final = 0
"""Stands for the dealer where a box number is asked for."""

GRID_MM: Final = 5
_GRID_CELLS_MAX: Final = 1000
"""Zones that overlap are found on a grid of this pitch, or a coarser one that has no more cells a side.

Source: no measurement on record; far less than a card, and quick.
"""

_REACH_MM: Final = 20_000
"""No table is larger; a number beyond it is a slip.

Source: no measurement on record.
"""

Millimetres = Annotated[float, Field(ge=-_REACH_MM, le=_REACH_MM)]
PlaceMm = tuple[Millimetres, Millimetres]
Row = tuple[float, float, float]
PictureSide = Annotated[int, Field(ge=32, le=20_000)]


class LayoutPart(BaseModel):
    """Base of a layout's parts: immutable; an unknown field or a wrong type is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CameraPart(LayoutPart):
    """The picture that the calibration holds for."""

    width: PictureSide
    height: PictureSide


class LensPart(LayoutPart):
    """Focal length, centre and distortion of a lens, in pixels of its picture."""

    focal_px: float = Field(gt=0)
    centre_px: tuple[float, float]
    k1: float = Field(ge=-2, le=2)
    k2: float = Field(default=0.0, ge=-2, le=2)

    @property
    def lens(self) -> Lens:
        """The same for computing."""
        return Lens(self.focal_px, self.centre_px, self.k1, self.k2)


class PlanePart(LayoutPart):
    """`homography`: rows of the matrix from pixels of the straight picture to millimetres."""

    homography: tuple[Row, Row, Row]
    lens: LensPart | None = None


class CardsPart(LayoutPart):
    """The house's cards: width and height, and the height of the rank's letter or number alone.

    Files have called that height `index_mm` from the first version on, and go on doing so.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    size_mm: tuple[Annotated[float, Field(ge=20, le=200)], Annotated[float, Field(ge=20, le=300)]] = (63, 88)
    rank_mm: float = Field(default=13.0, ge=2, le=60, alias="index_mm")


class Zone(LayoutPart):
    """The area of a box's cards, as corners in order; `box` 1 is at the dealer's left."""

    kind: Literal["box", "dealer", "discard", "shoe"]
    box: Annotated[int, Field(ge=1, le=BOXES_MAX)] | None = None
    outline_mm: Annotated[tuple[PlaceMm, ...], Field(min_length=3, max_length=64)]

    @model_validator(mode="after")
    def _has_a_number_when_a_box(self) -> Self:
        if (self.kind == "box") != (self.box is not None):
            raise ValueError("a zone has a box number when its kind is box, and only then")
        if cv2.contourArea(self.corners().astype(np.float32)) < 1:
            raise ValueError("the outline of a zone encloses nothing")
        return self

    def corners(self) -> Points:
        """The outline, n x 2, millimetres."""
        return np.array(self.outline_mm, np.float64)

    @property
    def number(self) -> int | None:
        """Return the box number, 0 for the dealer, None for other zones."""
        return DEALER if self.kind == "dealer" else self.box

    def holds(self, place_mm: Points) -> bool:
        """Whether a place lies within the outline or on its edge."""
        outline = self.corners().astype(np.float32)
        return cv2.pointPolygonTest(outline, (float(place_mm[0]), float(place_mm[1])), False) >= 0


class Origin(LayoutPart):
    """The origin of a calibration; `reference` is a file beside it with this SHA-256.

    `before` is the SHA-256 of the layout file that an in-place calibration replaces.
    """

    date: str
    method: Literal["sheet", "print", "hand", "in_place"]
    residual_px: float = Field(ge=0)
    reference: str | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    before: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None


class Layout(LayoutPart):
    """A whole layout file."""

    layout: Literal[1]
    camera: CameraPart
    plane: PlanePart
    cards: CardsPart = CardsPart()
    zone: Annotated[tuple[Zone, ...], Field(min_length=1, max_length=32)]
    origin: Origin

    @model_validator(mode="after")
    def _is_seen_whole(self) -> Self:
        width, height = self.camera.width, self.camera.height
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        self._check_lens(corners)
        if not np.isfinite(self.flat.to_mm(corners)).all():
            raise ValueError("the homography puts the horizon into the picture")
        check_zones(self.zone)
        return self

    def _check_lens(self, corners: Points) -> None:
        matrix = np.array(self.plane.homography)
        if abs(np.linalg.det(matrix / max(np.linalg.norm(matrix), 1e-300))) < 1e-15:
            raise ValueError("the homography cannot be inverted")
        if self.plane.lens is not None and self.plane.lens.lens.folds(corners):
            raise ValueError("the lens folds the picture over")

    @property
    def flat(self) -> FeltPlane:
        """The way from pixels to millimetres and back."""
        lens = None if self.plane.lens is None else self.plane.lens.lens
        middle = (self.camera.width / 2, self.camera.height / 2)
        return FeltPlane(facing(np.array(self.plane.homography, np.float64), middle, lens), lens)


def check_zones(zones: tuple[Zone, ...]) -> None:
    """Raise ValueError for a duplicate number or overlapping zones: a card there would have no box."""
    numbers = [zone.number for zone in zones if zone.number is not None]
    if len(set(numbers)) < len(numbers):
        raise ValueError("a box or the dealer has more than one zone")
    masks = _masks(zones)
    for number, zone in enumerate(zones):
        for other in range(number):
            if (masks[number] & masks[other]).any():
                raise ValueError(f"zones overlap: {zone_name(zones[other])} and {zone_name(zone)}")


def zone_name(zone: Zone) -> str:
    """Return the name of a zone in error messages."""
    return f"box {zone.box}" if zone.kind == "box" else zone.kind


def _masks(zones: tuple[Zone, ...]) -> list[Points]:
    """The inner cells of each zone on one common grid."""
    outlines = [zone.corners() for zone in zones]
    low, high = np.min(np.vstack(outlines), axis=0), np.max(np.vstack(outlines), axis=0)
    cell_mm = max(GRID_MM, float((high - low).max()) / _GRID_CELLS_MAX)
    size = np.ceil((high - low) / cell_mm).astype(int) + 3
    masks = []
    for outline in outlines:
        mask = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillPoly(mask, [np.round((outline - low) / cell_mm + 1).astype(np.int32)], 1)
        masks.append(cv2.erode(mask, np.ones((3, 3), np.uint8)))
    return masks
