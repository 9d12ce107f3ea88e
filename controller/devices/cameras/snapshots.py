"""Views of a followed camera for people: outlines, crops, pictures without face-down cards, figures."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.config import CameraSection
from controller.devices.cameras.deck import DeckEnrolment, deck_of, home_of
from controller.devices.cameras.follower import calibrate_in_place
from controller.devices.cameras.setup import BoxAt, CameraSetup, layout_of, reference_of
from controller.devices.cameras.tracker import (
    CameraTracker,
    TrackedFrame,
    card_centre,
    known_card,
    open_tracker,
)
from controller.domain import card_named
from controller.ports import Clock
from controller.runtime.api import NameCard
from controller.runtime.contradictions import (
    DEALER_BOX,
    CameraSight,
    OutlinedCard,
    Pixel,
    RankAt,
    TrackedCard,
)
from drivers.camera import edges_of
from vision.calibration import SETUP_LIMITS, CardsPart, Layout
from vision.geometry import Rect
from vision.pictures import masked_excerpt
from vision.tracking import TrackView

CARD_SHARE: Final = 1 / 21
"""A card's long side as a share of the picture's width, until a card with known corners is seen."""


def distance(one: Pixel, other: Pixel) -> float:
    """Return the distance of two places in a picture."""
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def _face_down_centres(last: TrackedFrame) -> list[Pixel]:
    """Give the middles of the cards that lie face down: nothing near them may be shown."""
    return [card_centre(track) for track in last.scene.tracks if track.face == "down"]


def _long_side(track: TrackView) -> float:
    """Give the longest side of a card's outline; the track must have one."""
    corners = np.array(track.quad)
    return float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).max())


def card_length(last: TrackedFrame) -> float:
    """Return the median long side of the cards with known corners."""
    longs = [_long_side(track) for track in last.scene.tracks if track.quad is not None]
    return float(np.median(longs)) if longs else last.image.shape[1] * CARD_SHARE


BURNT_LEVEL: Final = 250
"""From this level (green, 0 to 255) on a pixel is at the end of the scale."""

_LIGHT_PERCENTILE: Final = 99
"""The brightest hundredth of a picture of a table is paper or print, with and without cards."""


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


_REPORTED_FROM_PX: Final = ((10.0, 0.96), (6.0, 0.93), (4.5, 0.48))
"""Height of a rank, and from it on the share of cards in full view of which one picture tells the rank.

Source: docs/measurements/reader.md, By height of the rank; below 4.5 px the reader looks at no index.
"""

RANK_PX: Final = SETUP_LIMITS.rank_px
RANK_PX_WISHED: Final = SETUP_LIMITS.rank_px_wished


def rank_heights(section: CameraSection) -> tuple[tuple[int, float], ...]:
    """The boxes that the camera's layout names; none without a layout. Raises as `layout_of`."""
    layout = layout_of(section)
    return () if layout is None else _heights_by(layout)


def _heights_by(layout: Layout) -> tuple[tuple[int, float], ...]:
    """Height in pixels of the rank's letter alone at each box, 0 for the dealer; the worst corner counts."""
    flat, rank_mm = layout.flat, layout.cards.rank_mm
    return tuple(
        (zone.number, float(flat.px_per_mm(zone.corners()).min()) * rank_mm)
        for zone in layout.zone
        if zone.number is not None
    )


def _reported_share(rank_px: float) -> float:
    """The share (0..1) of cards with ranks of this height that one picture tells, as drawn tables show it."""
    return next((share for from_px, share in _REPORTED_FROM_PX if rank_px >= from_px), 0.0)


def has_reference(section: CameraSection) -> bool:
    """Whether a reference picture shows a blurred or displaced camera from the start."""
    layout = layout_of(section)
    return section.reference is not None or (layout is not None and layout.origin.reference is not None)


def light_in(image: NDArray[np.uint8]) -> Light:
    """Measure a picture (height x width x 3, BGR)."""
    green = image[::4, ::4, 1]
    return Light(float(np.percentile(green, _LIGHT_PERCENTILE)), float(np.mean(green >= BURNT_LEVEL)))


SIDE_PX: Final = 960
"""Longer side of the picture that is shown: a rank of 16 pixels in a camera of 1920 can still be read."""

CELLS: Final = 40
"""Fields along the picture that are shown or blackened as a whole."""

NEAR: Final = 1.0
"""Nothing is shown so near to a face-down card, in card lengths: it may be lifted for a peek."""

CARDS: Final = CardsPart()


def _around(at: Pixel, card_px: float) -> tuple[Pixel, ...]:
    """Return a square around an object without corners."""
    (x, y), half = at, card_px / 3
    return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)


