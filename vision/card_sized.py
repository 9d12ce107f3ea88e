"""Objects of a card's size that no index explains: backs, the cut card, jokers, unread cards."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
from cv2.typing import RotatedRect

from vision.assembly import AssembledCard
from vision.geometry import NEXT_CORNER, Image, Points, inside_each, overlap, scaled, to_rectangle
from vision.heat_map import HeatMap
from vision.networks import INDEX_CROP, IndexNetwork
from vision.proposal import SAMPLE_STEP_PX, coarse_sample
from vision.reading import STATES, ReadCard

ObjectKind = Literal["back", "cut", "joker", "paper", "thing", "hollow"]
"""A card's back, the cut card, a joker, something white (an unread card), anything else, or what looks like a
back and shows felt within."""


_FOREGROUND_UNLIKE_FELT: Final = 26.0
"""Difference from the felt (largest of the channels, grey levels) that makes a pixel part of an object.

Source: docs/measurements/reader.md, What a limit is worth.
"""


_SHAPE_SHORT_MIN_PX: Final = 40
"""Objects with a shorter side are not looked at.

Source: docs/measurements/reader.md, What a limit is worth, or what a field names.
"""


_KIND_RIM_PX: Final = INDEX_CROP.width_px // 8
"""So many pixels at the border of an object's crop may be felt.

Source: no measurement on record, except where a field names one.
"""

_KIND_WHITE_SHARE: Final = 0.45
"""Least share of white in what is paper. Source: as above."""


class CardSizedObject(NamedTuple):
    """An object of a card's shape.

    `corners` (4 x 2) clockwise from the start of a short side, its kind, and the kind's probability (0..1).
    """

    corners: Points
    kind: ObjectKind
    p: float


def _felt_colour(small: Image) -> Image:
    """The felt's colour around each pixel: the median over wide windows."""
    # Limits for what differs from the felt. Source: docs/measurements/reader.md, What a limit is worth.
    # 24: the felt's colour is a median over a grid with cells of so many pixels of the sample.
    cell = 24
    size = (max(8, small.shape[1] // cell), max(8, small.shape[0] // cell))
    cells = cv2.resize(small, size, interpolation=cv2.INTER_NEAREST)
    # 11: side of that median's window, in cells.
    coarse = cv2.medianBlur(cells, 11)
    return cv2.resize(coarse, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_LINEAR)


def foreground_mask(sample: Image) -> Image:
    """255 where something lies on the felt, else 0, for each pixel of a `proposal.coarse_sample`."""
    if not sample.size:
        return np.zeros((0, 0), np.uint8)
    small = cv2.blur(sample, (2, 2))
    blue, green, red = cv2.split(cv2.absdiff(small, _felt_colour(small)))
    largest = cv2.max(cv2.max(blue, green), red)
    _, mask = cv2.threshold(largest, _FOREGROUND_UNLIKE_FELT, 255, cv2.THRESH_BINARY)
    return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))


STROKE: Final = 0.42
"""Print is narrower than this, in long sides of a card: a card that touches it has a shape of its own.

Source: `python -m tests.measures.backs`: at 0.3 two of 616 cards were passed over, and fewer were reported.
"""


def opened(mask: Image, radius_px: float) -> Image:
    """Return a mask (255 or 0) after morphological opening with a disc of this radius."""
    within = cv2.distanceTransform(mask, cv2.DIST_L2, 3) > radius_px
    beyond = cv2.distanceTransform(np.where(within, 0, 255).astype(np.uint8), cv2.DIST_L2, 3)
    return np.where(beyond <= radius_px, mask, 0).astype(np.uint8)


