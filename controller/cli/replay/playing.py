"""Play files one after another, each with a report of its own: the usual case of `stand17 replay`.

Without typer, which takes longer to import than a short feed takes to play.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.cli.replay.printer import ReplayPrinter
from controller.cli.replay.source import ReplaySettings
from controller.domain import ConfigError

FLAGS: Final = frozenset(("--json", "--strict", "--table", "--rejoin"))
"""Options of `stand17 replay` that take no value and need nothing else of the command line."""


def parse_speed(value: str | None, terminal: bool) -> float:
    """A multiple of real time, 0 for `max`; without a terminal `max` is the default."""
    if value is None:
        return 1.0 if terminal else 0.0
    if value == "max":
        return 0.0
    try:
        speed = float(value)
    except ValueError:
        speed = -1.0
    if not 0 < speed < 1e6:
        raise ConfigError("BAD_SPEED", speed=value)
    return speed


def plain_feeds(words: Sequence[str]) -> list[str]:
    """Return the files of a command line with no option but `FLAGS`; none for another command line."""
    feeds = [word for word in words if word not in FLAGS]
    plain = all(word and not word.startswith("-") and not Path(word).is_dir() for word in feeds)
    return feeds if plain else []


def play_plain(feeds: list[str], words: Sequence[str]) -> int:
    """Play files under flags alone; the exit status."""
    flags = FLAGS.intersection(words)
    settings = ReplaySettings(
        parse_speed(None, sys.stdout.isatty()), table="--table" in flags, rejoin="--rejoin" in flags
    )
    return play_each(feeds, settings, None, as_json="--json" in flags, strict="--strict" in flags)


def play_each(
    feeds: list[str], settings: ReplaySettings, expect: Path | None, *, as_json: bool, strict: bool
) -> int:
    """Play file after file; the exit status of all."""
    # Only a pace and a progress line need the lines from which nothing follows.
    every = bool(settings.speed) or sys.stderr.isatty()
    printer = ReplayPrinter(as_json, settings._replace(every=every), _short_names(feeds))
    expected = None
    if expect is not None:
        from controller.feed.replay import load_expected

        expected = load_expected(expect)
    for feed in feeds:
        printer.run(feed)
    differences = printer.compare(expected) if expected is not None else 0
    printer.finish()
    if printer.broken:
        return 2
    return 1 if differences or printer.differs or (strict and printer.tally.unclean) else 0


def _short_names(feeds: list[str]) -> dict[str, str]:
    """The name that each feed goes by in the output: its file name where that is enough to tell it."""
    names = [Path(feed).name for feed in feeds]
    return {
        feed: name if names.count(name) == 1 and feed != "-" else feed
        for feed, name in zip(feeds, names, strict=True)
    }
