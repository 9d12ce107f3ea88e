"""Assign read cards to boxes and hands by their place on the felt; reject objects of the wrong size."""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from controller.domain import ConfigError
from vision.calibration.layout import BOXES_MAX, DEALER, Layout, Zone
from vision.geometry import Points
from vision.reading import PointPx, Quad, ReadCard, Reading, Unclear
from vision.report import reading_object

_ASPECT_SLACK: Final = 0.005
"""Pictures whose aspect is off by less than this share are the camera's, only scaled.

Source: no measurement on record.
"""

_SIZE_SLACK: Final = 0.15
"""A card's length on the felt (root of its area) may be off by this share: corners are estimated.

Source: at 20 degrees of tilt a side alone is up to 24 % off (docs/measurements/layout.md); of the area no
measurement on record.
"""

_INDEX_MARGIN_MM: Final = (7.0, 10.0)
"""The centre of an index lies so far from a card's side and top; jumbo indices lie further in.

Source: no measurement on record.
"""

_RIM_STEPS: Final = 16
"""Places around an index that stand for all where its card's centre may be: 16 mm apart for a poker card."""


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
        if abs(width * camera.height / (height * camera.width) - 1) > _ASPECT_SLACK:
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
        return abs(math.sqrt(area / (width * height)) - 1) <= _SIZE_SLACK

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
        hands = self._hands(reading.cards, boxes)
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
            offset = np.hypot(*(np.array(self._card_mm) / 2 - _INDEX_MARGIN_MM))
            turns = np.linspace(0, 2 * np.pi, _RIM_STEPS, endpoint=False)
            places = list(index + offset * np.column_stack([np.cos(turns), np.sin(turns)]))
        found = {self._number(place) for place in places}
        return found.pop() if len(found) == 1 else None

    def _hands(self, cards: tuple[ReadCard, ...], boxes: list[int | None]) -> list[int | None]:
        """Numbers of the hands within each box; the dealer has one."""
        order: dict[tuple[int, int], int] = {}
        for box in range(1, BOXES_MAX + 1):
            groups: dict[int, list[Points]] = {}
            for card, own in zip(cards, boxes, strict=True):
                if own == box:
                    groups.setdefault(card.hand, []).append(self._middle(card))
            middles = {hand: np.mean(places, axis=0) for hand, places in groups.items()}
            for number, hand in enumerate(self._ordered(middles), start=1):
                order[box, hand] = number
        return [
            None if box is None else 1 if box == DEALER else order[box, card.hand]
            for card, box in zip(cards, boxes, strict=True)
        ]

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
