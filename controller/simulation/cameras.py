"""The simulated cameras: one over the layout that errs as the reader does, one at the mouth of a shoe."""

import asyncio
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np

from controller.config import CameraSection
from controller.devices.shoes import CardSourceFactory, shoe_mouth_camera, shoe_mouth_watcher
from controller.domain import RANKS, Card
from controller.ports import Clock
from controller.runtime.door import TableTask
from controller.runtime.felt_witness import FeltLook
from controller.simulation.felt import LaidCard, World
from controller.witnesses import FeltCard, FeltReading
from drivers.camera import EncodedPictures
from drivers.camera.pictures import Image
from drivers.device_driver import DeviceLost
from vision.calibration import Layout, layout_text
from vision.synth import (
    BOXES,
    CASINO_STYLE,
    DEALER,
    FRAME_HEIGHT,
    FRAME_WIDTH,
    HAND_PITCH_PX,
    HANDS,
    CardArt,
    Passage,
    box_origin,
    card_place,
    draw_card,
    draw_cut_card,
    draw_mouth,
    with_noise,
)

MM_A_PX: Final = 0.9565
"""Of the demo's pictures, in which a card is 92 pixels long."""

CARD_MM: Final = 88.0

READ_SHARE: Final[Mapping[str, float]] = {
    "8-10": 0.930,
    "10-12": 0.969,
    "12-14": 0.978,
    "14-16": 0.977,
    "16-20": 0.937,
    "20-24": 0.914,
    "24-32": 0.960,
}
"""Share of the cards whose rank one picture shows, by the rank's height in pixels.

Source: docs/measurements/reader.md, "By height of the rank"."""

LOOKS: Final = 1.15
"""25 looks at one card say no more than so many independent ones.

Source: docs/measurements/reader.md, "Sequences".
"""

MISREAD: Final = 1 / 34_256
"""Share of the faces on drawn tables that are read wrongly in silence. Source: docs/measurements/reader.md.
"""


class CameraErrors(NamedTuple):
    """The errors of a simulated camera; shares of cards, standard deviations. The default has none.

    `unread` never become certain, `slow` take up to two seconds more, `misread` are read as another card;
    the direction of `no_corners` is unknown, `lost` are lost once, and found again as new ones. One card of
    `suit_open_every` leaves its suit open (0: none). Others are certain within `certain_ms`.
    """

    unread: float = 0.0
    slow: float = 0.0
    misread: float = 0.0
    no_corners: float = 0.0
    lost: float = 0.0
    suit_open_every: int = 0
    place_mm: float = 0.0
    turn_deg: float = 0.0
    certain_ms: tuple[int, int] = (300, 300)


def errors_at(band: str) -> CameraErrors:
    """The errors of a camera that sees its cards at this height; `band` as in `READ_SHARE`."""
    unread = (1 - READ_SHARE[band]) ** LOOKS
    return CameraErrors(unread, 0.03, MISREAD, 0.02, 0.005, 6, 3.0, 6.0, (250, 800))


@dataclass
class _Followed:
    """A followed card: its last seen place, and the camera's reading of it."""

    laid: LaidCard
    track: int
    reads: Card
    certain_ms: int
    lost_ms: int
    has_corners: bool
    shift: tuple[float, float, float]


