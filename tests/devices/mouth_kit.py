"""A network camera at the mouth of a drawn shoe: JPEG pictures over HTTP, as a real one sends them."""

import socket
import threading
import time

import cv2
import numpy as np

from controller.simulation.cameras import MOUTH_FPS, MouthShoe, cut_rgb
from drivers.camera.pictures import Image
from tests.drivers.camera.camera_server import jpeg, opening, part


class MouthFilm:
    """Sends a picture every 1/30 s to each client, under a hand, in poor light or smeared as told."""

    def __init__(self, seed: int = 5) -> None:
        self.shoe = MouthShoe(seed)
        self.hidden = False
        self.light = 1.0
        self.smear_px = 1
        self.cut = threading.Event()

    def __call__(self, client: socket.socket) -> None:
        client.sendall(opening())
        while not self.cut.wait(max(0.0, 1 / MOUTH_FPS - time.monotonic() % (1 / MOUTH_FPS))):
            client.sendall(part(jpeg(self._shaded(self.shoe.grab()))))

    def _shaded(self, picture: Image) -> Image:
        if self.hidden:
            picture = np.asarray(picture * 0.1 + np.array((95.0, 120.0, 175.0)), np.uint8)
        picture = cv2.blur(picture, (self.smear_px, 1)).astype(np.uint8)
        return np.asarray(np.clip(picture * self.light, 0, 255), np.uint8)


def mouth_section(address: str, **other: object) -> dict[str, object]:
    """The camera's section; a busy machine may stop for a second."""
    return {
        "name": "mouth",
        "profile": "shoe_mouth",
        "source": address,
        "cut_rgb": cut_rgb(),
        "gap_ms": 1200,
        "silence_ms": 2000,
        **other,
    }
