"""What `stand17 replay` can play: a feed, a journal, a recording. Each is told by its first bytes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.feed.reading import open_feed
from controller.feed.replaying import Played, open_script, play
from controller.feed.report import Json

Kind = Literal["feed", "journal", "recording"]
MAGIC: Final[dict[bytes, Kind]] = {b"SQLite format 3\0": "journal", b"\x89MCAP0\r\n": "recording"}


class Doubt(NamedTuple):
    """Something in a file that is not as it was: the object that `--json` prints, and the sentence."""

    json: Json
    sentence: str


class Source(NamedTuple):
    """`played` is to be walked to its end before `doubts` tells what did not fit."""

    played: Iterable[Played]
    doubts: Callable[[], Iterable[Doubt]] = tuple


def kind_of(name: str) -> Kind:
    """Tell what a file is; what cannot be read or is no other kind is left to the feed's own errors."""
    try:
        with Path(name).open("rb") as stream:
            start = stream.read(16)
    except OSError:
        return "feed"
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "feed")


@contextmanager
def opened(name: str, advance: Callable[[int], None]) -> Iterator[Source]:
    """Open a feed or a journal; `advance` hears how far a long walk has come. Raises `TableError`."""
    if name != "-" and kind_of(name) == "journal":
        # Feeds need no database: it is loaded for journals only.
        from controller.cli.replay_journal import journal_source  # noqa: PLC0415

        yield journal_source(Path(name), advance)
        return
    with open_feed(name) as stream:
        script = open_script(stream, Path(name).parent if name != "-" else Path())
        yield Source(play(script.rules, script.lines))
