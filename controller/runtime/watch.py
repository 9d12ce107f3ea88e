"""Follows the camera's pictures, and tells the table what lies where and what needs a person's eye."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.domain.cards import Card
from controller.ports.frames import FrameSource
from controller.ports.sources import Report, Trouble
from controller.runtime.fusion import DEALER_BOX, Look, Sighting, unsure

WAIT_S: Final = 0.5

PICTURE_MS: Final = 15
"""Pictures that come faster are skipped: a source without a rate of its own must not take a core."""

Place = tuple[float, float]
"""x, y in pixels of the picture."""


class ReadCard(NamedTuple):
    """A face-up card that shows in a picture: `at` in pixels, `p` the probability that it is this one."""

    card: Card
    at: Place
    p: float


class Doubt(NamedTuple):
    """A card that was certain to be `was` is being read as `seen`, though nobody has touched it."""

    at: Place
    was: Card
    seen: Card


class View(NamedTuple):
    """The table after a picture: its certain cards, and what is new with this picture.

    `unread` are places where something has been lying too long without becoming a certain card.
    """

    cards: Sequence[ReadCard]
    unread: Sequence[Place] = ()
    doubts: Sequence[Doubt] = ()


Read = Callable[[NDArray[np.uint8], int], View]
"""Takes the next picture (height x width x 3, BGR) and its moment (monotonic ns), and tells what is known
since. Remembers what it saw before. Blocks for some milliseconds, longer when much has changed."""


BoxAt = Callable[[tuple[float, float]], int | None]
"""Tells the box at a place in the picture: 0 is the dealer, None is nobody's."""


class Zone(NamedTuple):
    """A circle in the picture, in pixels, in which the cards of a box lie; box 0 is the dealer."""

    box: int
    x: float
    y: float
    radius: float


class WatchPlan(NamedTuple):
    """Which camera, where its boxes are, how often to read, and from which probability on a card counts."""

    name: str
    box_at: BoxAt
    read_every_ms: int
    certain: float


async def watch(
    source: FrameSource, read: Read, plan: WatchPlan, tell: Callable[[Look | Report], None]
) -> None:
    """Follow the newest picture until cancelled. A reader that fails ends the process.

    What is new is told at once, where cards lie every `read_every_ms`.
    """
    loop = asyncio.get_running_loop()
    after, due = 0, 0.0
    with ThreadPoolExecutor(1, thread_name_prefix="vision") as thread:
        while True:
            next_picture = loop.time() + PICTURE_MS / 1000
            frame = await loop.run_in_executor(thread, source.wait, after, WAIT_S)
            if frame is not None:
                after = frame.number
                view = await loop.run_in_executor(thread, read, frame.image, frame.mono_ns)
                troubles = alarms(view, plan)
                if troubles:
                    tell(Report(plan.name, frame.mono_ns, (), troubles))
                if loop.time() >= due:
                    due = loop.time() + plan.read_every_ms / 1000
                    tell(Look(plan.name, frame.mono_ns, place(view.cards, plan)))
            await asyncio.sleep(max(0.0, next_picture - loop.time()))


def alarms(view: View, plan: WatchPlan) -> tuple[Trouble, ...]:
    """Ask a person to look: a warning where a card stays unread, a hold where one is in doubt."""
    troubles = []
    for at in view.unread:
        box = plan.box_at(at)
        if box is not None:
            troubles.append(_unread(box))
    for doubt in view.doubts:
        box = plan.box_at(doubt.at)
        if box is not None:
            troubles.append(unsure(box, str(doubt.was), str(doubt.seen)))
    return tuple(dict.fromkeys(troubles))


def _unread(box: int) -> Trouble:
    if box == DEALER_BOX:
        return Trouble("CAMERA_UNREAD_DEALER", (), hold=False)
    return Trouble("CAMERA_UNREAD", (("box", box),), hold=False)


def place(cards: Iterable[ReadCard], plan: WatchPlan) -> tuple[Sighting, ...]:
    """Give each certain card to the box at its place; a card outside every box is nobody's."""
    certain = ((plan.box_at(card.at), card.card) for card in cards if card.p >= plan.certain)
    return tuple(Sighting(box, card) for box, card in certain if box is not None)


def circles(zones: tuple[Zone, ...]) -> BoxAt:
    """Make the `BoxAt` of round zones: the one whose centre is nearest, measured in its radius."""

    def box_at(at: tuple[float, float]) -> int | None:
        distances = {zone: ((at[0] - zone.x) ** 2 + (at[1] - zone.y) ** 2) / zone.radius**2 for zone in zones}
        nearest = min(distances, key=distances.__getitem__, default=None)
        return nearest.box if nearest is not None and distances[nearest] <= 1 else None

    return box_at
