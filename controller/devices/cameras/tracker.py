"""From the tracker's scenes to what the runtime wants to know of a camera's pictures."""

from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.devices.cameras.deck_enrolment import DeckEnrolment
from controller.devices.cameras.deck_watch import DeckWatch, NewDeckWatch
from controller.devices.cameras.felt_camera import felt_view
from controller.devices.cameras.frame_follower import CardDoubt, CertainCard, FrameResult
from controller.devices.cameras.in_place_calibration import InPlaceCalibration
from controller.devices.cameras.placing import CALIBRATE, CODES, Calibrated, CameraPlacing, placing_of
from controller.devices.cameras.zones import BoxAt
from controller.domain.cards import Card, card_named
from controller.domain.errors import ConfigError, DeviceError
from controller.runtime.api import NameCard
from controller.runtime.witness.tracked_cards import Pixel, card_of
from controller.witnesses import FeltReading
from vision.calibration import Layout, TableMap
from vision.enrolment import open_with_deck
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import CardName
from vision.sequence import RestingReader
from vision.tracking import (
    CardTracker,
    Contradiction,
    PictureReader,
    Standing,
    SteadyCamera,
    TrackedScene,
    TrackView,
    UnclearSpot,
)

NAMINGS_MAX: Final = 16
"""What people have said and no picture has come for; the oldest go first."""


class TrackedFrame(NamedTuple):
    """The last picture, what is known after it, and the cards in doubt by their track.

    `scale` is pixels of the size that the camera was calibrated with to one pixel of the picture.
    """

    image: NDArray[np.uint8]
    mono_ns: int
    scene: TrackedScene
    doubts: dict[int, Contradiction]
    scale: float

    def place(self, at: Pixel) -> Pixel:
        """A pixel of this picture in pixels of the calibrated size."""
        return at if self.scale == 1.0 else _grown(at, self.scale)

    def pixel(self, place: Pixel) -> Pixel:
        """A pixel of the calibrated size in pixels of this picture."""
        return (place[0] + 0.5) / self.scale - 0.5, (place[1] + 0.5) / self.scale - 0.5


class PendingNaming(NamedTuple):
    """What a person says lies at a box."""

    action: NameCard
    box_at: BoxAt
    who: str


