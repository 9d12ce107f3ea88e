"""A folder of a table camera's pictures, each with its time in its name."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import ConfigError

PICTURES: Final = frozenset((".jpg", ".jpeg", ".png"))
TIMED: Final = re.compile(r"_(\d{1,12})$")
"""The end of a picture's name: milliseconds since the feed's header (feed format, section 7)."""


class TimedFrame(NamedTuple):
    """A picture and when it was taken, milliseconds since the feed's header."""

    path: Path
    t_ms: int


def frames_in(folder: Path) -> tuple[TimedFrame, ...]:
    """The pictures of a folder in the order of their times.

    Raises `ConfigError` FRAMES_MISSING for a folder that is not there or has no picture, FRAME_WITHOUT_TIME
    for a picture whose name has no time.
    """
    try:
        paths = [path for path in folder.iterdir() if path.suffix.lower() in PICTURES]
    except OSError as error:
        raise ConfigError("FRAMES_MISSING", path=str(folder)) from error
    if not paths:
        raise ConfigError("FRAMES_MISSING", path=str(folder))
    return tuple(sorted((_timed(path) for path in paths), key=lambda frame: (frame.t_ms, frame.path.name)))


def _timed(path: Path) -> TimedFrame:
    found = TIMED.search(path.stem)
    if found is None:
        raise ConfigError("FRAME_WITHOUT_TIME", file=str(path))
    return TimedFrame(path, int(found[1]))