def things_on_felt(foreground: Image, cards: Sequence[AssembledCard], card_px: float | None) -> Image | None:
    """Return a mask, 255 where something wider than print lies on the felt; None where that is unknown.

    It is known where a card's long side is, and each of the read `cards` stands out. `foreground` is a
    `foreground_mask`. Print on a card may have the felt's colour.
    """
    if card_px is None or not cards:
        return None
    contours, _ = cv2.findContours(foreground, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    filled = cv2.drawContours(np.zeros_like(foreground), contours, -1, 255, cv2.FILLED)
    # 0.3: what is narrower than this on a felt, in long sides of a card, is print or something small.
    # Source: of 2,548 indices in sight on 68 drawn tables of decks left out five lie on nothing so wide:
    # one beyond the border, two under a camera that leans by 20 degrees and more, two of cards thrown
    # apart. At 0.42 it is 50.
    things = opened(np.asarray(filled), 0.3 * card_px / SAMPLE_STEP_PX / 2)
    seen = all(lies_at(things, index.centre) for card in cards for index in card.indices)
    return things if seen else None


def lies_at(things: Image | None, centre: Points) -> bool:
    """Whether something may lie at a place of the picture (2); `things` as `things_on_felt` has them."""
    if things is None:
        return True
    column, row = (int(part / SAMPLE_STEP_PX) for part in centre)
    rows, columns = things.shape
    return bool(things[min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)])


def _without_known(mask: Image, known: list[Points], card_long_px: float | None) -> Image:
    """Return the mask outside the known outlines, without specks and print; changes the mask."""
    outlines = np.array(known).reshape(-1, 4, 2)
    # Limits of a card's shape. Source: docs/measurements/reader.md, What a limit is worth, or what a field
    # names.
    # 1.05: known outlines are grown by this factor before they are taken away: corners are estimated.
    grown = scaled(outlines, 1.05) / SAMPLE_STEP_PX
    for corners in np.round(grown).astype(np.int32):
        cv2.fillConvexPoly(mask, corners, 0)
    if card_long_px is None:
        return cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return opened(mask, STROKE * card_long_px / SAMPLE_STEP_PX / 2)


def _sides_px(rectangle: RotatedRect) -> tuple[float, float]:
    """The short and the long side of a rectangle of the sample, in pixels of the picture."""
    short, long = sorted((side + 1) * SAMPLE_STEP_PX for side in rectangle[1])
    return short, long


def _corners(rectangle: RotatedRect) -> Points:
    """Return a rectangle's corners in pixels of the picture, from the start of a short side."""
    corners = cv2.boxPoints(rectangle).astype(np.float64)
    sides = np.hypot(*(corners[NEXT_CORNER] - corners).T)
    first_short = corners[NEXT_CORNER] if sides[0] > sides[1] else corners
    return (first_short + 0.5) * SAMPLE_STEP_PX - 0.5


def _fills(contour: Image, rectangle: RotatedRect) -> bool:
    """Whether an object fills its rectangle as a card does."""
    wide, high = rectangle[1]
    # 0.81: A lone card fills its smallest rectangle at least so far: rounded corners, blur, print taken off
    # it. Source: `python -m tests.measures.backs --drawn 10 --tables 1`: at 0.86 10 of 13 cards face down
    # beside another one that were reported became unclear, once print was taken off. A round thing fills
    # 0.79.
    least = 0.81 * max(wide * high, 1.0 / SAMPLE_STEP_PX**2)
    return cv2.contourArea(cv2.convexHull(contour)) >= least


def _is_solid(mask: Image, rectangle: RotatedRect) -> bool:
    """Whether the whole object differs from the felt."""
    inside = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.rint(cv2.boxPoints(rectangle)).astype(np.int32), 255)
    # 0.8: least share of a card that stands out from the felt: a printed outline is no card, chips in it or
    # not. Source: outlines of boxes were reported as cards face down on outside drawn tables, with up to
    # 0.999.
    return cv2.countNonZero(mask & inside) >= 0.8 * cv2.countNonZero(inside)


def _is_small(contour: Image) -> bool:
    """Whether any rectangle around it is too short: the axis-aligned one is never smaller."""
    _, _, wide, high = cv2.boundingRect(contour)
    return wide * high * SAMPLE_STEP_PX**2 < _SHAPE_SHORT_MIN_PX**2


def squeezed_card_crop(image: Image, corners: Points) -> Image:
    """A whole card (corners 4 x 2, BGR picture) squeezed into an index crop: that network knows backs."""
    height, width = INDEX_CROP
    matrix = to_rectangle(corners, *INDEX_CROP)
    return cv2.warpPerspective(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)