class CameraTracker:
    """Follows one camera's pictures: a `TrackFrame` of `frame_follower`, called from one thread.

    `last` and `name_card` may be used from any thread.
    """

    def __init__(
        self,
        reader: PictureReader,
        layout: Layout | None = None,
        deck_sha256: str = "",
        *,
        deals: bool = False,
        reference: NDArray[np.uint8] | None = None,
        calibration: InPlaceCalibration | None = None,
        deck_watch: DeckWatch | NewDeckWatch | None = None,
        enrolment: DeckEnrolment | None = None,
    ) -> None:
        """Begin with an empty memory.

        `deck_watch` compares the cards with the profile of their deck, or says that they should have one.

        `reference` is a picture of the camera in its place; the first one that comes without it.
        `enrolment` takes pictures of the spread deck, where the pit orders it.
        `calibration` finds the layouts of a camera that was bumped: without it none is calibrated in place.

        With a layout, places are given in pixels of the size that it was calibrated with, and what is not of
        a card's size is left out. `deck_sha256` names the profile of the deck that the reader was opened
        with, "" without one. `deals`: cards are taken from this camera, which needs a layout for it.
        """
        self._deals = deals and layout is not None
        self.deck_sha256: Final = deck_sha256
        self._tracker = CardTracker(reader)
        self._steady = SteadyCamera(reference)
        self._calibration: Final = calibration
        self._deck_watch: Final = deck_watch
        self._enrolment: Final = enrolment
        self._asked = False
        self._is_bumped = False
        self.is_out_of_place = False
        """Whether no picture is followed, because the camera was bumped, is covered or is in other light."""
        self._layout = layout
        self._given: Layout | None = None
        self._zones: tuple[Layout, TableMap] | None = None
        self._namings: deque[PendingNaming] = deque(maxlen=NAMINGS_MAX)
        self.last: TrackedFrame | None = None

    def __call__(self, image: NDArray[np.uint8], mono_ns: int) -> FrameResult:
        """Take the next picture; one of another aspect raises `ConfigError` LAYOUT_OTHER_SIZE."""
        self._take_layout(image, mono_ns // 1_000_000)
        felt = None
        if self._layout is not None:
            felt = TableMap(self._layout, image.shape[1], image.shape[0], "camera")
        if self._enrolment is not None and self._enrolment.is_open:
            return self._enrolling(self._enrolment, image, mono_ns, 1.0 if felt is None else felt.scale)
        standing = self._steady.look(image, mono_ns // 1_000_000)
        self._is_bumped, self.is_out_of_place = standing.state == "moved", standing.state in CODES
        answer = self._calibrated(standing, image, mono_ns // 1_000_000) if self._asked else None
        if standing.state != "in_place":
            placing = placing_of(standing, felt, image.shape[1])
            if answer is None or answer.code:
                return FrameResult((), placing=placing, calibrated=answer)
            # Nothing is read before the next picture, by the new layout.
            return FrameResult((), placing=CameraPlacing(), calibrated=answer._replace(placing=placing))
        named = self._take_namings()
        scene = self._tracker.update(image, mono_ns // 1_000_000, felt.card_px if felt else None)
        deck = None if self._deck_watch is None else self._deck_watch.look(image, scene)
        lying = self._felt_view(scene, felt, image)
        if felt is not None:
            scene = scene._replace(tracks=tuple(one for one in scene.tracks if felt.has_card_size(one.quad)))
        scale = 1.0 if felt is None else felt.scale
        self.last = TrackedFrame(image, mono_ns, scene, self._doubts(scene, named), scale)
        return scaled_result(frame_result(scene), scale)._replace(felt=lying, deck=deck)

    def _enrolling(self, enrolment: DeckEnrolment, image: Image, mono_ns: int, scale: float) -> FrameResult:
        """A picture of the spread deck: it is shown, nothing is read in it, and no card of it is followed."""
        enrolled = enrolment.look(image)
        self._tracker.forget()
        nothing = TrackedScene(mono_ns // 1_000_000, (), (), (), (), 0, 0.0)
        self.last = TrackedFrame(image, mono_ns, nothing, {}, scale)
        self.is_out_of_place = enrolment.is_open
        placing = CameraPlacing("enrolling" if enrolment.is_open else "in_place")
        return FrameResult((), placing=placing, enrolled=enrolled)

    def _felt_view(self, scene: TrackedScene, felt: TableMap | None, image: Image) -> FeltReading | None:
        """All that lies there, of a camera that deals: also what is of no card's size, as unread."""
        if felt is None or self._layout is None or not self._deals:
            return None
        return felt_view(scene, felt, max(self._layout.cards.size_mm), image)

    def name_card(self, action: NameCard, box_at: BoxAt, who: str) -> None:
        """Take a person's word for a card from the next picture on; ignored where no such card lies."""
        self._namings.append(PendingNaming(action, box_at, who))

    @property
    def orders(self) -> tuple[str, ...]:
        """What the pit can have done now: a bumped camera is calibrated in its place, any other enrols."""
        if self._is_bumped:
            return (CALIBRATE,) if self._calibration is not None else ()
        return () if self._enrolment is None else self._enrolment.orders

    def order(self, order: str) -> bool:
        """Calibrate it in its place with the next picture (False, the answer follows), or enrol.

        Raises `DeviceError` ORDER_NOT_POSSIBLE for what is none of its `orders`.
        """
        if order not in self.orders:
            raise DeviceError("ORDER_NOT_POSSIBLE", name="camera", order=order)
        if order != CALIBRATE and self._enrolment is not None:
            return self._enrolment.order(order)
        self._asked = True
        return False

    def close(self) -> None:
        """Give up what is under way."""
        if self._enrolment is not None:
            self._enrolment.close()

    def give_layout(self, layout: Layout) -> None:
        """Go on with the next picture by this layout: the camera was calibrated where it stands there."""
        self._given = layout

    def _take_layout(self, image: NDArray[np.uint8], mono_ms: int) -> None:
        """Begin anew by a layout that was given."""
        if self._given is None:
            return
        # Which outline a box has may be another camera's word (`shared_layout`); no box has moved.
        zones = self._given.zone if self._layout is None else self._layout.zone
        self._layout, self._given = self._given.model_copy(update={"zone": zones}), None
        self._tracker.forget()
        self._steady.begin(image, mono_ms)
        self._is_bumped = self.is_out_of_place = False

    def box_at(self, place: Pixel) -> int | None:
        """The box at a pixel of the calibrated size, by the layout that holds now; None without a layout."""
        if self._layout is None:
            return None
        if self._zones is None or self._zones[0] is not self._layout:
            camera = self._layout.camera
            self._zones = self._layout, TableMap(self._layout, camera.width, camera.height)
        return self._zones[1].box_at(place)

    def _calibrated(self, standing: Standing, image: NDArray[np.uint8], mono_ms: int) -> Calibrated:
        """Try to calibrate anew by the corners that were found; what came of it."""
        self._asked = False
        assert self._calibration is not None, "nothing was ordered"
        try:
            kept = self._calibration.keep(standing, image)
        except (DeviceError, ConfigError) as refusal:
            return Calibrated(refusal.code)
        self.give_layout(kept.after.layout)
        self._take_layout(image, mono_ms)
        return Calibrated("", kept.before.sha256, kept.after.sha256, kept.residual_px)

    @property
    def layout(self) -> Layout | None:
        """What the camera was calibrated with, None without a layout."""
        return self._layout

    def _take_namings(self) -> set[int]:
        """Tell the tracker what people have said since the last picture; the tracks that were named."""
        named = set()
        while self._namings and self.last is not None:
            naming = self._namings.popleft()
            track = _meant(self.last, naming)
            card = card_of(naming.action.card)
            if track is not None and card is not None:
                name = CardName(str(card.rank), card.suit)
                self._tracker.correct(track.track, name, naming.who, naming.action.reason)
                named.add(track.track)
        return named

    def _doubts(self, scene: TrackedScene, named: set[int]) -> dict[int, Contradiction]:
        """The cards in doubt that still lie there, and that nobody has named."""
        before = {} if self.last is None else self.last.doubts
        there = {track.track for track in scene.tracks}
        kept = {number: one for number, one in before.items() if number in there - named}
        return kept | {event.track: event for event in scene.events if isinstance(event, Contradiction)}


def open_tracker(
    folder: Path | None,
    layout: Layout | None = None,
    deck: Path | None = None,
    *,
    deals: bool = False,
    reference: NDArray[np.uint8] | None = None,
    calibration: InPlaceCalibration | None = None,
    enrolment: DeckEnrolment | None = None,
) -> CameraTracker:
    """Load the trained reader for one camera, with the profile of its deck where there is one.

    `deals`, `reference`, `calibration` and `enrolment` as `CameraTracker` says. Raises `ConfigError`
    MODEL_MISSING, MODEL_CHANGED, and for a profile DECK_MISSING, DECK_CHANGED or DECK_OTHER_MODEL.
    """
    if deck is None:
        reader, sha256 = CardReader.open(folder, threads=1), ""
        watch: DeckWatch | NewDeckWatch = NewDeckWatch()
    else:
        reader, profile = open_with_deck(deck, folder, threads=1)
        sha256, watch = profile.sha256, DeckWatch(reader.networks, profile.deck)
    return CameraTracker(
        RestingReader(reader),
        layout,
        sha256,
        deals=deals,
        reference=reference,
        calibration=calibration,
        deck_watch=watch,
        enrolment=enrolment,
    )


def _meant(last: TrackedFrame, naming: PendingNaming) -> TrackView | None:
    """The card that a person has named: known by what the camera took it for, at the place that was shown.

    Without a place (the camera began anew) only one that cannot be mistaken.
    """
    action = naming.action
    for text in (action.was, action.seen):
        like = [
            track
            for track in last.scene.tracks
            if track.name is not None
            and str(known_card(track)) == text
            and naming.box_at(last.place(card_centre(track))) == action.box
        ]
        if len(like) == 1 or (like and action.at is not None):
            return min(like, key=lambda track: _apart(last.place(card_centre(track)), action.at))
    return None


def _apart(one: Pixel, other: tuple[int, int] | None) -> float:
    return 0.0 if other is None else float(np.hypot(one[0] - other[0], one[1] - other[1]))


def scaled_result(view: FrameResult, scale: float) -> FrameResult:
    """The same view of a picture with so many times the pixels a side."""
    if scale == 1.0:
        return view
    return FrameResult(
        tuple(card._replace(at=_grown(card.at, scale)) for card in view.cards),
        tuple(_grown(at, scale) for at in view.unread),
        tuple(doubt._replace(at=_grown(doubt.at, scale)) for doubt in view.doubts),
    )


def _grown(place: Pixel, scale: float) -> Pixel:
    return (place[0] + 0.5) * scale - 0.5, (place[1] + 0.5) * scale - 0.5


def frame_result(scene: TrackedScene) -> FrameResult:
    """Leave out what is face down or not seen just now: it contradicts nobody."""
    return FrameResult(
        tuple(
            CertainCard(card_named(*track.name), card_centre(track), track.p)
            for track in scene.tracks
            if track.name is not None and track.state == "seen"
        ),
        tuple(event.at for event in scene.events if isinstance(event, UnclearSpot)),
        tuple(
            CardDoubt(event.at, card_named(*event.locked), card_named(*event.reads_as))
            for event in scene.events
            if isinstance(event, Contradiction)
        ),
    )


def known_card(track: TrackView) -> Card | None:
    """The card that a track is known to be."""
    return None if track.name is None else card_named(*track.name)


def card_centre(track: TrackView) -> Pixel:
    """Find the centre of the card where its corners are known, else the place that was read."""
    if track.quad is None:
        return track.at
    return sum(x for x, _ in track.quad) / 4, sum(y for _, y in track.quad) / 4