FRESH_NS: Final = 2_000_000_000
"""What an older picture shows may be another round's."""

_KEPT_NS: Final = 5_000_000_000
"""A picture on a screen is renewed so often: without flicker, and a passing hand does not stay in it."""

_REACH: Final = 0.85
"""Half side of a picture around one spot, in card lengths: an index may stand at any corner of its card."""

_SAME_PX: Final = 12
"""A spot that has moved by less, in pixels, needs no new picture."""

_PICTURES_MAX: Final = 16
EXPECTED: Final = frozenset({"cut_card"})


class TrackedCamera(NamedTuple):
    """A camera that is being followed, and where it sees the boxes. Its pictures are made in any thread."""

    name: str
    box_at: BoxAt
    tracker: CameraTracker

    def sight(self, last: TrackedFrame, *, hides_dealer: bool, card_px: float) -> CameraSight | None:
        """Return the picture behind `last`; None when none of it may be shown."""
        downs = _face_down_centres(last)

        def in_picture(at: Pixel) -> bool:
            if hides_dealer and self.box_at(last.place(at)) == DEALER_BOX:
                return False
            return all(distance(at, down) >= NEAR * card_px for down in downs)

        height, width = last.image.shape[:2]
        jpeg = masked_excerpt(last.image, (0, 0, width, height), in_picture, SIDE_PX, CELLS)
        if jpeg is None:
            return None
        light = light_in(last.image)
        return CameraSight(
            self.name,
            width,
            height,
            jpeg,
            tuple(self._outlines(last, in_picture, card_px)),
            tuple(RankAt(box, px, _reported_share(px)) for box, px in self._ranks_px(last)),
            edges_of(last.image).width,
            light.level,
            light.burnt,
        )

    def _ranks_px(self, last: TrackedFrame) -> tuple[tuple[int, float], ...]:
        """Return the rank heights by the layout; without one, by the smallest card of each box."""
        layout = self.tracker.layout
        if layout is not None:
            return tuple((box, px / last.scale) for box, px in _heights_by(layout))
        least: dict[int, float] = {}
        for track in last.scene.tracks:
            box = self.box_at(last.place(card_centre(track)))
            if track.quad is None or box is None:
                continue
            px = _long_side(track) * CARDS.rank_mm / CARDS.size_mm[1]
            least[box] = min(px, least.get(box, px))
        return tuple(sorted(least.items()))

    def _outlines(
        self, last: TrackedFrame, in_picture: Callable[[Pixel], bool], card_px: float
    ) -> Iterator[OutlinedCard]:
        for track in last.scene.tracks:
            box = self.box_at(last.place(card_centre(track)))
            corners = track.quad or _around(track.at, card_px)
            if track.face == "down":
                yield OutlinedCard(box, corners, "down", "", "", 0.0)
            elif track.state == "seen" and in_picture(card_centre(track)) and in_picture(track.at):
                doubt, card = last.doubts.get(track.track), known_card(track)
                seen = "" if doubt is None else str(card_named(*doubt.reads_as))
                sure: Literal["certain", "doubt"] = "certain" if doubt is None else "doubt"
                look = "unclear" if card is None else sure
                yield OutlinedCard(box, corners, look, "" if card is None else str(card), seen, track.p)
        known = [card_centre(track) for track in last.scene.tracks]
        for thing in last.scene.unclear:
            alone = all(distance(thing.at, card) > card_px for card in known)
            if alone and in_picture(thing.at):
                box, corners = self.box_at(last.place(thing.at)), _around(thing.at, card_px)
                yield OutlinedCard(box, corners, "unclear", "", thing.rank or "", thing.p, thing.reason)


def tracked_cameras(
    cameras: Iterable[CameraSetup], models: Path | None, clock: Clock, dealing: Collection[str] = ()
) -> tuple[TrackedCamera, ...]:
    """Give each camera a reader of its own, for one thread. `dealing` names the dealing cameras.

    Raises as `open_tracker`.
    """
    made = []
    for camera in cameras:
        section, home = camera.section, home_of(camera.section)
        tracker = open_tracker(
            models,
            camera.layout,
            deck_of(section),
            deals=section.name in dealing,
            reference=reference_of(section),
            calibration=None
            if section.layout is None
            else partial(calibrate_in_place, section.layout, clock),
            enrolment=None if home is None else DeckEnrolment(home),
        )
        # The tracker knows its boxes also after it was calibrated in its place.
        box_at = camera.box_at if tracker.layout is None else tracker.box_at
        made.append(TrackedCamera(section.name, box_at, tracker))
    return tuple(made)


def deck_profiles(cameras: Iterable[TrackedCamera]) -> dict[str, str]:
    """The SHA-256 of the deck profile of each camera that reads with one, by the camera's name."""
    return {camera.name: sha256 for camera in cameras if (sha256 := camera.tracker.deck_sha256)}


