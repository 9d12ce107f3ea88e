"""Follows one camera: its pictures in, reports to the table out, at the camera's own pace.

The live table and the replay of a recording both use `FrameFollower`. A camera that was bumped, covered or
put into other light is reported, and can be calibrated in its place.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.acts.catalogue import DeviceSeen
from controller.devices.cameras.deck import ENROLLED, SPREAD, Enrolled, deck_trouble
from controller.devices.cameras.setup import CameraPlan
from controller.domain import Card, DeviceError
from controller.policy import Doubt
from controller.ports import Clock, Frame, FrameSource, OrderAnswer, Report, Trouble
from controller.runtime.api import Params
from controller.runtime.contradictions import DEALER_BOX, Detection, FrameObservation, Pixel, unsure
from controller.runtime.felt_witness import FeltLook
from controller.runtime.inbox import DeviceItem
from controller.witnesses import FeltReading
from vision.calibration import LayoutFile, TableMap, keep_anew, latest_layout, recalibrate
from vision.enrolment import PrintNotice
from vision.tracking import Registration, Standing


class CameraPlacing(NamedTuple):
    """The state of a camera (`vision.tracking.steady_camera`), and its displacement.

    `shift_mm` is that of the corner of print or card that has moved farthest; `turn_deg` is clockwise.
    """

    state: Literal["in_place", "doubt", "moved", "covered", "light", "enrolling"] = "in_place"
    shift_mm: float = 0.0
    turn_deg: float = 0.0


class Calibrated(NamedTuple):
    """The result of a calibration in place: `code` is "", or the reason of the refusal.

    `before` and `after` are the SHA-256 of the layout files, `placing` is the camera's displacement.
    """

    code: str
    before: str = ""
    after: str = ""
    residual_px: float = 0.0
    placing: CameraPlacing = CameraPlacing()


CALIBRATE: Final = "calibrate"
"""The order of the pit that has a bumped camera calibrated in its place."""

CALIBRATED: Final = "CAMERA_CALIBRATED"
"""The alert about a camera that was calibrated in its place, with the layouts before and after."""

_REPEATED_NS: Final = 1_000_000_000
"""A camera that is out of its place says so as often: its driver may have said that it is there."""

CODES: Final = {
    "moved": "CAMERA_BUMPED",
    "covered": "CAMERA_COVERED",
    "light": "CAMERA_LIGHT",
    "enrolling": "DECK_ENROLLING",
}
"""The alerts, by state. No camera of these is a witness until it is back or calibrated anew."""

CARD_MM: Final = 88.0

CARD_SHARE: Final = 1 / 21
"""A card's long side and its share of the picture's width, for a camera without a layout."""


class PlacingReporter:
    """Reports once when a camera is out of its place, and when it is back."""

    def __init__(self, name: str, *, required: bool) -> None:
        """A `required` camera counts as stale meanwhile, which holds the table; any other one warns."""
        self._name = name
        self._required = required
        self._out = ""
        self._due_ns = 0

    def after_picture(self, placing: CameraPlacing, mono_ns: int) -> tuple[Report, ...]:
        """Return the reports after a picture of this moment."""
        state = placing.state
        if state == "doubt" or (state == "in_place" and not self._out):
            return ()
        if state == "in_place":
            self._out = ""
            return (Report(self._name, mono_ns, self._seen("live")),) if self._required else ()
        if state == self._out:
            return self._again(mono_ns)
        self._out, self._due_ns = state, mono_ns + _REPEATED_NS
        return (Report(self._name, mono_ns, self._seen("stale"), (self._trouble(placing),)),)

    def calibrated(self, found: Calibrated, mono_ns: int) -> Report:
        """Return the report of a calibration ordered by the pit."""
        answers = (OrderAnswer(CALIBRATE, found.code),)
        if found.code:
            return Report(self._name, mono_ns, answers=answers)
        mm, degrees = max(1, round(found.placing.shift_mm)), f"{abs(found.placing.turn_deg):.1f}"
        params: Params = (
            *(("name", self._name), ("mm", mm), ("degrees", degrees)),
            *(("px", f"{found.residual_px:.2f}"), ("before", found.before), ("after", found.after)),
        )
        calibrated = Trouble(CALIBRATED, params, hold=False)
        return Report(self._name, mono_ns, troubles=(calibrated,), answers=answers)

    def enrolled(self, found: Enrolled, mono_ns: int) -> Report:
        """Return the report of a picture of the spread deck."""
        troubles: tuple[Trouble, ...] = ()
        if found.code or found.params:
            params = (("name", self._name), *found.params)
            troubles = (Trouble(found.code or ENROLLED, params, hold=False),)
        return Report(self._name, mono_ns, (), troubles, (OrderAnswer(SPREAD, found.code),))

    def _again(self, mono_ns: int) -> tuple[Report, ...]:
        if mono_ns < self._due_ns or not self._required:
            return ()
        self._due_ns = mono_ns + _REPEATED_NS
        return (Report(self._name, mono_ns, self._seen("stale")),)

    def _seen(self, presence: Literal["live", "stale"]) -> tuple[DeviceSeen, ...]:
        return (DeviceSeen(self._name, presence),) if self._required else ()

    def _trouble(self, placing: CameraPlacing) -> Trouble:
        return Trouble(CODES[placing.state], _placing_params(placing, self._name), hold=self._required)


def _placing_params(placing: CameraPlacing, name: str) -> Params:
    """Return the parameters of the placing's sentence for a camera of this name."""
    params: Params = (("name", name),)
    if placing.state == "moved":
        mm, degrees = max(1, round(placing.shift_mm)), f"{abs(placing.turn_deg):.1f}"
        params += (("mm", mm), ("degrees", degrees))
    return params


