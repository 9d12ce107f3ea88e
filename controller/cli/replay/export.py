"""`stand17 export`: one round out of a long recording, to be handed on and to be kept as a test."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import Outputs

if TYPE_CHECKING:
    from controller.journal.entry import Entry
    from controller.replay.files.entry_sources import Clip
    from controller.replay.files.round_export import ExportedRound
    from controller.replay.history.entries_of_round import RecordedRound
    from controller.replay.rounds.dispute import Unrecorded


def export(
    number: Annotated[int, typer.Argument(metavar="ROUND", help="The round's number.", min=1)],
    out: Annotated[Path | None, typer.Option(help="The recording to write, NAME.mcap.")] = None,
    *,
    dispute: Annotated[
        Path | None, typer.Option(help="Write it as a dispute file of the table with this configuration.")
    ] = None,
    recording: Annotated[Path | None, typer.Option(help="A recording, or a folder of them.")] = None,
    journal: Annotated[Path | None, typer.Option(help="A journal, where nothing was recorded.")] = None,
    pictures: Annotated[bool, typer.Option(help="Take the cameras' pictures too.")] = True,
    beside: Annotated[bool, typer.Option("--beside", help="Also write its feed beside it.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Cut one round out: its bytes, its entries, the table before it, its feed and the round to expect.

    With --dispute CONFIG.toml also the rulings on it and the signed heads that vouch for its entries, in the
    table's dispute folder under a name of its own; `stand17 verify FILE --key` checks it.

    `stand17 replay` plays the file. It holds face-down cards and has mode 0600: keep it as you keep the
    journal. Exit status 0; 1 when the round is not as it was, the file shows in what; 2 without such a round.
    """
    from controller.replay.files.feed_files import FEED, expect_beside, feed_text, json_lines
    from controller.replay.history.entries_of_round import round_feed

    if dispute is not None:
        if out or recording or journal or beside or force or not pictures:
            raise ConfigError("EXPORT_DISPUTE_ALONE")
        from controller.cli.replay.dispute import file_dispute

        cut, out, missing = file_dispute(number, dispute)
        _finish(cut, out, missing, as_json=as_json)
    if out is None or out.suffix != ".mcap":
        raise ConfigError("EXPORT_NAME", path=str(out or "--out"))
    outputs = Outputs(tuple(path for path in (recording, journal) if path is not None), force)
    feed = out.with_name(out.stem + FEED) if beside else None
    outputs.require_free(out, *((feed, expect_beside(feed)) if feed else ()))
    source = _source(recording, journal, number, pictures=pictures)
    # A file that is not there is named before the card reader is loaded.
    first = next(source)
    from controller.replay.files.round_export import export_round

    cut = export_round(chain((first,), source), out)
    if feed:
        header, lines, expected = round_feed(cut.found)
        outputs.write(feed, feed_text(header, lines).encode())
        outputs.write(expect_beside(feed), json_lines(expected).encode())
    _finish(cut, out, as_json=as_json)


def _source(
    recording: Path | None, journal: Path | None, number: int, *, pictures: bool
) -> "Iterator[tuple[RecordedRound, Clip]]":
    match recording, journal:
        case Path() as folder, None:
            return _recorded(folder, number, pictures=pictures)
        case None, Path() as file:
            return _journalled(file, number)
        case _:
            raise ConfigError("EXPORT_SOURCE")


def _finish(
    cut: "ExportedRound", out: Path, missing: "Unrecorded | None" = None, *, as_json: bool
) -> NoReturn:
    _print_json(cut, out, missing) if as_json else _print_cut(cut, out, missing)
    raise typer.Exit(1 if cut.differences else 0)


def _recorded(source: Path, number: int, *, pictures: bool) -> "Iterator[tuple[RecordedRound, Clip]]":
    from controller.replay.files.entry_sources import clip_of, is_recorded, recorded_entries, segments_of

    segments = segments_of(source)
    for found in _rounds(recorded_entries(segments[-1]), number):
        if found.first == number or is_recorded(segments, found.entries):
            yield found, clip_of(segments, found.entries, pictures=pictures)


def _journalled(source: Path, number: int) -> "Iterator[tuple[RecordedRound, Clip]]":
    from controller.replay.files.entry_sources import journal_clip, journal_entries

    for found in _rounds(journal_entries(source), number):
        yield found, journal_clip(found.entries, found.start)


def _rounds(entries: "list[Entry]", number: int) -> "Iterator[RecordedRound]":
    """The round alone, then with the earlier rounds that were ruled on while it was played."""
    from controller.replay.history.entries_of_round import find_round

    found = find_round(entries, number)
    yield found
    while found.ruled_on < found.first:
        found = find_round(entries, number, found.ruled_on)
        yield found


def _print_json(cut: "ExportedRound", out: Path, missing: "Unrecorded | None") -> None:
    print_answer(
        "export",
        file=str(out),
        first_round=cut.found.first,
        messages=cut.messages,
        bytes=out.stat().st_size,
        differences=len(cut.differences),
        unrecorded="" if missing is None else missing.code,
    )


def _print_cut(cut: "ExportedRound", out: Path, missing: "Unrecorded | None") -> None:
    size_kb = -(-out.stat().st_size // 1000)
    echo(text("export.written", {"path": str(out), "messages": cut.messages, "size": size_kb}))
    if cut.found.first < cut.found.number:
        echo(text("export.earlier", {"first": cut.found.first, "round": cut.found.number}))
    if missing is not None:
        echo(text("export.unrecorded", {"reason": text(f"error.{missing.code}", missing.params)}))
    code = "export.different" if cut.differences else "replay.equal"
    echo(text(code, {"count": len(cut.differences)} if cut.differences else {}))
