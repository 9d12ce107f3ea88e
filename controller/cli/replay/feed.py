"""`stand17 feed`: a journal as a feed that `stand17 replay` plays, with its expectation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import Outputs, is_stream

if TYPE_CHECKING:
    from controller.journal.checking import Misfit
    from controller.replay.files.journal_check import CheckedJournal

STREAM = Path("-")


def feed(
    source: Annotated[Path, typer.Argument(help="A journal or a recording.")],
    *,
    out: Annotated[Path, typer.Option(help="The feed's file; its expectation goes beside it.")] = STREAM,
    expect: Annotated[Path | None, typer.Option(help="Another file for the rounds to expect.")] = None,
    table: Annotated[bool, typer.Option("--table", help="As it came to the table's door.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a journal or a recording as a feed, face-down cards included: keep it as you keep the journal.

    `stand17 replay FEED --expect EXPECTATION` gives the same rounds; of a feed made with --table, in which
    cards that waited stand where they came, `stand17 replay --table` gives the same rounds and holds. Each
    line names its reporter. Without --out the feed goes to standard output, and what --json gives to standard
    error. Exit status 0; 1 when an entry does not fit, with the feed up to it; 2 for any other file.
    """
    from controller.replay.files.feed_files import expect_beside

    rounds = expect or (None if is_stream(out) else expect_beside(out))
    outputs = Outputs((source,), force)
    outputs.require_free(out, rounds)
    written, misfit = _feed_of(source, table=table)
    if rounds is not None:
        outputs.write(rounds, written.expect.encode())
    outputs.write(out, written.feed.encode())
    if as_json:
        _print_json(written, misfit, out, rounds)
    elif misfit is not None:
        reason = text(f"misfit.{misfit.code}")
        echo(text("verify.misfit", {"seq": misfit.seq, "reason": reason}), err=True)
    if misfit is not None:
        raise typer.Exit(1)


class FeedFiles(NamedTuple):
    """A feed and its expectation as texts."""

    feed: str
    expect: str


def _feed_of(source: Path, *, table: bool) -> "tuple[FeedFiles, Misfit | None]":
    """The feed of a source, up to its first entry that does not fit, and that entry."""
    from controller.replay.files.feed_files import feed_text, json_lines

    exported = _exported(source)
    if exported is not None:
        return exported, None
    found = _read_source(source)
    lines = found.history.lines if table else found.lines
    written = feed_text(found.header, (*found.carried, *lines))
    return FeedFiles(written, json_lines(found.expected)), found.report.misfit


def _print_json(written: FeedFiles, misfit: "Misfit | None", out: Path, rounds: Path | None) -> None:
    print_answer(
        "feed",
        err=is_stream(out),
        file=None if is_stream(out) else str(out),
        expect=None if rounds is None else str(rounds),
        # Its first line is the header.
        lines=max(written.feed.count("\n") - 1, 0),
        rounds=written.expect.count("\n"),
        misfit=None if misfit is None else {"seq": misfit.seq, "code": misfit.code},
    )


def _exported(source: Path) -> FeedFiles | None:
    """Return the feed of an exported round; None for any other file."""
    from controller.recording.recording_reader import Recording
    from controller.replay.files.feed_files import ROUND_EXPECT, ROUND_FEED
    from controller.replay.files.file_kind import kind_of

    if kind_of(str(source)) != "recording":
        return None
    with Recording(source) as recording:
        parts = [recording.attachments.get(name) for name in (ROUND_FEED, ROUND_EXPECT)]
    feed_part, expect_part = parts
    if feed_part is None or expect_part is None:
        return None
    return FeedFiles(feed_part.decode("utf-8", "replace"), expect_part.decode("utf-8", "replace"))


def _read_source(source: Path) -> "CheckedJournal":
    """Tell the source again. Raises `TableError`, and `ConfigError` NOTHING_TO_REPLAY for other files."""
    from controller.feed.feed_lines import open_feed
    from controller.replay.files.file_kind import kind_of
    from controller.replay.files.journal_check import check_journal, check_recorded_journal

    match kind_of(str(source)):
        case "journal":
            return check_journal(source, lambda _: None)
        case "recording":
            return check_recorded_journal(source)
        case "feed":
            with open_feed(str(source)):
                # What cannot be read at all has its own sentence.
                raise ConfigError("NOTHING_TO_REPLAY", path=str(source))
