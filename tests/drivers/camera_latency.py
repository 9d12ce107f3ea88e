"""How long a picture is on its way with and without a decoder: `python -m tests.drivers.camera_latency [N]`.

A process of its own sends the same motion JPEG over loopback to two sources of this one, 10 pictures a second
of 1080 lines and 5 of 4K, and writes into each when it was sent. One source decodes here, the other in a
process of its own; both at the same time, so that what else the machine does meets both. Written out are the
milliseconds from sent to pixels of N pictures each (300).
"""

import multiprocessing
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import cv2
import numpy as np

from drivers.camera import CameraConfig, Grabber, open_confined, open_source
from drivers.camera.pictures import Image, MakesPictures, picture_of
from tests.drivers.camera.camera_server import felt, jpeg, opening, part
from tests.drivers.camera_cost import STAMP

SIZES: Final = {"1080p": (1920, 1080, 10), "4K": (3840, 2160, 5)}
"""Width, height, pictures a second."""
BEGIN: Final = 20
"""Pictures that are not counted."""


def crowded(size: tuple[int, int]) -> Image:
    """A felt with a lot on it."""
    image = felt(1, size)
    for number in range(60):
        at = (31 * number % (size[0] - 120), 60 + 97 * number % (size[1] - 80))
        cv2.putText(image, f"K{number}", at, 0, size[0] / 1600, (250, 250, 250), 2)
    return image


def serve(server: socket.socket, size: tuple[int, int], fps: int) -> None:
    """Send pictures to each client in a thread of its own, until killed."""
    pictures = [jpeg(crowded(size)) for _ in range(4)]

    def send(client: socket.socket) -> None:
        client.recv(4096)
        number = 0
        with suppress(OSError):
            client.sendall(opening())
            while True:
                data = pictures[number % 4]
                moment = time.monotonic_ns().to_bytes(8, "big")
                client.sendall(part(data[:2] + STAMP + moment + data[2:]))
                number += 1
                time.sleep(1 / fps)

    while True:
        threading.Thread(target=send, args=(server.accept()[0],), daemon=True).start()


def looked_at(source: Grabber) -> float:
    """Milliseconds from sent to pixels of the next picture."""
    grabbed = source.grab()
    assert isinstance(grabbed, bytes)
    picture = source.picture(grabbed) if isinstance(source, MakesPictures) else picture_of(grabbed)
    picture.full()
    at = grabbed.index(STAMP) + len(STAMP)
    return (time.monotonic_ns() - int.from_bytes(grabbed[at : at + 8], "big")) / 1e6


def measure(name: str, config: CameraConfig, pictures: int) -> None:
    """Look at both sources at the same time, and tell what it took."""
    with ThreadPoolExecutor(2) as threads:
        looks = {
            way: threads.submit(look_at_all, connect(config), pictures)
            for way, connect in (("here", open_source), ("decoder", open_confined))
        }
        for way, look in looks.items():
            p50, p95, p99 = np.percentile(look.result(), (50, 95, 99))
            sys.stdout.write(f"{name} {way}: ms p50 {p50:.2f} p95 {p95:.2f} p99 {p99:.2f}\n")


def look_at_all(source: Grabber, pictures: int) -> list[float]:
    """Milliseconds of each picture."""
    taken = [looked_at(source) for _ in range(pictures + BEGIN)]
    source.close()
    return taken[BEGIN:]


def main() -> None:
    """Measure both sizes."""
    pictures = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for name, (width, height, fps) in SIZES.items():
        with socket.create_server(("127.0.0.1", 0)) as server:
            config = CameraConfig("latency", f"http://127.0.0.1:{server.getsockname()[1]}/")
            arguments = (server, (width, height), fps)
            sender = multiprocessing.get_context("fork").Process(target=serve, args=arguments, daemon=True)
            sender.start()
            measure(name, config, pictures)
            sender.kill()
            sender.join()


if __name__ == "__main__":
    main()
