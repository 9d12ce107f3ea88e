"""Looks at the camera's newest picture again and again and tells the table what lies where."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.domain.cards import Card
from controller.ports.frames import FrameSource
from controller.runtime.fusion import Look, Sighting

WAIT_S = 0.5


class ReadCard(NamedTuple):
    """A face-up card in a picture: `at` in pixels, `p` the reader's calibrated probability."""

    card: Card
    at: tuple[float, float]
    p: float


Read = Callable[[NDArray[np.uint8]], Sequence[ReadCard]]
"""Reads a picture (height x width x 3, BGR); what is unclear is left out. Blocks for some milliseconds."""


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


async def watch(source: FrameSource, read: Read, plan: WatchPlan, tell: Callable[[Look], None]) -> None:
    """Read the newest picture every `read_every_ms` until cancelled. A reader that fails ends the process."""
    loop = asyncio.get_running_loop()
    after = 0
    looked_at: NDArray[np.uint8] | None = None
    cards: Sequence[ReadCard] = ()
    with ThreadPoolExecutor(1, thread_name_prefix="vision") as thread:
        while True:
            due = loop.time() + plan.read_every_ms / 1000
            frame = await loop.run_in_executor(thread, source.wait, after, WAIT_S)
            if frame is not None:
                after = frame.number
                if frame.image is not looked_at:
                    cards = await loop.run_in_executor(thread, read, frame.image)
                    looked_at = frame.image
                tell(Look(plan.name, frame.mono_ns, place(cards, plan)))
            await asyncio.sleep(max(0.0, due - loop.time()))


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
