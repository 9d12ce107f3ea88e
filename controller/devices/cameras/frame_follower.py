"""Follows one camera: its pictures in, the reports to the table out, at the camera's own pace.

The live table and the replay of a recording both use `FrameFollower`.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.devices.cameras.deck import Enrolled, deck_trouble
from controller.devices.cameras.layouts import BoxAt
from controller.devices.cameras.placing import Calibrated, CameraPlacing, PlacingReporter
from controller.domain import Card
from controller.ports import Clock, Frame, FrameSource, Report, Trouble
from controller.runtime.contradictions import DEALER_BOX, Detection, FrameObservation, Pixel, unsure
from controller.runtime.felt_witness import FeltLook
from controller.runtime.inbox import DeviceItem
from controller.witnesses import FeltReading
from vision.enrolment import PrintNotice

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


class CameraPlan(NamedTuple):
    """The settings for following one camera: `name` is its own, `box_at` locates the boxes.

    The table receives the cards' places every `read_every_ms`; a card counts from the probability `certain`
    on.
    """

    name: str
    box_at: BoxAt
    read_every_ms: int
    certain: float
    required: bool = True
    """Whether the table waits for it; of any other camera there is a warning."""


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
