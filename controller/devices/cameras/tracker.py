"""A followed camera as a device: a tracker's scenes in, cards of the felt and the runtime's results out."""

import math
from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.acts.round import Face
from controller.devices.cameras.deck import DeckEnrolment, DeckWatch, NewDeckWatch
from controller.devices.cameras.follower import (
    CALIBRATE,
    CODES,
    Calibrated,
    CameraPlacing,
    CardDoubt,
    CertainCard,
    FrameResult,
    InPlaceCalibration,
    placing_of,
)
from controller.devices.cameras.setup import BoxAt
from controller.domain import Card, ConfigError, DeviceError, card_named
from controller.ports import Frame, FrameSource, Health
from controller.runtime.api import NameCard
from controller.runtime.contradictions import Pixel, card_of
from controller.witnesses import FeltCard, FeltReading
from controller.witnesses.felt_view import DEALER_BOX
from vision.calibration import Layout, TableMap, load_layout
from vision.enrolment import open_with_deck
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import CardName, Quad, Unclear, UnclearReason
from vision.sequence import RestingReader
from vision.tracking import (
    UNPROVEN,
    CardTracker,
    Contradiction,
    PictureReader,
    Standing,
    SteadyCamera,
    TrackedScene,
    TrackView,
    UnclearSpot,
    is_too_small,
    within,
)

NO_CARD: Final[frozenset[UnclearReason]] = frozenset(("order", "cut_card", UNPROVEN))
"""Reasons of what is unclear and is no unread card: a guessed order, the cut card, what has a track."""

EDGE_MM: Final = 3.0
"""The outline of a card that is partly covered may be off by so much, and an index stands at its edge.

Source: in a drawn round (nl 10) it moved by 4 mm as the next card came.
"""


class FeltCamera:
    """Follows one camera's pictures and returns the cards on the layout. Used by one thread."""

    def __init__(self, reader: PictureReader, layout: Layout) -> None:
        """Begin with an empty memory."""
        self._tracker = CardTracker(reader)
        self._steady = SteadyCamera()
        self._layout = layout
        self._view = FeltReading(0, (), (), max(layout.cards.size_mm))
        self.placing = CameraPlacing()
        """How the camera stood in the last picture; out of its place the felt is as it was before."""

    def look(self, image: Image, t_ms: int, file: str = "camera") -> FeltReading:
        """Take the next picture (BGR), seen at `t_ms`, which never goes back.

        Raises `ConfigError` LAYOUT_OTHER_SIZE for one of another aspect than the layout's, named by `file`.
        """
        felt = TableMap(self._layout, image.shape[1], image.shape[0], file)
        self.placing = placing_of(self._steady.look(image, t_ms), felt, image.shape[1])
        if self.placing.state == "in_place":
            scene = self._tracker.update(image, t_ms, felt.card_px)
            self._view = felt_view(scene, felt, self._view.card_mm, image)
        return self._view._replace(t_ms=t_ms)


def open_felt_camera(
    layout_file: Path, deck: Path | None = None, models_dir: Path | None = None
) -> FeltCamera:
    """Load the trained reader and a layout that has boxes and a dealer.

    Raises `ConfigError` LAYOUT_NO_BOXES, and what `load_layout`, `CardReader.open` and `open_with_deck` do.
    """
    layout = load_layout(layout_file)
    numbers = {zone.number for zone in layout.zone if zone.number is not None}
    if DEALER_BOX not in numbers or len(numbers) < 2:
        raise ConfigError("LAYOUT_NO_BOXES", path=str(layout_file))
    reader = CardReader.open(models_dir) if deck is None else open_with_deck(deck, models_dir)[0]
    return FeltCamera(RestingReader(reader), layout)


