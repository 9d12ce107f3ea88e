"""What the cameras see at each box, for the screens: `TrackedCards` of a running table."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from controller.devices.cameras.deck_enrolment import DeckEnrolment, deck_of, home_of
from controller.devices.cameras.in_place_calibration import InPlaceCalibration
from controller.devices.cameras.lengths import card_length, distance, face_down_centres
from controller.devices.cameras.setup import CameraSetup, reference_of
from controller.devices.cameras.sights import CameraSights
from controller.devices.cameras.tracker import (
    CameraTracker,
    TrackedFrame,
    card_centre,
    known_card,
    open_tracker,
)
from controller.devices.cameras.zones import BoxAt
from controller.domain.cards import card_named
from controller.ports import Clock
from controller.runtime.api import NameCard
from controller.runtime.witness.tracked_cards import CameraSight, TrackedCard
from vision.geometry import Rect
from vision.pictures import masked_excerpt

FRESH_NS: Final = 2_000_000_000
"""What an older picture shows may be another round's."""

KEPT_NS: Final = 5_000_000_000
"""A picture on a screen is renewed so often: without flicker, and a passing hand does not stay in it."""

REACH: Final = 0.85
"""Half side of a picture around one spot, in card lengths: an index may stand at any corner of its card."""

NEAR: Final = 1.0
"""What cannot be read this near to a face-down card, in card lengths, may be that card, lifted for a peek."""

SAME_PX: Final = 12
"""A spot that has moved by less, in pixels, needs no new picture."""

PICTURES_MAX: Final = 16
EXPECTED: Final = frozenset({"cut_card"})


class TrackedCamera(NamedTuple):
    """A camera that is being followed, and where it sees the boxes."""

    name: str
    box_at: BoxAt
    tracker: CameraTracker


def tracked_cameras(
    cameras: Iterable[CameraSetup], models: Path | None, clock: Clock, dealing: Collection[str] = ()
) -> tuple[TrackedCamera, ...]:
    """Give each camera a reader of its own: one serves one thread. `dealing` names those that deal.

    Raises as `open_tracker`.
    """
    return tuple(
        _tracked(
            one,
            open_tracker(
                models,
                one.layout,
                deck_of(one.section),
                deals=one.section.name in dealing,
                reference=reference_of(one.section),
                calibration=_calibration(one, clock),
                enrolment=_enrolment(one),
            ),
        )
        for one in cameras
    )


def _calibration(camera: CameraSetup, clock: Clock) -> InPlaceCalibration | None:
    path = camera.section.layout
    return None if path is None else InPlaceCalibration(path, clock)


def _enrolment(camera: CameraSetup) -> DeckEnrolment | None:
    home = home_of(camera.section)
    return None if home is None else DeckEnrolment(home)


def _tracked(camera: CameraSetup, tracker: CameraTracker) -> TrackedCamera:
    """A camera with its tracker, which knows its boxes also after it was calibrated in its place."""
    box_at = camera.box_at if tracker.layout is None else tracker.box_at
    return TrackedCamera(camera.section.name, box_at, tracker)


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
        self._sights = {one.name: CameraSights(one.name, one.box_at, one.tracker) for one in cameras}

    @property
    def watching(self) -> bool:
        """See `TrackedCards.watching`."""
        return bool(self._cameras)

    def name_card(self, action: NameCard, who: str) -> None:
        """Pass on which card a person says lies there; ignored for a camera that is no longer there."""
        camera = self._cameras.get(action.camera)
        if camera is not None:
            camera.tracker.name_card(action, camera.box_at, who)

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        """See `TrackedCards.at`."""
        return tuple(
            spot
            for camera in self._cameras.values()
            if (last := self._fresh(camera)) is not None
            for spot in (*_cards(camera, last), *_unread(camera, last))
            if spot.box == box
        )

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:
        """See `TrackedCards.picture`."""
        camera = self._cameras.get(spots[0].camera) if spots else None
        last = None if camera is None else self._fresh(camera)
        if camera is None or last is None:
            return None
        if at_once:
            return _picture(camera, last, spots)
        places = tuple((round(x / SAME_PX), round(y / SAME_PX)) for x, y in (spot.at for spot in spots))
        key = (camera.name, spots[0].box, places, last.mono_ns // KEPT_NS)
        if key not in self._pictures:
            self._pictures = dict([*self._pictures.items()][1 - PICTURES_MAX :])
            self._pictures[key] = _picture(camera, last, spots)
        return self._pictures[key]

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:
        """See `TrackedCards.sights`."""
        found = (
            self._sights[camera.name].of(last, hides_dealer=hides_dealer, card_px=card_length(last))
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
    """What lies there unread, unless it may belong to a card that lies face down."""
    downs = face_down_centres(last)
    near = NEAR * card_length(last)
    centres = {track.at: card_centre(track) for track in last.scene.tracks}
    for thing in last.scene.unclear:
        x, y = centres.get(thing.at, thing.at)
        box = camera.box_at(last.place((x, y)))
        hidden = any(distance(place, down) < near for place in ((x, y), thing.at) for down in downs)
        if box is not None and not hidden and thing.reason not in EXPECTED:
            yield TrackedCard(camera.name, box, last.place((x, y)), None, thing.rank, thing.p)


def _picture(camera: TrackedCamera, last: TrackedFrame, spots: tuple[TrackedCard, ...]) -> bytes | None:
    rect = _around(last, spots)
    reach = card_length(last) / 2
    for x, y in face_down_centres(last):
        if rect[0] - reach < x < rect[2] + reach and rect[1] - reach < y < rect[3] + reach:
            return None
    box = spots[0].box
    return masked_excerpt(last.image, rect, lambda at: camera.box_at(last.place(at)) == box)


def _around(last: TrackedFrame, spots: tuple[TrackedCard, ...]) -> Rect:
    """The square of the picture around all spots."""
    pixels = np.array([last.pixel(spot.at) for spot in spots])
    middle_px, half = (pixels.min(0) + pixels.max(0)) / 2, float((pixels.max(0) - pixels.min(0)).max()) / 2
    half += REACH * card_length(last)
    (left, top), (right, foot) = middle_px - half, middle_px + half
    return int(left), int(top), int(right) + 1, int(foot) + 1
