"""The layout file of one camera and the plan of a table, and the boxes of read cards by a layout.

Millimetres run to the right and downwards as a person sees them who looks at the table from above, from an
origin on the felt (docs/layout.md).
"""

import hashlib
import json
import math
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeVar

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from controller.domain import ConfigError
from controller.outputs import read_regular
from vision.calibration.felt_plane import FeltPlane, Lens, facing
from vision.geometry import Image, Points
from vision.pictures import load_picture
from vision.reading import PointPx, Quad, ReadCard, Reading, Unclear, reading_object

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
        matrix = np.array(self.plane.homography)
        if abs(np.linalg.det(matrix / max(np.linalg.norm(matrix), 1e-300))) < 1e-15:
            raise ValueError("the homography cannot be inverted")
        if self.plane.lens is not None and self.plane.lens.lens.folds(corners):
            raise ValueError("the lens folds the picture over")
        if not np.isfinite(self.flat.to_mm(corners)).all():
            raise ValueError("the homography puts the horizon into the picture")
        check_zones(self.zone)
        return self

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
    # The inner cells of each zone on one common grid.
    outlines = [zone.corners() for zone in zones]
    low, high = np.min(np.vstack(outlines), axis=0), np.max(np.vstack(outlines), axis=0)
    cell_mm = max(GRID_MM, float((high - low).max()) / _GRID_CELLS_MAX)
    size = np.ceil((high - low) / cell_mm).astype(int) + 3
    masks: list[Points] = []
    for outline in outlines:
        mask = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillPoly(mask, [np.round((outline - low) / cell_mm + 1).astype(np.int32)], 1)
        masks.append(cv2.erode(mask, np.ones((3, 3), np.uint8)))
    for number, zone in enumerate(zones):
        for other in range(number):
            if (masks[number] & masks[other]).any():
                raise ValueError(f"zones overlap: {zone_name(zones[other])} and {zone_name(zone)}")


def zone_name(zone: Zone) -> str:
    """Return the name of a zone in error messages."""
    return f"box {zone.box}" if zone.kind == "box" else zone.kind


BYTES_MAX: Final = 1_000_000
"""A layout has some hundred lines; a larger file is something else."""

Model = TypeVar("Model", bound=BaseModel)


def _read_toml(path: Path, model: type[Model]) -> Model:
    """Check a TOML file against a model.

    Raises `ConfigError`: LAYOUT_MISSING, LAYOUT_NOT_TOML, LAYOUT_WRONG with the first wrong `field`.
    """
    try:
        data = read_regular(path, BYTES_MAX + 1, links=True)
        if len(data) > BYTES_MAX:
            raise ConfigError("LAYOUT_NOT_TOML", path=str(path), reason=f"more than {BYTES_MAX} bytes")
        return model.model_validate(tomllib.loads(data.decode("utf-8")))
    except OSError as error:
        raise ConfigError("LAYOUT_MISSING", path=str(path), reason=error.strerror or "") from error
    except ValidationError as error:
        raise wrong(path, error) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("LAYOUT_NOT_TOML", path=str(path), reason=str(error)) from error


