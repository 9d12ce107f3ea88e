"""The mailbox between a camera's thread and its readers: the newest picture only.

OpenCV's own buffer would hand out old pictures to a slow reader.
"""

import threading
from collections import Counter
from functools import partial
from typing import NamedTuple

from controller.ports import Clock, Frame
from drivers.camera.camera_pictures import Picture
from drivers.camera.config import PictureFault


class _Newest(NamedTuple):
    """A posted picture, when it was grabbed, and its number, counted from 1."""

    picture: Picture
    mono_ns: int
    number: int


class Mailbox:
    """Pictures are decoded in the thread of the reader who takes them, and only then."""

    def __init__(self, clock: Clock) -> None:
        """Begin empty; `clock` measures how long `wait` waits."""
        self._clock = clock
        self._newest: _Newest | None = None
        self._taken = 0
        self._counts: Counter[str] = Counter()
        self._changed = threading.Condition()

    def post(self, picture: Picture, mono_ns: int) -> None:
        """Put a picture in; the one it replaces is dropped if nobody looked at it."""
        with self._changed:
            self._counts["frames"] += 1
            if self._newest is not None and self._taken < self._newest.number:
                self._counts["dropped"] += 1
            self._newest = _Newest(picture, mono_ns, self._counts["frames"])
            self._changed.notify_all()

    def clear(self) -> None:
        """Throw away what is in it: it is no longer the newest."""
        with self._changed:
            self._newest = None

    def latest(self) -> Frame | None:
        """Give the newest picture, None where there is none or it cannot be decoded."""
        with self._changed:
            letter = self._take()
        return self._open(letter)

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """Wait for a picture with a number above `after` that can be decoded; None when none came in time."""
        end_ns = self._clock.mono_ns() + int(timeout_s * 1e9)
        while True:
            left_s = max(0, end_ns - self._clock.mono_ns()) / 1e9
            with self._changed:
                if not self._changed.wait_for(partial(self._has, after), left_s):
                    return None
                letter = self._take()
            frame = self._open(letter)
            if frame is not None or letter is None:
                return frame
            after = letter.number

    def counts(self) -> Counter[str]:
        """Tell what has been counted: frames posted, dropped (never looked at), BROKEN when taken."""
        with self._changed:
            return self._counts.copy()

    def _has(self, after: int) -> bool:
        return self._newest is not None and self._newest.number > after

    def _take(self) -> _Newest | None:
        """Hand out the letter; it stays there for the next reader."""
        if self._newest is not None:
            self._taken = self._newest.number
        return self._newest

    def _open(self, letter: _Newest | None) -> Frame | None:
        try:
            return None if letter is None else Frame(letter.picture.full(), letter.mono_ns, letter.number)
        except PictureFault as fault:
            with self._changed:
                self._counts[fault.code] += 1
            return None
