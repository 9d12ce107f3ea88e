"""How long a picture is on its way with and without a decoder: `python -m tests.drivers.camera_latency [N]`.

A process of its own sends the same motion JPEG over loopback to two sources of this one, 10 pictures a second
of 1080 lines and of 4K, and writes into each when it was sent. One source decodes here, the other in a
process of its own; they are looked at in turn, so that what else the machine does meets both. Written out are
the milliseconds from sent to pixels of N pictures each (300).
"""

import multiprocessing
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Final

import cv2
import numpy as np

from drivers.camera import CameraConfig, Grabber, open_confined, open_source
from drivers.camera.config import Image
from drivers.camera.pictures import MakesPictures, picture_of
from tests.drivers.camera.camera_server import felt, jpeg, opening, part
from tests.drivers.camera_cost import STAMP

FPS: Final = 10
SIZES: Final = {"1080p": (1920, 1080), "4K": (3840, 2160)}
BEGIN: Final = 20
"""Pictures that are not counted."""


def crowded(size: tuple[int, int]) -> Image:
    """A felt with a lot on it."""
    image = felt(1, size)
    for number in range(60):
        at = (31 * number % (size[0] - 120), 60 + 97 * number % (size[1] - 80))
        cv2.putText(image, f"K{number}", at, 0, size[0] / 1600, (250, 250, 250), 2)
    return image


def serve(server: socket.socket, size: tuple[int, int]) -> None:
    """Send pictures to both clients, one after the other and half a period apart, until killed."""
    pictures, clients = [jpeg(crowded(size)) for _ in range(4)], list[socket.socket]()

    def accept() -> None:
        while True:
            client, _ = server.accept()
            client.recv(4096)
            client.sendall(opening())
            clients.append(client)

    threading.Thread(target=accept, daemon=True).start()
    number = 0
    while True:
        number += 1
        data = pictures[number % 4]
        for client in [*clients]:
            moment = time.monotonic_ns().to_bytes(8, "big")
            with suppress(OSError):
                client.sendall(part(data[:2] + STAMP + moment + data[2:]))
            time.sleep(0.5 / FPS)
        time.sleep(0 if clients else 0.01)


def looked_at(source: Grabber) -> float:
    """Milliseconds from sent to pixels of the next picture."""
    grabbed = source.grab()
    assert isinstance(grabbed, bytes)
    picture = source.picture(grabbed) if isinstance(source, MakesPictures) else picture_of(grabbed)
    picture.full()
    at = grabbed.index(STAMP) + len(STAMP)
    return (time.monotonic_ns() - int.from_bytes(grabbed[at : at + 8], "big")) / 1e6


def measure(name: str, config: CameraConfig, pictures: int) -> None:
    """Look at both sources in turn, and tell what it took."""
    sources = {"here": open_source(config), "decoder": open_confined(config)}
    taken: dict[str, list[float]] = {way: [] for way in sources}
    for _ in range(pictures + BEGIN):
        for way, source in sources.items():
            taken[way].append(looked_at(source))
    for way, source in sources.items():
        p50, p95, p99 = np.percentile(taken[way][BEGIN:], (50, 95, 99))
        sys.stdout.write(f"{name} {way}: ms p50 {p50:.2f} p95 {p95:.2f} p99 {p99:.2f}\n")
        source.close()


def main() -> None:
    """Measure both sizes."""
    pictures = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for name, size in SIZES.items():
        with socket.create_server(("127.0.0.1", 0)) as server:
            config = CameraConfig("latency", f"http://127.0.0.1:{server.getsockname()[1]}/")
            arguments = (server, size)
            sender = multiprocessing.get_context("fork").Process(target=serve, args=arguments, daemon=True)
            sender.start()
            measure(name, config, pictures)
            sender.kill()
            sender.join()


if __name__ == "__main__":
    main()
