"""`stand17 replay`: feeds, journals and recordings once more, as text or JSON Lines, or against rounds."""

import sys
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from controller.cli.application import Force
from controller.cli.replaying import CardSource, FrameSettings, ReplaySettings, parse_speed, play_each
from controller.domain import ConfigError


def _sources(incomplete: str) -> list[str]:
    """The sources that a shell completes."""
    return [source for source in get_args(CardSource) if source.startswith(incomplete)]


def replay(
    feeds: Annotated[list[str], typer.Argument(help="Feeds, gzip too, journals, recordings; - is a feed.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit 1 on any refusal, alert or dispute.")] = False,
    speed: Annotated[str | None, typer.Option(help="A multiple of real time, or max.")] = None,
    expect: Annotated[Path | None, typer.Option(help="JSON Lines of the rounds expected.")] = None,
    table: Annotated[bool, typer.Option(help="Feeds: through the door of a live table.")] = False,
    rejoin: Annotated[bool, typer.Option(help="With --table: go on behind a round held for good.")] = False,
    step: Annotated[bool, typer.Option(help="Recordings: one message for each Enter.")] = False,
    config: Annotated[Path | None, typer.Option(help="Recordings: other settings than then.")] = None,
    frames: Annotated[Path | None, typer.Option(help="With --table: pictures to take cards from.")] = None,
    layout: Annotated[Path | None, typer.Option(help="With --frames: where the camera sees boxes.")] = None,
    deck: Annotated[Path | None, typer.Option(help="With --frames: the profile of the deck.")] = None,
    source: Annotated[
        str, typer.Option(help="With --frames: camera, or both with the feed.", autocompletion=_sources)
    ] = "camera",
    jobs: Annotated[int | None, typer.Option(min=1, help="One report, so many files at once.")] = None,
    junit: Annotated[Path | None, typer.Option(help="One report, as JUnit XML too.")] = None,
    state: Annotated[Path | None, typer.Option(help="One report; go on where this file says.")] = None,
    only: Annotated[Literal["differences"] | None, typer.Option(help="One report, without events.")] = None,
    number: Annotated[int | None, typer.Option("--round", min=1, help="One report on this round.")] = None,
    begin: Annotated[str | None, typer.Option("--from", help="One report from H:MM:SS on.")] = None,
    force: Force = False,
) -> None:
    """Run feeds, journals and recordings through the engine of the live table.

    Every entry of a journal is written again and compared bit by bit with what is stored. The bytes of a
    recording go through the drivers once more, and what follows is compared with what was journalled.

    With --table a feed goes through the live table's own door: roles, holds, the house's profile of
    irregularities and the table's options count, not only the rules. With --rejoin a round that is held and
    on which nobody rules is reported as disputed, and play goes on at the next round's first bet.

    With --frames, and --layout, its cards come from a folder of pictures instead of its own lines: what the
    felt shows, decisions included, comes to the same door. With --source both the feed's cards are the
    shoe's, and shoe and camera have to agree.

    With a folder, --jobs, --junit, --state, --only, --round or --from all files come into one report:
    differences first, then refusals, alerts and holds, then counts, reads by certainty and rates. There a
    feed is held against the expectation beside it.

    Exit status 0; 1 with --strict on any refusal, alert, dispute or hold, with --expect on any difference,
    and when a journal or a recording is not as it was; 2 when a file cannot be read.
    """
    if any((jobs, junit, state, only, number, begin)) or any(Path(feed).is_dir() for feed in feeds):
        # The report of many files is not imported for a single file.
        from controller.cli.replay_files import BatchSettings, parse_from
        from controller.cli.replay_report import ReportFilter, report

        batch = BatchSettings(jobs or 1, ReplaySettings(0.0, False, config, table, rejoin), state, expect)
        chosen = ReportFilter(parse_from(begin), number, only is not None)
        report(feeds, batch, chosen, as_json=as_json, strict=strict, junit=junit, force=force)
    pictures = _frame_settings(frames, layout, deck, source, at_door=table and len(feeds) == 1)
    pace = parse_speed(speed, sys.stdout.isatty())
    settings = ReplaySettings(pace, step, config, table, rejoin, frames=pictures)
    raise typer.Exit(play_each(feeds, settings, expect, as_json=as_json, strict=strict))


def _frame_settings(
    folder: Path | None, layout: Path | None, deck: Path | None, source: str, *, at_door: bool
) -> FrameSettings | None:
    """The options that go with --frames; None without it. `at_door`: one feed is played through the door.

    Raises `ConfigError` FRAMES_OPTIONS or BAD_SOURCE.
    """
    if folder is None and layout is None:
        return None
    if folder is None or layout is None or not at_door:
        raise ConfigError("FRAMES_OPTIONS")
    if source not in get_args(CardSource):
        raise ConfigError("BAD_SOURCE", source=source)
    both: CardSource = "both"
    return FrameSettings(folder, layout, deck, source == both)
