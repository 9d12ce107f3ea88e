"""The drawn reader on a real table: firmware on a pseudo-terminal, driver, camera, networks, journal."""

import queue
import threading
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from controller.config import CameraSection, ShoeSection
from controller.devices.shoes import CardSourceFactory, coded_mouth, joined_shoe
from drivers.camera import EncodedPictures
from drivers.simulated import PtyLine
from tests.hardware.firmware_kit import load_firmware
from tests.hardware.passages import Drawn, Face, Place, Rig
from tests.hardware.pictures import Image, code_spots, take_picture
from vision.synth import CASINO_STYLE, draw_back, draw_card, draw_cut_card, random_style

IDLE_S: Final = 0.1
ART_PX: Final = 700


@cache
def face(rank: str, suit: str, deck: int = 3) -> Face:
    """A card of a drawn deck."""
    art = draw_card(random_style(np.random.default_rng(deck)), rank, suit, ART_PX)
    return Face(art.image, art.alpha)


@cache
def back() -> Face:
    """A card that lies the wrong way up in the shoe."""
    art = draw_back(CASINO_STYLE, ART_PX)
    return Face(art.image, art.alpha)


@cache
def cut_card() -> Face:
    """The black cut card that the paper sensor needs."""
    art = draw_cut_card(CASINO_STYLE, ART_PX)
    return Face(np.full_like(art.image, 24), art.alpha, cut=True, thick=2.2)


class Film:
    """A `Grabber` of the pictures that the rig takes; in between it shows the empty mouth."""

    paced = True
    finite = False
    watched = False

    def __init__(self) -> None:
        self.pictures: queue.Queue[Image] = queue.Queue()
        self.last: Image | None = None

    def grab(self) -> Image:
        try:
            self.last = self.pictures.get(timeout=IDLE_S)
        except queue.Empty:
            if self.last is None:
                self.last = take_picture((), {7: 1.0}, np.random.default_rng(1))
        return self.last

    def close(self) -> None:
        """Hold nothing open."""


class ReaderAtTable:
    """The firmware behind a pseudo-terminal, and its camera; a test draws cards through it."""

    def __init__(self, seed: int) -> None:
        self.line, self.film = PtyLine(), Film()
        self.rig = Rig(load_firmware(), np.random.default_rng(seed))
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._drawing = False
        self._began_us = time.monotonic_ns() // 1000
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def shoe(self) -> dict[str, Any]:
        return {"port": self.line.port, "protocol": "open", "baud": 115200, "certain": 0.95}

    @property
    def mouth(self) -> dict[str, Any]:
        spots = [list(spot) for spot in code_spots()]
        return {
            "name": "mouth",
            "profile": "shoe_mouth",
            "source": "drawn",
            "leaves": "left",
            "mirrored": True,
            "code": spots,
            "silence_ms": 20_000,
        }

    def cards(self) -> CardSourceFactory:
        """The live table's own source of cards, but for where pictures come from."""
        sections = (ShoeSection.model_validate(self.shoe), CameraSection.model_validate(self.mouth))
        reader, film = coded_mouth(sections[1], None), EncodedPictures(self.film)
        return lambda clock, session, post, tap: joined_shoe(
            sections, reader, clock, session, post, tap=tap, connect_camera=lambda _: film
        )

    def draw(self, sheets: Sequence[Drawn], place: Place, last_ms: float) -> None:
        """Draw sheets, on the reader's own clock; the line is on the wall's."""
        self._drawing = True
        shots = self.rig.draw(sheets, place, last_ms)
        try:
            while True:
                # Between two pictures the line is served: on a busy machine a draw takes seconds.
                with self._lock:
                    shot = next(shots, None)
                if shot is None:
                    return
                self.film.pictures.put(shot.image)
        finally:
            self._drawing = False

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
        self.line.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            received = self.line.read(0.01)
            with self._lock:
                now_ms = (time.monotonic_ns() // 1000 - self._began_us) // 1000
                if not self._drawing:
                    self.rig.now_us = max(self.rig.now_us, now_ms * 1000)
                for order in self.rig.link.receive(received, now_ms):
                    self.rig.reader.order(order, self.rig.now_us)
                sent = self.rig.link.outgoing(now_ms)
            self.line.write(sent)
            time.sleep(0.002)