def wrong(path: Path, error: ValidationError) -> ConfigError:
    """Name the first mistake that a model found in a file."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "file"
    return ConfigError("LAYOUT_WRONG", path=str(path), field=field, reason=first["msg"])


def load_layout(path: Path) -> Layout:
    """Read a layout file; raises as `_read_toml` does."""
    return _read_toml(path, Layout)


def load_reference(layout: Layout, path: Path) -> Image | None:
    """Read the reference picture beside a layout file; None where there is none.

    Raises `ConfigError` LAYOUT_REFERENCE_CHANGED when its hash differs from the one in the layout, and what
    `load_picture` raises.
    """
    if layout.origin.reference is None:
        return None
    picture = path.parent / layout.origin.reference
    image = load_picture(picture)
    if hashlib.sha256(picture.read_bytes()).hexdigest() != layout.origin.sha256:
        raise ConfigError("LAYOUT_REFERENCE_CHANGED", path=str(picture))
    return image


def layout_text(layout: Layout) -> str:
    """Return a layout as TOML with comments for whoever edits it."""
    camera, plane, cards, origin = layout.camera, layout.plane, layout.cards, layout.origin
    lines = [
        "# Where a camera sees felt and boxes; stand17 calibrate made it, docs/layout.md explains it.",
        f"layout = {layout.layout}",
        *("", "[camera]", f"width = {camera.width}", f"height = {camera.height}"),
        *("", "[plane]", "# From pixels (of the straight picture where there is a lens) to millimetres."),
        *("homography = [", *(f"    {_value(row)}," for row in plane.homography), "]"),
    ]
    if plane.lens is not None:
        lines += ["", "[plane.lens]", *_fields(plane.lens)]
    lines += ["", "[cards]", "# The index is the height of its letter or number alone.", *_fields(cards)]
    for zone in layout.zone:
        lines += _zone_lines(zone)
    lines += ["", "[origin]", *_fields(origin)]
    return "\n".join(lines) + "\n"


def _zone_lines(zone: Zone) -> list[str]:
    number = [] if zone.box is None else [f"box = {zone.box}"]
    corners = ", ".join(_value(corner) for corner in zone.outline_mm)
    return ["", "[[zone]]", f"kind = {_value(zone.kind)}", *number, f"outline_mm = [{corners}]"]


def _fields(part: BaseModel) -> list[str]:
    """Lines of a section, by the names that the file has for its fields."""
    names = {name: field.alias or name for name, field in type(part).model_fields.items()}
    return [f"{names[name]} = {_value(value)}" for name, value in part if value is not None]


def _value(value: object) -> str:
    """Format numbers, strings and their lists, which JSON and TOML write alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class SheetPlace(LayoutPart):
    """The place of a calibration sheet: upper left corner of its pattern, turned clockwise."""

    name: Annotated[str, Field(pattern="^A[34]-[1-9]$")]
    at_mm: PlaceMm
    turn_deg: float = Field(default=0.0, ge=-360, le=360)


class ArtPlacement(LayoutPart):
    """The layout's own print as a picture: its width on the felt, and where its upper left corner lies."""

    width_mm: float = Field(ge=100, le=10_000)
    at_mm: PlaceMm = (0.0, 0.0)


class Plan(LayoutPart):
    """A whole plan file."""

    plan: Literal[1]
    cards: CardsPart = CardsPart()
    zone: Annotated[tuple[Zone, ...], Field(min_length=1, max_length=32)]
    sheet: Annotated[tuple[SheetPlace, ...], Field(max_length=16)] = ()
    art: ArtPlacement | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_zones(self.zone)
        if len({sheet.name for sheet in self.sheet}) < len(self.sheet):
            raise ValueError("a sheet has more than one place")
        return self


def load_plan(path: Path) -> Plan:
    """Read a plan file; raises as `_read_toml` does."""
    return _read_toml(path, Plan)


def disc(box: int, middle_mm: Points, radius_mm: float) -> Zone:
    """A round zone about a place; `box` 0 is the dealer's."""
    # 16: corners of the outline of a round zone: it lies within 2 % of the circle.
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    rim = np.round(middle_mm + radius_mm * np.column_stack([np.cos(turns), np.sin(turns)]), 1)
    outline = tuple((float(x), float(y)) for x, y in rim)
    if box == 0:
        return Zone(kind="dealer", outline_mm=outline)
    return Zone(kind="box", box=box, outline_mm=outline)


class BoxedCard(NamedTuple):
    """A card and where it lies: `box` 0 is the dealer, None is no box, or not known which.

    `box_hand` counts the hands of a box as they lie, from the dealer's left (from the player's side where
    they lie behind each other); None without a box. It is a place, not the engine's number of a split hand.
    """

    card: ReadCard
    box: int | None
    box_hand: int | None