class ErringEye:
    """A simulated camera over the layout that errs as the reader does.

    `tracks` are the cards' numbers by their tracks, counted from 1.
    """

    def __init__(self, chance: Random, errors: CameraErrors, *, counts: bool = True) -> None:
        """Begin with an empty memory. Unless it `counts` by itself a card's track is its number."""
        self._chance, self._errors, self._counts = chance, errors, counts
        self._followed: dict[int, _Followed] = {}
        self.tracks: dict[int, int] = {}
        self.covered: frozenset[int] = frozenset()
        """Boxes over which a hand is; 0 is the dealer."""
        self.misreads_next = False
        self.misread: set[int] = set()
        """Numbers of the cards that it takes for others."""

    def forget(self) -> None:
        """Reset, as after a restart."""
        self._followed, self.tracks = {}, {}

    def look(self, now_ms: int, lying: Mapping[int, LaidCard]) -> FeltReading:
        """Return one reading of the cards on the layout, given by their numbers."""
        for number, known in tuple(self._followed.items()):
            if number not in lying and known.laid.box not in self.covered:
                del self._followed[number]
        for number, laid in lying.items():
            if laid.box not in self.covered:
                self._see(number, laid, now_ms)
        seen = tuple(self._seen(one, now_ms) for one in self._followed.values() if one.lost_ms >= 0)
        return FeltReading(now_ms, seen, (), CARD_MM)

    def _see(self, number: int, laid: LaidCard, now_ms: int) -> None:
        known = self._followed.get(number)
        if known is None:
            self._followed[number] = self._found(number, laid, now_ms)
            return
        if known.laid.face != laid.face:
            known.certain_ms = now_ms + self._takes_ms()
        known.laid = laid
        if 0 <= known.lost_ms <= now_ms:
            # Out of sight now; with the next look it is found as another one.
            known.lost_ms = -1
        elif known.lost_ms < 0:
            known.track, known.lost_ms = self._track(number), now_ms + 10**9

    def _found(self, number: int, laid: LaidCard, now_ms: int) -> _Followed:
        chance, errors = self._chance, self._errors
        certain_ms = now_ms + self._takes_ms()
        if laid.face == "up" and chance.random() < errors.unread:
            certain_ms = now_ms + 10**9
        lost_ms = chance.randint(1000, 6000) if chance.random() < errors.lost else 10**9
        shift = chance.gauss(0, errors.place_mm), chance.gauss(0, errors.place_mm)
        turned = chance.gauss(0, errors.turn_deg)
        corners = chance.random() >= errors.no_corners
        reads, track = self._reads(number, laid), self._track(number)
        return _Followed(laid, track, reads, certain_ms, now_ms + lost_ms, corners, (*shift, turned))

    def _reads(self, number: int, laid: LaidCard) -> Card:
        chance, every = self._chance, self._errors.suit_open_every
        wrong = chance.random() < self._errors.misread or (self.misreads_next and laid.face == "up")
        suit = None if every and chance.randrange(every) == 0 else laid.card.suit
        if not wrong:
            return laid.card._replace(suit=suit)
        self.misreads_next = False
        self.misread.add(number)
        return Card(chance.choice([rank for rank in RANKS if rank != laid.card.rank]), suit)

    def _takes_ms(self) -> int:
        slow = self._chance.random() < self._errors.slow
        return self._chance.randint(*self._errors.certain_ms) + (self._chance.randint(300, 2000) * slow)

    def _track(self, number: int) -> int:
        track = len(self.tracks) + 1 if self._counts else number
        self.tracks[track] = number
        return track

    def _seen(self, known: _Followed, now_ms: int) -> FeltCard:
        laid, (right_mm, below_mm, turned_deg) = known.laid, known.shift
        rest = card_place(laid.box, laid.hand, laid.place, laid.across)
        at_mm = rest.x * MM_A_PX + right_mm, rest.y * MM_A_PX + below_mm
        turn_deg = ((0.0 if laid.across else 90.0) + turned_deg) % 180 if known.has_corners else None
        certain = now_ms >= known.certain_ms
        card = known.reads if certain and laid.face == "up" else None
        in_sight = laid.box not in self.covered
        return FeltCard(
            known.track, card, laid.face, at_mm, turn_deg, laid.box, 0.9999, certain, in_sight=in_sight
        )


OVERHEAD: Final = "simulated"
"""Name of the camera that deals where none reads pictures: a screen says so."""

LOOK_S: Final = 0.1
"""Between two looks at speed 1; a camera at a table gives ten pictures a second."""

_QUICKEST_S: Final = 0.02
_CERTAIN_MS: Final = 300
"""A card lies so long at speed 1 before it is certain. Source: three to five looks of the reader."""


