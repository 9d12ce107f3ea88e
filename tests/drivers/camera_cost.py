"""What grabbing a network camera of 1080p30 costs: `python -m tests.drivers.camera_cost [SECONDS]`.

A process of its own sends motion JPEG over loopback and writes into each picture when it was sent. Written
out are the time of this process for each second of wall clock, and the way of a picture in milliseconds.
"""

import multiprocessing
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import quantiles
from typing import Final

import cv2

from controller.ports import SystemClock, TapKind
from drivers.camera import Camera, CameraConfig
from drivers.camera.pictures import Image
from tests.drivers.camera.camera_server import felt, jpeg, opening, part

FPS: Final = 30
SIZE: Final = (1920, 1080)
STAMP: Final = b"\xff\xfe\x00\x0a"
"""A JPEG comment of eight bytes, which hold a moment of the monotonic clock."""


def crowded() -> Image:
    """A felt with so much on it that its JPEG takes about 200 kB."""
    image = felt(1, SIZE)
    for number in range(60):
        at = (31 * number % 1800, 60 + 97 * number % 1000)
        cv2.putText(image, f"K{number}", at, 0, 1.2, (250, 250, 250), 2)
    return image


def serve(port: int) -> None:
    """Send pictures until killed."""
    pictures = [jpeg(crowded()) for _ in range(6)]
    with socket.create_server(("127.0.0.1", port)) as server:
        client, _ = server.accept()
        client.recv(4096)
        client.sendall(opening())
        due, number = time.monotonic(), 0
        while True:
            data = pictures[number % len(pictures)]
            moment = time.monotonic_ns().to_bytes(8, "big")
            client.sendall(part(data[:2] + STAMP + moment + data[2:]))
            due, number = due + 1 / FPS, number + 1
            time.sleep(max(0.0, due - time.monotonic()))


@contextmanager
def camera_of(port: int, arrived: list[float]) -> Iterator[Camera]:
    """Run a camera at the server; `arrived` gets the milliseconds from sent to grabbed of each picture."""

    def tap(source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        if (source, kind) == ("cost", "jpeg"):
            arrived.append((mono_ns - int.from_bytes(data[6:14], "big")) / 1e6)

    camera = Camera(CameraConfig("cost", f"http://127.0.0.1:{port}/"), SystemClock(), tap=tap)
    camera.open()
    try:
        yield camera
    finally:
        camera.close()


def measure(port: int, seconds: float, every_s: float) -> None:
    """Look at a picture each `every_s` seconds, at none when 0, and tell what it cost."""
    arrived, taken, number = list[float](), list[float](), 0
    with camera_of(port, arrived) as camera:
        assert camera.wait(0, 120) is not None
        time.sleep(2)
        arrived.clear()
        began_s, used_s = time.monotonic(), time.process_time()
        while time.monotonic() < began_s + seconds:
            if every_s:
                frame = camera.wait(number, 1)
                if frame is not None:
                    number = frame.number
                    taken.append((time.monotonic_ns() - frame.mono_ns) / 1e6)
            time.sleep(every_s or 0.1)
        wall_s, used_s = time.monotonic() - began_s, time.process_time() - used_s
    looked = f"{len(taken) / wall_s:.1f} taken" if taken else "none taken"
    sys.stdout.write(
        f"{len(arrived) / wall_s:.1f} pictures/s, {looked}: CPU {100 * used_s / wall_s:.1f} % of one core, "
        f"sent to grabbed ms {spread(arrived)}"
        + (f", grabbed to decoded in a reader's hands ms {spread(taken)}" if taken else "")
        + "\n"
    )


def spread(values: list[float]) -> str:
    """The middle, the 99th of a hundred and the worst."""
    cuts = quantiles(values, n=100)
    return f"p50 {cuts[49]:.2f} p99 {cuts[98]:.2f} max {max(values):.2f}"


def main() -> None:
    """Measure without a reader, and with one that looks three and thirty times a second."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    for every_s in (0.0, 0.3, 0.001):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = multiprocessing.get_context("spawn").Process(target=serve, args=(port,), daemon=True)
        server.start()
        measure(port, seconds, every_s)
        server.kill()
        server.join()


if __name__ == "__main__":
    main()
