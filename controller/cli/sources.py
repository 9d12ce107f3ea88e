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
    """Something in a file that is not as it was: the object that `--json` prints, and the sentence.

    Without a sentence it is for `--json` only.
    """

    json: Json
    sentence: str


class Source(NamedTuple):
    """`played` is walked to its end; then `doubts` tells what did not fit, and `told` what was done."""

    played: Iterable[Played]
    doubts: Callable[[], Iterable[Doubt]] = tuple
    told: Callable[[], tuple[Json, str] | None] = lambda: None


class Settings(NamedTuple):
    """How a recording is played: `speed` is a multiple of real time, 0 for as fast as possible."""

    speed: float
    step: bool = False
    config: Path | None = None


def kind_of(name: str) -> Kind:
    """Tell what a file is; what cannot be read or is no other kind is left to the feed's own errors."""
    try:
        with Path(name).open("rb") as stream:
            start = stream.read(16)
    except OSError:
        return "feed"
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "feed")


@contextmanager
def opened(name: str, settings: Settings, advance: Callable[[int], None]) -> Iterator[Source]:
    """Open whatever it is; `advance` hears how far a long walk has come. Raises `TableError`.

    What only journals and recordings need, a database and all drivers, is not loaded for a feed.
    """
    match "feed" if name == "-" else kind_of(name):
        case "journal":
            from controller.cli.replay_journal import journal_source  # noqa: PLC0415

            yield journal_source(Path(name), advance)
        case "recording":
            from controller.cli.replay_recording import recording_source  # noqa: PLC0415

            with recording_source(Path(name), settings) as source:
                yield source
        case "feed":
            with _feed(name) as source:
                yield source


@contextmanager
def _feed(name: str) -> Iterator[Source]:
    with open_feed(name) as stream:
        script = open_script(stream, Path(name).parent if name != "-" else Path())
        yield Source(play(script.rules, script.lines))
