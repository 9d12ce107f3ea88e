"""Opens whatever `stand17 replay` was given: a feed, a journal, a recording."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.cli.replay_source import ReplaySettings, ReplaySource
from controller.feed.reading import open_feed
from controller.feed.rejoin import rejoined
from controller.feed.replay import open_script, play, play_results
from controller.feed.table_options import watches
from controller.feed.table_replay import open_table_script, plainly, play_table
from controller.replay.file_kind import kind_of


@contextmanager
def opened(name: str, settings: ReplaySettings, advance: Callable[[int], None]) -> Iterator[ReplaySource]:
    """Open a file by its name, `-` for a feed on standard input. Raises `TableError`.

    `advance` hears how far a long walk has come. What only journals and recordings need, a database and all
    drivers, is not loaded for a feed.
    """
    match "feed" if name == "-" else kind_of(name):
        case "journal":
            from controller.cli.replay_journal import journal_source  # noqa: PLC0415 - see above

            yield journal_source(Path(name), advance)
        case "recording":
            from controller.cli.replay_recording import recording_source  # noqa: PLC0415 - see above

            with recording_source(Path(name), settings) as source:
                yield source
        case "feed":
            with _feed(name, settings) as source:
                yield source


@contextmanager
def _feed(name: str, settings: ReplaySettings) -> Iterator[ReplaySource]:
    with open_feed(name) as stream:
        folder = Path(name).parent if name != "-" else Path()
        if settings.frames is not None:
            from controller.cli.replay_frames import frames_source  # noqa: PLC0415 - see above

            yield frames_source(open_table_script(stream, folder), settings.frames)
            return
        if settings.table:
            at_door = open_table_script(stream, folder)
            way = rejoined if settings.rejoin else plainly
            yield ReplaySource(play_table(at_door, way), at_door.currency)
            return
        script = open_script(stream, folder)
        played = (play if settings.every else play_results)(
            script.rules, script.lines, watch=watches(script.header.table_options)
        )
        yield ReplaySource(played, script.header.currency)