def out_of_place(placing: CameraPlacing, name: str) -> Doubt | None:
    """Return the hold for a displaced camera; None when it is in place."""
    code = CODES.get(placing.state)
    return None if code is None else Doubt(code, _placing_params(placing, name))


def placing_of(standing: Standing, felt: TableMap | None, width_px: int) -> CameraPlacing:
    """Return the displacement in millimetres: by the layout, else by a card's usual share of the picture."""
    place = standing.place
    if standing.state != "moved" or place is None:
        return CameraPlacing(standing.state)
    return CameraPlacing(standing.state, _shift_mm(place, felt, width_px), place.turn_deg)


def _shift_mm(place: Registration, felt: TableMap | None, width_px: int) -> float:
    if felt is None:
        return place.shift_px * CARD_MM / (CARD_SHARE * width_px)
    apart = felt.to_mm(place.end) - felt.to_mm(place.start)
    return float(np.nanmax(np.hypot(*apart.T)))


InPlaceCalibration = Callable[[Standing, NDArray[np.uint8]], tuple[LayoutFile, LayoutFile, float]]
"""`calibrate_in_place` of one camera."""


def calibrate_in_place(
    layout_file: Path, clock: Clock, standing: Standing, image: NDArray[np.uint8]
) -> tuple[LayoutFile, LayoutFile, float]:
    """Find the layout of the place at which the camera was found, and write it beside the last one.

    `layout_file` is that of the configuration. Returns the files before and after, and the residual of the
    corners in pixels. Raises `DeviceError` as `recalibrate`, and `ConfigError` as `load_layout` and
    `keep_anew`.
    """
    place = standing.place
    if standing.state != "moved" or place is None:
        raise DeviceError("RECALIBRATION_FEW", corners=0)
    before = latest_layout(layout_file)
    scale = TableMap(before.layout, image.shape[1], image.shape[0], str(layout_file)).scale
    start, end = ((places + 0.5) * scale - 0.5 for places in (place.start, place.end))
    found = recalibrate(before.layout, start, end)
    today = datetime.fromtimestamp(clock.utc_us() / 1e6, UTC).date()
    after = keep_anew(layout_file, before, found, image, today)
    return before, after, found.residual_px


WAIT_S: Final = 0.5

_FRAME_GAP_NS: Final = 15_000_000
"""Pictures that come faster are skipped: a source without a rate of its own must not take a core."""


class CertainCard(NamedTuple):
    """A face-up card that shows in a picture: `at` in pixels, `p` the probability that it is this one."""

    card: Card
    at: Pixel
    p: float


class CardDoubt(NamedTuple):
    """A certain card `was` that is now read as `seen` without having been touched."""

    at: Pixel
    was: Card
    seen: Card


class FrameResult(NamedTuple):
    """The result of a picture: its certain cards, and its news.

    `unread` are the places of cards that have stayed uncertain for too long.
    """

    cards: Sequence[CertainCard]
    unread: Sequence[Pixel] = ()
    doubts: Sequence[CardDoubt] = ()
    felt: FeltReading | None = None
    """All that lies on the felt, of a camera that deals."""
    placing: CameraPlacing = CameraPlacing()
    """How the camera stands; out of its place the rest is empty and says nothing."""
    calibrated: Calibrated | None = None
    """What came of calibrating it in its place, with this picture; then nothing was read in it."""
    enrolled: Enrolled | None = None
    """What came of a picture of the spread deck; nothing was read in it."""
    deck: PrintNotice | None = None
    """What is new of its cards beside the profile of their deck."""