def felt_view(scene: TrackedScene, felt: TableMap, card_mm: float, image: Image) -> FeltReading:
    """Return the cards with their places; a card of another size than the house's counts as unread.

    An object that lies free and is too small for a card is none: chips, print.
    """
    unproven = {spot.at for spot in scene.unclear if spot.reason == UNPROVEN}
    cards = tuple(
        _card(track, felt, certain=track.at not in unproven)._replace(held=track.at in scene.held)
        for track in scene.tracks
    )
    known = [track.quad for track in scene.tracks if track.name is not None and track.quad is not None]
    downs = [track.quad for track in scene.tracks if track.face == "down" and track.quad is not None]
    unclear = [
        spot for spot in scene.unclear if spot.reason not in NO_CARD and not _is_same_back(spot, downs)
    ]
    unread = [spot for spot in unclear if not is_too_small(image, spot.at, felt.px_per_mm(spot.at))]
    spots = [_spot(spot, felt, known)._replace(held=spot.at in scene.held) for spot in unread]
    let_go = [felt.to_mm(np.array([at]))[0].tolist() for at in scene.let_go]
    return FeltReading(scene.mono_ms, cards, tuple(spots), card_mm, tuple((x, y) for x, y in let_go))


def _card(track: TrackView, felt: TableMap, *, certain: bool) -> FeltCard:
    place = np.array(track.quad or [track.at])
    at = felt.to_mm(place).mean(0)
    box = felt.box_of(track.at, track.quad)
    sized = felt.has_card_size(track.quad)
    known = certain and sized and (track.name is not None or track.face == "down")
    card = card_named(*track.name) if track.name is not None and known else None
    return FeltCard(
        track.track,
        card,
        track.face,
        (float(at[0]), float(at[1])),
        None if track.quad is None else _turn_deg(track.quad, felt),
        felt.box_at(track.at) if box is None else box,
        track.p,
        known,
        track.state == "seen",
        track.perhaps is not None,
        box is not None,
    )


def _is_same_back(spot: Unclear, downs: list[Quad]) -> bool:
    """Whether an uncertain back lies on a face-down card that is tracked."""
    return spot.reason == "face_down" and any(within(quad, spot.at) for quad in downs)


def _spot(spot: Unclear, felt: TableMap, known: list[Quad]) -> FeltCard:
    at = felt.to_mm(np.array([spot.at]))[0]
    place = (float(at[0]), float(at[1]))
    slack_px = EDGE_MM * felt.px_per_mm(spot.at)
    box, on_known = felt.box_at(spot.at), any(within(quad, spot.at, slack_px) for quad in known)
    # An uncertain back at the dealer is the hole card; its name must not be asked for.
    face: Face = "down" if spot.reason == "face_down" and box == DEALER_BOX else "up"
    return FeltCard(0, None, face, place, None, box, spot.p, certain=False, on_known=on_known)


def _turn_deg(quad: Quad, felt: TableMap) -> float:
    """Direction of a card's long side on the felt, 0 to 180 degrees."""
    corners = felt.to_mm(np.array(quad))
    sides = (corners[1] - corners[0], corners[2] - corners[1])
    right, down = max(sides, key=lambda side: float(np.hypot(*side)))
    return math.degrees(math.atan2(float(down), float(right))) % 180


_NAMINGS_MAX: Final = 16
"""What people have said and no picture has come for; the oldest go first."""