def _is_card_shaped(short: float, long: float, card_long_px: float | None) -> bool:
    # (0.58, 0.82): short side over long side; cards have 0.65 to 0.72 before the camera's tilt.
    if short < _SHAPE_SHORT_MIN_PX or not 0.58 < short / long < 0.82:
        return False
    # 0.35: its long side differs from that of the picture's cards by less than this share.
    return card_long_px is None or abs(long / card_long_px - 1) < 0.35


def _kind(image: Image, corners: Points, network: IndexNetwork) -> tuple[ObjectKind, float]:
    """Return the kind of a card-shaped object and its probability."""
    crop = squeezed_card_crop(image, corners)
    rim = slice(_KIND_RIM_PX, -_KIND_RIM_PX)
    deviation = np.max(cv2.blur(crop, (3, 3))[rim, rim].reshape(-1, 3).std(axis=0))
    spread = crop.max(axis=2).astype(int) - crop.min(axis=2)
    # Limits for the kind of a card-shaped object. Source: no measurement on record, except where a field
    # names one.
    # 0.6, 60: A pixel is white when its darkest channel has this share of the crop's brightest, and its
    # channels differ by fewer grey levels.
    white = (crop.min(axis=2) > 0.6 * crop.max()) & (spread < 60)
    # 1.0: below this deviation an object carries no print at all: every back does, cut cards need not.
    # Source: plain cut cards of a dark colour were reported as cards face down on drawn tables (history of
    # this file).
    if deviation < 1.0 and white.mean() < _KIND_WHITE_SHARE:
        return "cut", 1.0
    # Before the network, which takes some plain cut cards for backs: every back has print.
    # 70, 14.0: A cut card is strongly coloured (mean grey levels between its channels) and has little print
    # (deviation).
    if spread.mean() > 70 and deviation < 14.0:
        return "cut", 1.0
    kinds: tuple[ObjectKind, ...] = ("back", "cut", "joker")
    # Probabilities of STATES for a squeezed card, the mean of both ways round.
    state = np.asarray(network.classify(np.stack([crop, crop[::-1, ::-1]])).state.mean(0))
    for kind in kinds:
        # 0.9: least probability of a back, a cut card or a joker, by the index network, on the mean of both
        # ways round. What the heat map took for a back and was none on outside drawn tables (stacks of
        # chips, a box's outline) had 0.61 and 0.67.
        if state[STATES.index(kind)] > 0.9:
            return kind, float(state[STATES.index(kind)])
    return ("paper", float(white.mean())) if white.mean() > _KIND_WHITE_SHARE else ("thing", 0.0)


def _card_corners(contour: Image, card_px: float, slack: float) -> Points | None:
    """The corners (4 x 2, in the picture) of a sample's contour of a card's size, to this share."""
    if len(contour) < 4 or _is_small(contour):
        return None
    rectangle = cv2.minAreaRect(contour)
    short, long = _sides_px(rectangle)
    fits = _is_card_shaped(short, long, card_px) and abs(long / card_px - 1) < slack
    return _corners(rectangle) if fits and _fills(contour, rectangle) else None