TrackFrame = Callable[[NDArray[np.uint8], int], FrameResult]
"""Takes the next picture (height x width x 3, BGR) and its moment (monotonic ns), and tells what is known
since. Remembers what it saw before. Blocks for some milliseconds, longer when much has changed."""

FrameSink = Callable[[DeviceItem], None]
"""Takes what a camera has to say."""


class FrameFollower:
    """Reads pictures and makes the reports to the table. For one thread at a time."""

    def __init__(self, track: TrackFrame, plan: CameraPlan) -> None:
        """Begin before the first picture."""
        self._track = track
        self._plan = plan
        self.number = 0
        """Number of the last picture that was looked at."""
        self.due_ns = 0
        """No picture needs to be looked at before this moment."""
        self._observation_due_ns = 0
        self._placing = PlacingReporter(plan.name, required=plan.required)

    def take(self, frame: Frame, now_ns: int) -> tuple[DeviceItem, ...]:
        """Read a picture at `now_ns`; report news at once, the cards' places at intervals."""
        self.number, self.due_ns = frame.number, now_ns + _FRAME_GAP_NS
        result = self._track(frame.image, frame.mono_ns)
        items: list[DeviceItem] = []
        if result.calibrated is not None:
            items.append(self._placing.calibrated(result.calibrated, frame.mono_ns))
        if result.enrolled is not None:
            items.append(self._placing.enrolled(result.enrolled, frame.mono_ns))
        items += self._placing.after_picture(result.placing, frame.mono_ns)
        if result.placing.state != "in_place" or result.calibrated or result.enrolled:
            return tuple(items)
        if troubles := troubles_of(result, self._plan):
            items.append(Report(self._plan.name, frame.mono_ns, (), troubles))
        if result.felt is not None:
            items.append(FeltLook(self._plan.name, frame.mono_ns, result.felt))
        elif now_ns >= self._observation_due_ns:
            self._observation_due_ns = now_ns + self._plan.read_every_ms * 1_000_000
            detections = detections_of(result.cards, self._plan)
            items.append(FrameObservation(self._plan.name, frame.mono_ns, detections))
        return tuple(items)

    def put_back(self, mono_ns: int) -> tuple[DeviceItem, ...]:
        """Say that the camera is in its place from this moment on, as after a calibration there."""
        return self._placing.after_picture(CameraPlacing(), mono_ns)


async def follow_frames(source: FrameSource, follower: FrameFollower, clock: Clock, post: FrameSink) -> None:
    """Follow the newest picture until cancelled; reports go to `post`.

    A reader that fails raises, which ends the process.
    """
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="vision") as thread:
        while True:
            frame = await loop.run_in_executor(thread, source.wait, follower.number, WAIT_S)
            if frame is not None:
                for items in await loop.run_in_executor(thread, follower.take, frame, clock.mono_ns()):
                    post(items)
            await asyncio.sleep(max(0, follower.due_ns - clock.mono_ns()) / 1e9)


def troubles_of(result: FrameResult, plan: CameraPlan) -> tuple[Trouble, ...]:
    """Ask a person to look: a warning where a card stays unread, a hold where one is in doubt.

    A deck that is not its profile's is reported as well.
    """
    troubles = [] if result.deck is None else [deck_trouble(result.deck, plan.name, required=plan.required)]
    for at in result.unread:
        box = plan.box_at(at)
        if box is not None:
            troubles.append(_unread(box))
    for doubt in result.doubts:
        box = plan.box_at(doubt.at)
        if box is not None:
            troubles.append(unsure(box, str(doubt.was), str(doubt.seen)))
    return tuple(dict.fromkeys(troubles))


def _unread(box: int) -> Trouble:
    if box == DEALER_BOX:
        return Trouble("CAMERA_UNREAD_DEALER", (), hold=False)
    return Trouble("CAMERA_UNREAD", (("box", box),), hold=False)


def detections_of(cards: Iterable[CertainCard], plan: CameraPlan) -> tuple[Detection, ...]:
    """Assign each certain card to the box at its place; a card outside every box is left out."""
    certain = ((plan.box_at(card.at), card.card) for card in cards if card.p >= plan.certain)
    return tuple(Detection(box, card) for box, card in certain if box is not None)
