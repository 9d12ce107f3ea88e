"""The empty felt, and what lies on it beside read cards: hands, small things, places to look at again.

Works on the change gate's small picture. A hand is larger than a card and neither felt nor card. An arm
reaches the picture's edge; where its sleeve matches the felt, the hand alone is longer than a card. Chips and
print are neither.
"""

import math
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import CARD_ASPECT, Image, Points, Rect, scaled
from vision.reading import PointPx
from vision.tracking.change_gate import BLOCK_PX, BlockGrid, Blocks, PictureChange, any_in, outline_of
from vision.tracking.track import Track, UnreadObject

Mask = npt.NDArray[np.bool_]
"""height x width of the small picture."""


class FeltBackground:
    """Learn the empty table from areas long still and free of cards, in the gate's small picture."""

    def __init__(self, small: Image) -> None:
        """`small` gives the size of the pictures to come."""
        self._learnt: Image = np.zeros_like(small)
        self._known = np.zeros(small.shape[:2], bool)

    def learn(self, small: Image, blocks: Blocks) -> None:
        """Take these blocks for empty felt, its print included."""
        pixels = blocks.repeat(BLOCK_PX, 0).repeat(BLOCK_PX, 1)
        self._learnt[pixels] = small[pixels]
        self._known |= pixels

    def unlike(self, small: Image, card_px: float) -> Mask:
        """Return small pixels that match neither the felt around them nor the learnt background.

        `card_px` is a card's long side, in small pixels.
        """
        # The felt's colour around each small pixel.
        # 6, 2.9: the felt's colour is the median over so many card lengths a side, in cells of so many small
        # pixels a side each: an arm is less than half of that wide.
        cell = 6
        size = (max(8, small.shape[1] // cell), max(8, small.shape[0] // cell))
        window = 2 * round(2.9 * card_px / cell / 2) + 1
        coarse = cv2.medianBlur(cv2.resize(small, size, interpolation=cv2.INTER_NEAREST), window)
        around = cv2.resize(coarse, small.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        bright = _brightest(around).astype(np.float32)
        # Limits for felt. Source: no measurement on record.
        # 0.35, (10.0, 26.0): A pixel is no felt when its largest channel difference exceeds this share of
        # the felt's brightest channel, within these bounds in grey levels.
        least = np.clip(0.35 * bright, 10.0, 26.0)
        other = _brightest(cv2.absdiff(small, around)) > least
        if self._known.any():
            learnt = cv2.convertScaleAbs(self._learnt, alpha=self._light(small))
            other &= ~self._known | (_brightest(cv2.absdiff(small, learnt)) > least)
        return np.asarray(other)

    def _light(self, small: Image) -> float:
        """Return the table's brightness relative to the learnt one."""
        # 4: light is measured on every so-many-th small pixel, down and across.
        step = 4
        known = self._known[::step, ::step]
        now, then = (picture[::step, ::step, 1][known] + 1.0 for picture in (small, self._learnt))
        return float(np.median(now / then)) if known.any() else 1.0


def _brightest(picture: Image) -> Image:
    """The brightest channel of each pixel."""
    return cv2.max(cv2.max(picture[..., 0], picture[..., 1]), picture[..., 2])


def place_state(corners: Points, cards: list[Points], unlike: Mask) -> Literal["empty", "taken", "unseen"]:
    """Look at the place of a card that was not read.

    Outlines (4 x 2) are in small pixels; `cards` are those of cards that lie there now.

    `unseen` when the others leave too little of it open to say.
    """
    own = np.zeros(unlike.shape, np.uint8)
    # 0.82: share of a card's outline, about its centre, that has to be felt; the rest is edge and shadow.
    cv2.fillConvexPoly(own, np.round(scaled(corners, 0.82)).astype(np.int32), 1)
    size = int(own.sum())
    for card in cards:
        cv2.fillConvexPoly(own, np.round(card).astype(np.int32), 0)
    free = own.astype(bool)
    # 0.2: A place of which other cards leave less than this share open cannot be seen.
    if size == 0 or free.sum() < 0.2 * size:
        return "unseen"
    # 0.85: A place is empty when at least this share of its open part is felt.
    return "empty" if (~unlike[free]).mean() >= 0.85 else "taken"


_TOUCHES_PX: Final = 2
"""Small pixels between an outline and what touches it, at most: the width of the edge that light blurs."""


class HandsOnCards:
    """The hands of one picture."""

    def __init__(
        self,
        unlike: Mask,
        cards: Iterable[Points],
        covered: Iterable[Points],
        papers: Points,
        card_px: float,
    ) -> None:
        """`unlike` marks small pixels that are no felt; `cards` are outlines (4 x 2) of visible cards.

        `covered` are outlines of cards under others, where the card or a hand may show. `papers` (n x 2) are
        places of other free things: a piece may be longer by that many cards. All lengths are in small
        pixels; `card_px` is a card's long side.
        """
        self._card_px = card_px
        self._beside: Image = unlike.astype(np.uint8)
        for outline in cards:
            cv2.fillConvexPoly(self._beside, self._grown(outline), 0)
        self._rest: Image = self._beside.copy()
        for outline in covered:
            cv2.fillConvexPoly(self._rest, self._grown(outline), 0)
        self._held: Image = np.zeros_like(self._rest)
        # Limits for a hand. Lengths are in card lengths. Source: drawn arms (`tests/witnesses`).
        # 0.25: print, letters and single fingers are thinner than this; palm, wrist and sleeve are not.
        side = max(3, round(0.25 * card_px))
        thick = cv2.morphologyEx(self._rest, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
        _, self._thick, stats, _ = cv2.connectedComponentsWithStats(thick)
        self._lengths = [
            0.0,
            *(self._length(number, stats[number].tolist()) for number in range(1, len(stats))),
        ]
        for x, y in papers:
            self._lengths[self._thick[int(y), int(x)]] -= card_px

    def note_held(self, outline: Points) -> None:
        """Mark the grown outline of a held card: what touches it counts as part of the hand."""
        cv2.fillConvexPoly(self._held, self._grown(outline), 1)

    def hold(self, outline: Points, *, known: bool) -> bool:
        """Whether a hand touches this outline (4 x 2), or may do so beyond the picture's edge.

        `known`: the outline is the card's own; else it is a square about an index.
        """
        (left, top), (right, foot) = outline.min(0), outline.max(0)
        tall, wide = self._rest.shape
        if left < _TOUCHES_PX or top < _TOUCHES_PX or right > wide - _TOUCHES_PX or foot > tall - _TOUCHES_PX:
            return True
        # 0.5: A palm lies no further than this from what its fingers hold.
        reach = 0.5 * self._card_px
        rows = slice(max(int(top - reach), 0), max(int(foot + reach) + 1, 0))
        columns = slice(max(int(left - reach), 0), max(int(right + reach) + 1, 0))
        # 0.7, 1.2: A piece longer than this, along its own direction, is a hand: beside a card of which the
        # outline is known (chips are 0.45 wide), and where the card is a part of it, for light blurs its
        # edge.
        limit = (0.7 if known else 1.2) * self._card_px
        hands = [
            number
            for number in np.unique(self._thick[rows, columns]).tolist()
            if self._lengths[number] > limit
        ]
        near: Image = np.zeros(self._rest.shape, np.uint8)
        cv2.fillConvexPoly(near, self._grown(outline), 1)
        _, pieces = cv2.connectedComponents(self._beside[rows, columns])
        touching = set(pieces[_widened(near[rows, columns])].tolist()) - {0}
        held: list[int] = pieces[np.isin(self._thick[rows, columns], hands)].tolist()
        if not known:
            held += pieces[_widened(self._held[rows, columns])].tolist()
        return not touching.isdisjoint(held)

    def _grown(self, outline: Points) -> Image:
        # 1.1: A known outline is taken so many times as large: it may be off, and light blurs its edge.
        return np.round(scaled(outline, 1.1)).astype(np.int32)

    def _length(self, number: int, stats: list[int]) -> float:
        """Return a thick piece's length along its own axis; infinite at the picture's edge."""
        left, top, width, height, _ = stats
        tall, wide = self._thick.shape
        if left == 0 or top == 0 or left + width == wide or top + height == tall:
            return math.inf
        rows, columns = np.nonzero(self._thick == number)
        _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        return float(max(sides)) + 1


def _widened(area: Image) -> Mask:
    """Return an area grown by _TOUCHES_PX."""
    side = 2 * _TOUCHES_PX + 1
    return np.asarray(cv2.dilate(area, np.ones((side, side), np.uint8)) > 0)


def is_too_small(image: Image, at: PointPx, px_per_mm: float) -> bool:
    """Whether the thing at a place of a BGR picture stands alone on the felt and is too small for a card.

    Anything that touches a card, a hand or the window's edge is not: it may be part of a card.
    """
    # When a thing is certainly no card. Lengths are in millimetres, colours in steps of CIELAB's 8-bit
    # form. Source: of 1,223 indices and 14 other cards of 24 drawn tables of decks left out none is too
    # small, in full light; 188 of 339 chips are. In a light of 0.4 four were, on felts of no colour.
    # 70.0: so far around a place the picture is looked at, to each side.
    half, (x, y) = round(70.0 * px_per_mm), (round(at[0]), round(at[1]))
    left, top = max(x - half, 0), max(y - half, 0)
    window = image[top : y + half + 1, left : x + half + 1]
    unlike = _unlike_felt(window, px_per_mm)
    if unlike is None:
        return False
    _, parts = cv2.connectedComponents(unlike)
    rows, columns = np.nonzero(parts)
    apart = np.hypot(columns - (x - left), rows - (y - top))
    # 8.0: A thing so near to the place is the one that is meant.
    near = np.unique(parts[rows, columns][apart <= 8.0 * px_per_mm])
    # 50.0: what is no longer than this is no card, not even a bridge card's short side (57).
    return all(_is_small(parts == part, 50.0 * px_per_mm) for part in near)


def _unlike_felt(window: Image, px_per_mm: float) -> Image | None:
    """Return the difference from the felt, which fills most of a window's rim.

    None where a card may not differ from it.
    """
    lab = cv2.cvtColor(cv2.blur(window, (3, 3)), cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]])
    felt = np.median(rim, 0)
    # 128.0: of both colour channels where there is no colour. Source: OpenCV's 8-bit CIELAB.
    colour = float(np.abs(felt[1:] - 128.0).max())
    # 60.0, 14.0: on felt as light as this and of as little colour a card may not stand out, least of all in
    # the dark: nothing there is surely no card.
    if felt[0] >= 60.0 and colour < 14.0:
        return None
    # 12.0: so much, in one of the three channels, a thing differs from the felt around it. As little as a
    # card in deep shade on the felt of its own hue does.
    unlike = (np.abs(lab - felt).max(2) > 12.0).astype(np.uint8)
    side = 2 * round(px_per_mm) + 1
    return np.asarray(cv2.morphologyEx(unlike, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)))


def _is_small(part: Image, longest_px: float) -> bool:
    rim = part[0].any() or part[-1].any() or part[:, 0].any() or part[:, -1].any()
    _, sides, _ = cv2.minAreaRect(np.argwhere(part)[:, ::-1].astype(np.float32))
    return not rim and max(sides) < longest_px


_SECOND_LOOK_AFTER_MS: Final = (100, 300, 900)
"""Waits before each second look at a place that changed.

Source: no measurement on record, except where a field names one.
"""


class PlannedLook(NamedTuple):
    """A place to look at again, when, and how often that was done."""

    rect: Rect
    at_ms: int
    looks: int


class SecondLooks:
    """The places that are to be looked at again although nothing has changed there."""

    def __init__(self) -> None:
        """Begin with none."""
        self._later: list[PlannedLook] = []

    def due(self, now: PictureChange) -> list[Rect]:
        """Return the places due for a second read; places that change are read for that reason."""
        self._later = [later for later in self._later if _rests(later, now)]
        return [later.rect for later in self._later if now.mono_ms >= later.at_ms]

    def after(self, changed: list[Rect], unknown: Mask, now: PictureChange) -> None:
        """Plan second looks after a read of `changed` places; `unknown` as from `unexplained_mask`."""
        done = [later for later in self._later if now.mono_ms >= later.at_ms]
        self._later = [later for later in self._later if now.mono_ms < later.at_ms]
        for rect, looks in [(rect, 0) for rect in changed] + [
            (later.rect, later.looks + 1) for later in done
        ]:
            if looks < len(_SECOND_LOOK_AFTER_MS):
                at_ms = now.mono_ms + _SECOND_LOOK_AFTER_MS[looks]
                self._later += [
                    PlannedLook(part, at_ms, looks) for part in _card_parts(rect, unknown, now.grid)
                ]
        # When a place is read again. Source: no measurement on record, except where a field names one.
        # 64: places that are planned at once, a bound of time.
        del self._later[:-64]


def _rests(later: PlannedLook, now: PictureChange) -> bool:
    blocks = now.grid.blocks(later.rect)
    return not any_in(now.change.moving, blocks) and not any_in(now.change.due, blocks)


def unexplained_mask(
    unlike: Mask, tracks: Iterable[Track], unread: Iterable[UnreadObject], grid: BlockGrid
) -> Mask:
    """Small pixels that are no felt, no known card and no object that is known to be unread."""
    mask = unlike.astype(np.uint8)
    scale = np.array(grid.small_scale)
    for track in tracks:
        corners = outline_of(track.pose, grid.card_px)
        away = corners - corners.mean(0)
        outwards = away / np.linalg.norm(away, axis=1, keepdims=True)
        # 0.06: known cards explain what lies this near to them, in card lengths: shadows and estimated
        # corners.
        wider = corners + outwards * 0.06 * grid.card_px
        cv2.fillConvexPoly(mask, np.round(wider * scale).astype(np.int32), 0)
    for known in unread:
        left, top, right, foot = grid.around(known.at, 1.0)
        mask[_span(top, foot, scale[1]), _span(left, right, scale[0])] = 0
    return mask.astype(bool)


def _span(start: int, end: int, scale: float) -> slice:
    """Rows or columns of the small picture."""
    return slice(max(int(start * scale), 0), max(int(end * scale), 0))


def _card_parts(rect: Rect, unknown: Mask, grid: BlockGrid) -> list[Rect]:
    """Return rectangles around unknown parts of a place that are large enough for a card."""
    left, top, right, foot = rect
    across, down = grid.small_scale
    rows, columns = _span(top, foot, down), _span(left, right, across)
    _, _, stats, _ = cv2.connectedComponentsWithStats(unknown[rows, columns].astype(np.uint8))
    # 0.1: so much of a card's area has to lie there in one piece, beside what is known: the strip of a card
    # that a fan leaves open is a tenth of it (history of this file).
    least = 0.1 * CARD_ASPECT * grid.card_px**2 * across * down
    return [
        (
            int((columns.start + x) / across),
            int((rows.start + y) / down),
            round((columns.start + x + wide) / across),
            round((rows.start + y + tall) / down),
        )
        for x, y, wide, tall, area in stats[1:].tolist()
        if area >= least
    ]
