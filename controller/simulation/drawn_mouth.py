"""A shoe without a reader of its own: a drawn camera at its mouth sees the cards slide past."""

import threading
from collections import deque
from typing import Final

import numpy as np

from controller.config.cameras import CameraSection
from controller.devices.shoes import CardSourceFactory, shoe_mouth_camera, shoe_mouth_watcher
from drivers.camera import encoded
from drivers.camera.config import Image
from drivers.device_driver import DeviceLost
from vision.synth import CASINO_STYLE, CardArt, Passage, draw_card, draw_cut_card, draw_mouth, with_noise

FPS: Final = 30.0
ART_PX: Final = 352
YELLOW: Final = CASINO_STYLE._replace(seed=22)
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
        self._slide(draw_cut_card(YELLOW, ART_PX))

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
            self._now_ms += 1000 / FPS
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
    blue, green, red = (int(part) for part in np.median(draw_cut_card(YELLOW, ART_PX).image, axis=(0, 1)))
    return red, green, blue


def cards_from(shoe: MouthShoe, section: CameraSection) -> CardSourceFactory:
    """Make the camera at its mouth the source of cards, behind the same thread as a real one."""
    watcher = shoe_mouth_watcher(section, None)
    return lambda clock, session, post, tap: (
        shoe_mouth_camera(section, watcher, clock, session, post, tap=tap, connect=lambda _: encoded(shoe)),
    )