class BoxedReading(NamedTuple):
    """Cards in the order of the reading, and what is unclear, including cards of a wrong size."""

    cards: tuple[BoxedCard, ...]
    unclear: tuple[Unclear, ...]


_STEP_PX: Final = 8.0
"""Between the two places by which the felt's scale is measured. Source: a tenth of a card; not measured."""


class TableMap:
    """A layout for pictures of a certain size, ready to be asked."""

    def __init__(self, layout: Layout, width: int, height: int, file: str = "") -> None:
        """Raises `ConfigError` LAYOUT_OTHER_SIZE for a picture of another aspect than the camera's."""
        camera = layout.camera
        # 0.005: pictures whose aspect is off by less than this share are the camera's, only scaled. Source:
        # no measurement on record.
        if abs(width * camera.height / (height * camera.width) - 1) > 0.005:
            own = {"layout_width": camera.width, "layout_height": camera.height}
            raise ConfigError("LAYOUT_OTHER_SIZE", file=file, width=width, height=height, **own)
        self.scale = camera.width / width
        """Pixels of the calibrated camera for one of the picture."""
        self._centre = (width / 2, height / 2)
        self._plane = layout.flat
        self._zones = layout.zone
        self._card_mm = layout.cards.size_mm
        self._axis = _dealer_right(layout.zone)

    def to_mm(self, pixels: Points) -> Points:
        """Places on the felt of n x 2 pixels of the picture."""
        return self._plane.to_mm((np.asarray(pixels, np.float64).reshape(-1, 2) + 0.5) * self.scale - 0.5)

    def px_per_mm(self, at: PointPx) -> float:
        """Pixels of the picture to a millimetre of the felt at a pixel: of the direction that has fewer."""
        x, y = at
        here, right, below = self.to_mm(np.array([at, (x + _STEP_PX, y), (x, y + _STEP_PX)]))
        return _STEP_PX / float(max(np.hypot(*(right - here)), np.hypot(*(below - here))))

    @property
    def card_px(self) -> float:
        """A card's long side in the middle of the picture, in its pixels."""
        return max(self._card_mm) * self.px_per_mm(self._centre)

    def box_at(self, place: PointPx) -> int | None:
        """Return the box at a pixel: 0 for the dealer, None for no box."""
        return self._number(self.to_mm(np.array([place]))[0])

    def box_of(self, at: PointPx, quad: Quad | None) -> int | None:
        """The box of a card by its corners, else by every place that its centre can have around the index."""
        card = ReadCard(None, None, 1.0, at, quad, "up", 0)
        return self._boxes((card,))[0]

    def has_card_size(self, quad: Quad | None) -> bool:
        """Whether known corners measure a card's size on the felt; True without corners."""
        if quad is None:
            return True
        corners = self.to_mm(np.array(quad))
        across, down = corners[2] - corners[0], corners[3] - corners[1]
        area = abs(float(across[0] * down[1] - across[1] * down[0])) / 2
        width, height = self._card_mm
        # 0.15: A card's length on the felt (root of its area) may be off by this share: corners are
        # estimated. Source: at 20 degrees of tilt a side alone is up to 24 % off
        # (docs/measurements/layout.md); of the area no measurement on record.
        return abs(math.sqrt(area / (width * height)) - 1) <= 0.15

    def sized(self, reading: Reading) -> Reading:
        """The same reading, cards of a wrong size unclear."""
        wrong = [card for card in reading.cards if not self.has_card_size(card.quad)]
        spots = (Unclear(card.at, "size") for card in wrong)
        kept = tuple(card for card in reading.cards if card not in wrong)
        return reading._replace(cards=kept, unclear=(*reading.unclear, *spots))

    def assign(self, reading: Reading) -> BoxedReading:
        """Give each card its box and hand."""
        reading = self.sized(reading)
        boxes = self._boxes(reading.cards)
        # Numbers of the hands within each box; the dealer has one.
        order: dict[tuple[int, int], int] = {}
        for box in range(1, BOXES_MAX + 1):
            groups: dict[int, list[Points]] = {}
            for card, own in zip(reading.cards, boxes, strict=True):
                if own == box:
                    groups.setdefault(card.hand, []).append(self._middle(card))
            middles = {hand: np.mean(places, axis=0) for hand, places in groups.items()}
            for number, hand in enumerate(self._ordered(middles), start=1):
                order[box, hand] = number
        hands = [
            None if box is None else 1 if box == DEALER else order[box, card.hand]
            for card, box in zip(reading.cards, boxes, strict=True)
        ]
        placed = zip(reading.cards, boxes, hands, strict=True)
        return BoxedReading(tuple(BoxedCard(*one) for one in placed), reading.unclear)

    def _number(self, place_mm: Points) -> int | None:
        if not np.isfinite(place_mm).all():
            return None
        return next((zone.number for zone in self._zones if zone.holds(place_mm)), None)

    def _middle(self, card: ReadCard) -> Points:
        """Return the card's centre in mm; the centre of its index where no corners are known."""
        return np.asarray(self.to_mm(np.array(card.quad or [card.at])).mean(0))

    def _boxes(self, cards: tuple[ReadCard, ...]) -> list[int | None]:
        """The box of each card; a hand's cards with corners say how the others lie."""
        return [
            self._number(self._middle(card)) if card.quad is not None else self._box_of_index(card, cards)
            for card in cards
        ]

    def _box_of_index(self, card: ReadCard, cards: tuple[ReadCard, ...]) -> int | None:
        """The box of a card of which only an index is known: every place that its centre can have agrees."""
        index = self._middle(card)
        mates = [other for other in cards if other.hand == card.hand and other.quad is not None]
        if mates:
            places = [index + self._middle(mate) - self.to_mm(np.array([mate.at]))[0] for mate in mates]
        else:
            # (7.0, 10.0): the centre of an index lies so far from a card's side and top; jumbo indices lie
            # further in. Source: no measurement on record.
            offset = np.hypot(*(np.array(self._card_mm) / 2 - (7.0, 10.0)))
            # 16: places around an index that stand for all where its card's centre may be: 16 mm apart for
            # a poker card.
            turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
            places = list(index + offset * np.column_stack([np.cos(turns), np.sin(turns)]))
        found = {self._number(place) for place in places}
        return found.pop() if len(found) == 1 else None

    def _ordered(self, middles: dict[int, Points]) -> list[int]:
        """Hands from the dealer's left to his right, or towards him where they lie behind each other."""
        if len(middles) < 2:
            return list(middles)
        places = np.array(list(middles.values()))
        across = np.array([-self._axis[1], self._axis[0]])
        beside, behind = places @ self._axis, places @ across
        along = np.ptp(beside) >= np.ptp(behind)
        return [list(middles)[slot] for slot in np.argsort(beside if along else behind, kind="stable")]


def _dealer_right(zones: tuple[Zone, ...]) -> Points:
    """The direction from the first box to the last; to the right where there are fewer than two.

    Turned by a quarter to the right it points from the players to the dealer.
    """
    boxes = sorted((zone for zone in zones if zone.box), key=lambda zone: zone.box or 0)
    if len(boxes) < 2:
        return np.array([1.0, 0.0])
    way = boxes[-1].corners().mean(0) - boxes[0].corners().mean(0)
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def boxed_object(file: str, size_px: tuple[int, int], reading: Reading, table: TableMap) -> dict[str, Any]:
    """Return one picture's `reading_object`, each card with `box` and `box_hand`."""
    assigned = table.assign(reading)
    cards = tuple(placed.card for placed in assigned.cards)
    found = reading_object(file, *size_px, reading._replace(cards=cards, unclear=assigned.unclear))
    for card, placed in zip(found["cards"], assigned.cards, strict=True):
        card |= {"box": placed.box, "box_hand": placed.box_hand}
    return found