class Overhead:
    """Looks at the simulated layout. Used on the table's loop."""

    def __init__(self, world: World, clock: Clock, speed: float) -> None:
        """Look `speed` times as often as a camera at a table, with the table's own time."""
        self._world = world
        self._clock = clock
        self._look_s = max(_QUICKEST_S, LOOK_S / speed) if speed else _QUICKEST_S
        certain_ms = int(_CERTAIN_MS / speed) if speed else 0
        errors = CameraErrors(certain_ms=(certain_ms, certain_ms))
        self._eye = ErringEye(Random(0), errors, counts=False)

    async def look_on(self, table: TableTask) -> None:
        """Post a look to the table again and again, until cancelled."""
        while True:
            table.post(self.look())
            await asyncio.sleep(self._look_s)

    def look(self) -> FeltLook:
        """The reading at this moment."""
        mono_ns = self._clock.mono_ns()
        view = self._eye.look(mono_ns // 1_000_000, self._world.lying_cards())
        return FeltLook(OVERHEAD, mono_ns, view)


def write_layout(folder: Path) -> Path:
    """Write the layout file of the simulated camera; returns where it is."""
    file = folder / "overhead.layout.toml"
    layout = Layout.model_validate(
        {
            "layout": 1,
            "camera": {"width": FRAME_WIDTH, "height": FRAME_HEIGHT},
            "plane": {"homography": ((MM_A_PX, 0, 0), (0, MM_A_PX, 0), (0, 0, 1))},
            "zone": [*(_box_zone(box) for box in range(1, BOXES + 1)), _dealer_zone()],
            "origin": {"date": "2026-01-01", "method": "hand", "residual_px": 0},
        }
    )
    file.write_text(layout_text(layout), encoding="utf-8")
    return file


def _box_zone(box: int) -> dict[str, object]:
    x, y = box_origin(box, 1)
    outline = _rectangle(x - 40, y - HAND_PITCH_PX / 2, x + 224, y + HAND_PITCH_PX * (HANDS - 0.5))
    return {"kind": "box", "box": box, "outline_mm": outline}


def _dealer_zone() -> dict[str, object]:
    first = card_place(DEALER, 1, 0)
    outline = _rectangle(first.x - 92, first.y - 64, first.x + 672, first.y + 100)
    return {"kind": "dealer", "outline_mm": outline}


def _rectangle(left: float, top: float, right: float, foot: float) -> tuple[tuple[float, float], ...]:
    corners = ((left, top), (right, top), (right, foot), (left, foot))
    return tuple((round(x * MM_A_PX, 1), round(y * MM_A_PX, 1)) for x, y in corners)


MOUTH_FPS: Final = 30.0
ART_PX: Final = 352
_YELLOW: Final = CASINO_STYLE._replace(seed=22)
"""Of the casino's own style the cut card is as dark as the mouth."""

PAUSE_MS: Final = 150.0
"""The mouth is empty for so long after a card, at least."""


class MouthShoe:
    """Cards that are handed to it slide past, one after the other; a `Grabber` of the camera that sees them.

    Its time goes on by a picture's time with each picture, however busy the machine is.
    """

    paced = False
    finite = False
    watched = False

    def __init__(self, seed: int, *, paced: bool = False) -> None:
        """`seed` moves the cards a little and makes the camera's noise. `paced`: the caller waits itself."""
        self.paced = paced
        self._random = np.random.default_rng(seed)
        self._now_ms = 0.0
        self._free_ms = 0.0
        self._passing: deque[Passage] = deque()
        self._lock = threading.Lock()
        self._unplugged = False

    def deal(self, rank: str | None, suit: str | None) -> bool:
        """Let a card slide out when those before it have gone; nothing locks this shoe."""
        assert rank, "a card of a real deck"
        assert suit, "a card of a real deck"
        self._slide(draw_card(CASINO_STYLE, rank, suit, ART_PX))
        return True

    def cut_card(self) -> None:
        """Let the cut card slide out."""
        self._slide(draw_cut_card(_YELLOW, ART_PX))

    def unplug(self) -> None:
        """Pull the camera's cable: no picture comes any more."""
        self._unplugged = True

    def plug(self) -> None:
        """Put the camera's cable back."""
        self._unplugged = False

    def grab(self) -> Image:
        """Draw the next picture; called from the camera's thread. Raises `DeviceLost` without its cable."""
        if self._unplugged:
            raise DeviceLost("NO_PICTURE")
        with self._lock:
            self._now_ms += 1000 / MOUTH_FPS
            while self._passing and self._passing[0].end_ms < self._now_ms:
                self._passing.popleft()
            present = self._passing[0] if self._passing else None
            return with_noise(draw_mouth(present, self._now_ms), self._random)

    def close(self) -> None:
        """Do nothing: a drawn picture holds no device open."""

    def _slide(self, art: CardArt) -> None:
        with self._lock:
            start_ms = max(self._now_ms, self._free_ms)
            right, down = self._random.normal(0, 4, 2)
            turn_deg = float(self._random.normal(0, 1.5))
            passage = Passage(art, start_ms, shift=(float(right), float(down)), turn_deg=turn_deg)
            self._passing.append(passage)
            self._free_ms = passage.end_ms + PAUSE_MS


def cut_rgb() -> tuple[int, int, int]:
    """Colour of the simulated cut card."""
    blue, green, red = (int(part) for part in np.median(draw_cut_card(_YELLOW, ART_PX).image, axis=(0, 1)))
    return red, green, blue


def cards_from(shoe: MouthShoe, section: CameraSection) -> CardSourceFactory:
    """Make the camera at its mouth the source of cards, behind the same thread as a real one."""
    watcher, film = shoe_mouth_watcher(section, None), EncodedPictures(shoe)
    return lambda clock, session, post, tap: (
        shoe_mouth_camera(section, watcher, clock, session, post, tap=tap, connect=lambda _: film),
    )