def find_card_sized_objects(
    image: Image, mask: Image, known: list[Points], card_long_px: float | None, network: IndexNetwork
) -> list[CardSizedObject]:
    """Card-shaped objects of a BGR picture outside the `known` outlines.

    `mask` is the `foreground_mask` of its sample, and is used up; `card_long_px` a card's long side where
    known.
    """
    if not mask.size:
        return []
    left = _without_known(mask, known, card_long_px)
    contours, _ = cv2.findContours(left, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        if len(contour) < 4 or _is_small(contour):
            continue
        rectangle = cv2.minAreaRect(contour)
        if _is_card_shaped(*_sides_px(rectangle), card_long_px) and _fills(contour, rectangle):
            corners = _corners(rectangle)
            kind, p = _kind(image, corners, network)
            hollow = kind == "back" and not _is_solid(mask, rectangle)
            found.append(CardSizedObject(corners, "hollow" if hollow else kind, p))
    return found


def reclassified(found: CardSizedObject, heat_map: HeatMap) -> CardSizedObject:
    """Return a thing as a back where the heat map shows one; a cut card as `hollow`, which may be a back.

    From afar a dense print is as plain as a cut card, and a card face down must not count as one.
    """
    if found.kind not in {"thing", "cut"}:
        return found
    share = heat_map.mean_within(found.corners, "back")
    # Limits for a card's back. Source: chosen on the tables and photographs named in
    # docs/measurements/reader.md, What the heat map adds; the single numbers have no measurement on record.
    # 0.75: mean probability of a back, in the heat map, over an object of a card's shape that makes it one.
    if share <= 0.75:
        return found
    return found._replace(kind="back" if found.kind == "thing" else "hollow", p=share)


def _overlaps(one: ReadCard, other: ReadCard) -> bool:
    if one.quad is None or other.quad is None:
        return False
    # 0.1: cards whose outlines, made smaller by this share, overlap lie in one hand: those of a heat map
    # are rough.
    return overlap(*(scaled(np.array(card.quad), 1 - 0.1) for card in (one, other)))


def assign_to_hands(cards: list[ReadCard], down: list[ReadCard]) -> list[ReadCard]:
    """All cards by hand; a card face down that overlaps one of a hand is its last, others are hands alone."""
    number = max((card.hand for card in cards), default=0)
    placed: list[ReadCard] = []
    for back in down:
        host = next((card.hand for card in cards if _overlaps(card, back)), None)
        number += host is None
        placed.append(back._replace(hand=number if host is None else host))
    return sorted([*cards, *placed], key=lambda card: card.hand)


_RIM_SLACK: Final = 0.25
"""A rim alone has to be as long as a card to this share: the outline of a printed box has any size.

Source: on the demo's felt a line of print that a green back touches makes its rim longer by 0.2.
"""


def rims(
    image: Image, mask: Image, outlines: list[Points], card_px: float, network: IndexNetwork
) -> list[CardSizedObject]:
    """Backs apart from the known `outlines` of which the rim alone stands out, or of which it is all white.

    The first are of the felt's own colour; the felt around the others is lit so unevenly that it stands out
    itself. `mask` is a `foreground_mask`, and is used up; `card_px` is a card's long side.
    """
    found = find_card_sized_objects(image, mask, outlines, None, network)
    sides_px = (float(np.hypot(*(one.corners[3] - one.corners[0]))) for one in found)
    own = [
        one
        for one, long_px in zip(found, sides_px, strict=True)
        if one.kind == "hollow" and abs(long_px / card_px - 1) < _RIM_SLACK
    ]
    return [*own, *(CardSizedObject(corners, "hollow", 0.0) for corners in _white(image, outlines, card_px))]


def _white(image: Image, outlines: list[Points], card_px: float) -> list[Points]:
    """Outlines (4 x 2) of white rims of a card's size around something that is not felt."""
    sample = cv2.blur(coarse_sample(image), (2, 2))
    # 60: A white rim is lighter than the felt around it in its darkest channel by so many grey levels.
    # Source: on a drawn dark red felt with stripes of light the rim had 130 and more, the felt 33 at most.
    light = cv2.subtract(sample.min(2), _felt_colour(sample).min(2)) > 60
    contours, _ = cv2.findContours(light.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = (_card_corners(contour, card_px, _RIM_SLACK) for contour in contours)
    rimmed: list[Points] = []
    for corners in found:
        known = np.array([*outlines, *rimmed]).reshape(-1, 4, 2)
        if corners is None or inside_each(corners.mean(0)[None], known).any():
            continue
        # The area within a rim differs from the area around it.
        # (0.8, 1.25): the back within a rim, and the felt beside it, as shares of the outline's size: they
        # differ as a thing does from the felt. Within a printed outline there is felt. Source: no measurement
        # on record.
        inner, outer = (_ring(sample, corners, share) for share in (0.8, 1.25))
        if bool(np.abs(inner - outer).max() > _FOREGROUND_UNLIKE_FELT):
            rimmed.append(corners)
    return rimmed


def _ring(sample: Image, corners: Points, share: float) -> Points:
    """The usual colour along an outline that is so many times as large."""
    ring = np.zeros(sample.shape[:2], np.uint8)
    points = np.rint(scaled(corners[None], share)[0] / SAMPLE_STEP_PX).astype(np.int32)
    cv2.polylines(ring, [points], True, 1)
    return np.asarray(np.median(sample[ring > 0], 0)) if ring.any() else np.zeros(3)
