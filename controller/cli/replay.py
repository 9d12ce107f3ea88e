"""`stand17 replay`: feeds and journals through the engine, as an account or JSON Lines, or against rounds."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from controller.cli.output import print_error, sentence
from controller.cli.sources import Settings, Source, opened
from controller.domain.errors import ConfigError, TableError
from controller.domain.money import decimal
from controller.feed.account import account
from controller.feed.expecting import compare, load_expected
from controller.feed.reading import MalformedFeed
from controller.feed.replaying import Played, to_lines
from controller.feed.report import Json
from controller.feed.tally import Tally

LONG_LINES = 5000
"""Lines after which a replay at full speed shows its progress."""


class Pace:
    """Waits until a line's time has come; at speed 0 never."""

    def __init__(self, speed: float) -> None:
        """`speed` is a multiple of real time, 0 for as fast as possible."""
        self._speed = speed
        self._start = time.monotonic()

    def wait(self, played: Played) -> None:
        """Sleep until the line is due."""
        if self._speed and played.line is not None:
            due = self._start + played.line.t / self._speed
            time.sleep(max(0.0, due - time.monotonic()))


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


def replay(
    feeds: Annotated[list[str], typer.Argument(help="Feeds, gzip too, journals, recordings; - is a feed.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit 1 on any refusal, alert or dispute.")] = False,
    speed: Annotated[str | None, typer.Option(help="A multiple of real time, or max.")] = None,
    expect: Annotated[Path | None, typer.Option(help="JSON Lines of the rounds expected.")] = None,
    step: Annotated[bool, typer.Option(help="Recordings: one message for each Enter.")] = False,
    config: Annotated[Path | None, typer.Option(help="Recordings: other settings than then.")] = None,
) -> None:
    """Run feeds, journals and recordings through the engine of the live table.

    Every entry of a journal is written again and compared bit by bit with what is stored. The bytes of a
    recording go through the drivers once more, and what follows is compared with what was journalled.

    Exit status 0; 1 with --strict on any refusal, alert or dispute, with --expect on any difference, and
    when a journal or a recording is not as it was; 2 when a file cannot be read.
    """
    expected = load_expected(expect) if expect is not None else None
    settings = Settings(parse_speed(speed, sys.stdout.isatty()), step, config)
    player = Player(as_json, settings, short_names(feeds))
    for feed in feeds:
        player.run(feed)
    differences = player.compare(expected) if expected is not None else 0
    player.finish()
    if player.broken:
        raise typer.Exit(2)
    raise typer.Exit(1 if differences or player.doubted or (strict and player.tally.unclean) else 0)


def short_names(feeds: list[str]) -> dict[str, str]:
    """The name that each feed goes by in the output: its file name where that is enough to tell it."""
    names = [Path(feed).name for feed in feeds]
    return {
        feed: name if names.count(name) == 1 and feed != "-" else feed
        for feed, name in zip(feeds, names, strict=True)
    }


class Player:
    """Replays feeds one after another and keeps count."""

    def __init__(self, as_json: bool, settings: Settings, names: dict[str, str]) -> None:
        """`names` maps each feed to the name that it goes by."""
        self._json = as_json
        self._settings = settings
        self._names = names
        self._console = Console(highlight=False, soft_wrap=True)
        self.tally = Tally()
        self.broken = False
        self.doubted = False

    def run(self, feed: str) -> None:
        """Replay one file; a malformed line is named and ends this file, not the others."""
        self.tally.feeds += 1
        try:
            with self._progress(feed) as advance, opened(feed, self._settings, advance) as source:
                self._play(feed, source, advance)
        except MalformedFeed as error:
            self.broken = True
            print_error(error, f"{feed}:{error.line}")
        except TableError as error:
            self.broken = True
            print_error(error, "" if {"file", "path"} & error.params.keys() else feed)

    def _play(self, feed: str, source: Source, advance: Any) -> None:
        pace = Pace(self._settings.speed)
        for number, played in enumerate(source.played):
            pace.wait(played)
            if played.notices:
                self._show(self._names[feed], played)
            advance(number)
        self._doubt(self._names[feed], source)

    def _doubt(self, feed: str, source: Source) -> None:
        """Tell what was compared, and what is not as it was."""
        for doubt in source.doubts():
            self.doubted = True
            if self._json and doubt.json:
                self._print_json({**doubt.json, "feed": feed})
            elif not self._json and doubt.sentence:
                self._console.print(f"≠ {doubt.sentence}", style="bold red", markup=False)
        told = source.told()
        if told is not None and self._json:
            self._print_json({**told[0], "feed": feed})
        elif told is not None:
            self._console.print(told[1], markup=False)

    def _show(self, feed: str, played: Played) -> None:
        for line in to_lines(played, feed, lambda code, params: sentence("refused", code, params)):
            self.tally.count(line)
            if self._json:
                self._print_json(line)
        if not self._json:
            for text, style in account(played, sentence, decimal):
                self._console.print(text, style=style, markup=False)

    def _print_json(self, line: Json) -> None:
        sys.stdout.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        if self._settings.speed or self._settings.step:
            sys.stdout.flush()

    @contextmanager
    def _progress(self, feed: str) -> Iterator[Any]:
        """A progress line on a terminal's standard error, shown once a feed turns out to be long."""
        if self._json or not sys.stderr.isatty():
            yield lambda _: None
            return
        columns = (
            TextColumn("{task.description}"),
            TextColumn("{task.completed} lines"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self._names[feed], total=None)

            def advance(number: int) -> None:
                if number % LONG_LINES == 0:
                    bar.update(task, completed=number)

            yield advance

    def compare(self, expected: list[Json]) -> int:
        """Print what differs from the expectation; returns how many values do."""
        found = list(compare(expected, self.tally.rounds()))
        for entry in found:
            if self._json:
                self._print_json(entry.to_json())
            else:
                where = f"{entry.feed} round {entry.round} {entry.key}"
                self._console.print(
                    f"≠ {where}: expected {json.dumps(entry.expected)}, got {json.dumps(entry.actual)}",
                    style="bold red",
                    markup=False,
                )
        return len(found)

    def finish(self) -> None:
        """The summary line."""
        summary = self.tally.summary()
        if self._json:
            self._print_json(summary)
            sys.stdout.flush()
            return
        amounts = f"staked {decimal(summary['staked'])}, returned {decimal(summary['returned'])}"
        counts = ", ".join(
            f"{summary[key]} {key}" for key in ("settled", "voided", "disputed", "refused", "alerts")
        )
        self._console.print(f"{summary['rounds']} rounds: {counts}; {amounts}", style="bold", markup=False)
