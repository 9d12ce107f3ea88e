"""A camera's pictures of a recording, played by themselves at the pace at which they were taken."""

import threading
from collections.abc import Iterator
from pathlib import Path

from controller.ports.clock import Clock, SystemClock
from controller.recording.recording_reader import Recorded, Recording
from drivers.camera import Grabbed, Grabber


class _RecordedPictures:
    """A camera's pictures of one recording, at the pace at which they were taken."""

    paced = True
    watched = False

    def __init__(self, recording: Recording, camera: str, clock: Clock, *, loop: bool) -> None:
        self.finite = not loop
        self._recording = recording
        self._camera = camera
        self._clock = clock
        self._loop = loop
        self._stop = threading.Event()
        self._pictures = self._all()
        self._ahead_ns: int | None = None

    def grab(self) -> Grabbed | None:
        picture = next(self._pictures, None)
        if picture is None and self._loop:
            self._begin_again()
            picture = next(self._pictures, None)
        if picture is None:
            return None
        now_ns = self._clock.mono_ns()
        if self._ahead_ns is None:
            self._ahead_ns = picture.mono_ns - now_ns
        self._stop.wait(max(0, picture.mono_ns - self._ahead_ns - now_ns) / 1e9)
        return picture.data

    def close(self) -> None:
        self._stop.set()
        self._recording.close()

    def _all(self) -> Iterator[Recorded]:
        for recorded in self._recording:
            if recorded.kind == "jpeg" and self._camera in {"", recorded.source}:
                self._camera = recorded.source
                yield recorded

    def _begin_again(self) -> None:
        self._recording.close()
        self._recording = Recording(self._recording.path)
        self._pictures, self._ahead_ns = self._all(), None


def recorded_pictures(
    path: Path, camera: str = "", *, loop: bool = False, clock: Clock | None = None
) -> Grabber:
    """Open a recording as a `Grabber` of one camera's pictures; the first camera found when `camera` is "".

    Plays at the recorded pace. Raises `RecordingError` for a file that is no recording.
    """
    return _RecordedPictures(Recording(path), camera, clock or SystemClock(), loop=loop)