class TrackedFrame(NamedTuple):
    """The last picture, its scene, and the doubtful cards by their track.

    `scale` is the number of pixels of the calibrated size per pixel of the picture.
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

        `deck_watch` compares the cards with their profile, or reports that a profile is missing.

        `reference` is a picture of the camera in its place; without it the first picture is used. `enrolment`
        takes pictures of the spread deck on the pit's order. `calibration` finds the layout of a bumped
        camera; without it none is calibrated in place.

        With a layout, places are in pixels of the calibrated size, and objects of another size than a card
        are left out. `deck_sha256` names the reader's deck profile, "" without one. `deals`: cards are taken
        from this camera, which needs a layout for it.
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
        self._namings: deque[tuple[NameCard, BoxAt, str]] = deque(maxlen=_NAMINGS_MAX)
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
        return _scaled_result(frame_result(scene), scale)._replace(felt=lying, deck=deck)

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
        """Return the layout of a dealing camera, with objects of another size than a card as unread."""
        if felt is None or self._layout is None or not self._deals:
            return None
        return felt_view(scene, felt, max(self._layout.cards.size_mm), image)

    def name_card(self, action: NameCard, box_at: BoxAt, who: str) -> None:
        """Use a person's naming of a card from the next picture on; ignore it without such a card."""
        self._namings.append((action, box_at, who))

    @property
    def orders(self) -> tuple[str, ...]:
        """The pit's possible orders: a bumped camera is calibrated in its place, any other enrols."""
        if self._is_bumped:
            return (CALIBRATE,) if self._calibration is not None else ()
        return () if self._enrolment is None else self._enrolment.orders

    def order(self, order: str) -> bool:
        """Calibrate in place with the next picture (False, the answer follows), or enrol.

        Raises `DeviceError` ORDER_NOT_POSSIBLE for any other order.
        """
        if order not in self.orders:
            raise DeviceError("ORDER_NOT_POSSIBLE", name="camera", order=order)
        if order != CALIBRATE and self._enrolment is not None:
            return self._enrolment.order(order)
        self._asked = True
        return False

    def close(self) -> None:
        """Abort a running enrolment."""
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
        """Try to calibrate again by the found corners; return the result."""
        self._asked = False
        assert self._calibration is not None, "nothing was ordered"
        try:
            before, after, residual_px = self._calibration(standing, image)
        except (DeviceError, ConfigError) as refusal:
            return Calibrated(refusal.code)
        self.give_layout(after.layout)
        self._take_layout(image, mono_ms)
        return Calibrated("", before.sha256, after.sha256, residual_px)

    @property
    def layout(self) -> Layout | None:
        """The camera's present layout, None without one."""
        return self._layout

    def _take_namings(self) -> set[int]:
        """Give the tracker people's namings since the last picture; return the named tracks."""
        named = set()
        while self._namings and self.last is not None:
            action, box_at, who = self._namings.popleft()
            track = _meant(self.last, action, box_at)
            card = card_of(action.card)
            if track is not None and card is not None:
                name = CardName(str(card.rank), card.suit)
                self._tracker.correct(track.track, name, who, action.reason)
                named.add(track.track)
        return named

    def _doubts(self, scene: TrackedScene, named: set[int]) -> dict[int, Contradiction]:
        """Return the doubtful cards that still lie there and were not named."""
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


def _meant(last: TrackedFrame, action: NameCard, box_at: BoxAt) -> TrackView | None:
    """Return the card that a person has named: by the camera's earlier reading, at the shown place.

    Without a place (after a restart of the camera) only an unmistakable one.
    """
    for text in (action.was, action.seen):
        like = [
            track
            for track in last.scene.tracks
            if track.name is not None
            and str(known_card(track)) == text
            and box_at(last.place(card_centre(track))) == action.box
        ]
        if len(like) == 1 or (like and action.at is not None):
            return min(like, key=lambda track: _apart(last.place(card_centre(track)), action.at))
    return None


def _apart(one: Pixel, other: tuple[int, int] | None) -> float:
    return 0.0 if other is None else float(np.hypot(one[0] - other[0], one[1] - other[1]))


def _scaled_result(view: FrameResult, scale: float) -> FrameResult:
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
    """Return the result of a scene without face-down and hidden cards, which contradict nothing."""
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


class FollowedCamera:
    """A `FrameSource` that also takes the orders to its follower."""

    def __init__(self, source: FrameSource, tracker: CameraTracker) -> None:
        """Opened and closed as the source."""
        self._source = source
        self._tracker = tracker

    def open(self) -> None:
        """Start grabbing."""
        self._source.open()

    def latest(self) -> Frame | None:
        """Give the newest picture."""
        return self._source.latest()

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """Wait until a picture with a number above `after` is there."""
        return self._source.wait(after, timeout_s)

    def close(self) -> None:
        """Stop and wait for the thread."""
        self._source.close()
        self._tracker.close()

    def health(self) -> Health:
        """The state of the camera, with the orders that it takes now.

        Its pictures come, but none is followed while it is out of its place: then it is stale, as the table
        was reported.
        """
        health = self._source.health()._replace(orders=self._tracker.orders)
        is_stale = health.state == "live" and self._tracker.is_out_of_place
        return health._replace(state="stale") if is_stale else health

    def acknowledge(self) -> None:
        """Try a source in `fault` again."""
        self._source.acknowledge()

    def order(self, order: str) -> bool:
        """Carry the order out once."""
        return self._tracker.order(order)
