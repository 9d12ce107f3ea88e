"""What people reported (a feed) and what a camera saw (pictures), at the table's door together."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Reveal
from controller.devices.cameras.placing import out_of_place
from controller.devices.cameras.tracker import open_felt_camera
from controller.domain import ConfigError
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import TableScript
from controller.feed.replay import Played
from controller.replay.pictures.watched_table import Look, WatchedTable
from vision.pictures import load_picture

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


CAMERA_NAME: Final = "frames"
"""What a hold calls the camera of a folder of pictures."""

PAST_THE_END_MS: Final = 4000
"""So long the last picture is taken to stay as it is: what is waited for then is reported or asked."""


def looks_at(folder: Path, layout: Path, deck: Path | None) -> Callable[[], Iterator[Look]]:
    """Check folder, layout and profile, and read the pictures one after another when asked.

    Raises `ConfigError` as `frames_in` and `open_felt_camera` do; while reading also FRAME_OTHER_SIZE for a
    picture of another size than the first, and LAYOUT_OTHER_SIZE.
    """
    frames = frames_in(folder)
    camera = open_felt_camera(layout, deck)

    def looks() -> Iterator[Look]:
        first: tuple[int, int] | None = None
        for frame in frames:
            image = load_picture(frame.path)
            size = (image.shape[1], image.shape[0])
            first = first or size
            if size != first:
                raise _other_size(frame, size, first)
            view = camera.look(image, frame.t_ms, str(frame.path))
            yield Look(view, frame.path.name, out_of_place(camera.placing, CAMERA_NAME))

    return looks


def _other_size(frame: TimedFrame, size: tuple[int, int], first: tuple[int, int]) -> ConfigError:
    own = {"width": size[0], "height": size[1], "first_width": first[0], "first_height": first[1]}
    return ConfigError("FRAME_OTHER_SIZE", file=str(frame.path), **own)


def play_frames(script: TableScript, looks: Iterable[Look], *, with_shoe: bool = False) -> Iterator[Played]:
    """Bring lines and what the pictures show to the door, in the order of their times.

    The feed's cards and turnings are left out: the camera is the one source of cards. `with_shoe`: the feed's
    cards are the shoe's, and both have to agree.
    """
    table = WatchedTable(script, with_shoe=with_shoe)
    left_out = (Reveal,) if with_shoe else (CardSeen, Reveal)
    lines = _Ahead(line for line in script.lines if not isinstance(line.obs, left_out))
    last: Look | None = None
    for look in looks:
        for line in lines.up_to(look.view.t_ms / 1000):
            yield from table.take_line(line)
        yield from table.look(look)
        last = look
    for line in lines.up_to(None):
        yield from table.take_line(line)
    if last is not None:
        end_ms = last.view.t_ms + PAST_THE_END_MS
        yield from table.look(last._replace(view=last.view._replace(t_ms=end_ms)), at_ms=last.view.t_ms)
    yield from table.end()


class _Ahead:
    """The lines of a feed, with the next one known."""

    def __init__(self, lines: Iterator[FeedLine]) -> None:
        self._lines = lines
        self._next = next(lines, None)

    def up_to(self, t: float | None) -> Iterator[FeedLine]:
        """The lines until this time, all that are left for None."""
        while self._next is not None and (t is None or self._next.t <= t):
            yield self._next
            self._next = next(self._lines, None)