class CameraSnapshots:
    """All cameras of a table. Used on the table's loop."""

    def __init__(self, clock: Clock, cameras: tuple[TrackedCamera, ...]) -> None:
        """Begin with cameras that have seen nothing."""
        self._clock = clock
        self._cameras = {camera.name: camera for camera in cameras}
        self._pictures: dict[tuple[object, ...], bytes | None] = {}

    @property
    def watching(self) -> bool:
        """Whether the table has a camera."""
        return bool(self._cameras)

    def name_card(self, action: NameCard, who: str) -> None:
        """Pass on which card a person says lies there; ignored for a camera that is no longer there."""
        camera = self._cameras.get(action.camera)
        if camera is not None:
            camera.tracker.name_card(action, camera.box_at, who)

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        """Return the face-up cards at a box."""
        return tuple(
            spot
            for camera in self._cameras.values()
            if (last := self._fresh(camera)) is not None
            for spot in (*_cards(camera, last), *_unread(camera, last))
            if spot.box == box
        )

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:
        """Give a picture around spots of one camera at one box, as JPEG."""
        camera = self._cameras.get(spots[0].camera) if spots else None
        last = None if camera is None else self._fresh(camera)
        if camera is None or last is None:
            return None
        if at_once:
            return _picture(camera, last, spots)
        places = tuple((round(x / _SAME_PX), round(y / _SAME_PX)) for x, y in (spot.at for spot in spots))
        key = (camera.name, spots[0].box, places, last.mono_ns // _KEPT_NS)
        if key not in self._pictures:
            self._pictures = dict([*self._pictures.items()][1 - _PICTURES_MAX :])
            self._pictures[key] = _picture(camera, last, spots)
        return self._pictures[key]

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:
        """Give the last whole picture of each camera over the layout that is not old."""
        found = (
            camera.sight(last, hides_dealer=hides_dealer, card_px=card_length(last))
            for camera in self._cameras.values()
            if (last := self._fresh(camera)) is not None
        )
        return tuple(sight for sight in found if sight is not None)

    def _fresh(self, camera: TrackedCamera) -> TrackedFrame | None:
        last = camera.tracker.last
        if last is None or self._clock.mono_ns() - last.mono_ns > FRESH_NS:
            return None
        return last


def _cards(camera: TrackedCamera, last: TrackedFrame) -> Iterator[TrackedCard]:
    """Face-up cards that are certain, in sight or not."""
    for track in last.scene.tracks:
        card, place = known_card(track), last.place(card_centre(track))
        box = camera.box_at(place)
        if card is None or box is None:
            continue
        doubt = last.doubts.get(track.track)
        seen = None if doubt is None else card_named(*doubt.reads_as)
        in_sight = track.state == "seen" or doubt is not None
        yield TrackedCard(camera.name, box, place, card, p=track.p, seen=seen, in_sight=in_sight)


def _unread(camera: TrackedCamera, last: TrackedFrame) -> Iterator[TrackedCard]:
    """Yield the unread cards, except those that may belong to a face-down card."""
    downs = _face_down_centres(last)
    near = NEAR * card_length(last)
    centres = {track.at: card_centre(track) for track in last.scene.tracks}
    for thing in last.scene.unclear:
        x, y = centres.get(thing.at, thing.at)
        box = camera.box_at(last.place((x, y)))
        hidden = any(distance(place, down) < near for place in ((x, y), thing.at) for down in downs)
        if box is not None and not hidden and thing.reason not in EXPECTED:
            yield TrackedCard(camera.name, box, last.place((x, y)), None, thing.rank, thing.p)


def _picture(camera: TrackedCamera, last: TrackedFrame, spots: tuple[TrackedCard, ...]) -> bytes | None:
    rect = _square_of(last, spots)
    reach = card_length(last) / 2
    for x, y in _face_down_centres(last):
        if rect[0] - reach < x < rect[2] + reach and rect[1] - reach < y < rect[3] + reach:
            return None
    box = spots[0].box
    return masked_excerpt(last.image, rect, lambda at: camera.box_at(last.place(at)) == box)


def _square_of(last: TrackedFrame, spots: tuple[TrackedCard, ...]) -> Rect:
    """The square of the picture around all spots."""
    pixels = np.array([last.pixel(spot.at) for spot in spots])
    middle_px, half = (pixels.min(0) + pixels.max(0)) / 2, float((pixels.max(0) - pixels.min(0)).max()) / 2
    half += _REACH * card_length(last)
    (left, top), (right, foot) = middle_px - half, middle_px + half
    return int(left), int(top), int(right) + 1, int(foot) + 1
