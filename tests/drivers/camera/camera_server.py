"""A network camera for tests: an HTTP server that sends the parts of a motion JPEG stream as told."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import cv2
import numpy as np

from drivers.camera.pictures import Image

NOISE = np.random.default_rng(17)

Serve = Callable[[socket.socket], None]
"""Answers one client; its request has been read. The connection is closed afterwards."""


def felt(number: int, size: tuple[int, int] = (640, 360)) -> Image:
    """A felt with a number on it and the noise of a sensor."""
    image = np.full((size[1], size[0], 3), (60, 110, 50), np.uint8)
    cv2.putText(image, str(number), (60, 240), 0, 6, (240, 240, 240), 12)
    return cv2.add(image, NOISE.integers(0, 6, image.shape, dtype=np.uint8)).astype(np.uint8)


def jpeg(image: Image) -> bytes:
    """The picture as a camera would send it."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


def opening(boundary: str = "boundary=frame") -> bytes:
    """The answer before the first picture."""
    return f"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; {boundary}\r\n\r\n".encode()


def part(data: bytes, *, length: bool = True, claim: int | None = None) -> bytes:
    """One picture of the stream; `claim` is another length than its own."""
    told = f"Content-Length: {len(data) if claim is None else claim}\r\n" if length else ""
    return f"--frame\r\nContent-Type: image/jpeg\r\n{told}\r\n".encode() + data + b"\r\n"


@contextmanager
def http_camera(serve: Serve, port: int = 0) -> Iterator[str]:
    """Serve each client in a thread of its own until the block ends; gives the address of the stream."""
    clients: list[socket.socket] = []

    def answer(client: socket.socket) -> None:
        with suppress(OSError):
            client.recv(4096)
            serve(client)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        client.close()

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                clients.append(client)
                threading.Thread(target=answer, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", port)) as server:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/table"
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            for client in clients:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
