"""Commands that write feeds and recordings: feed, export, shrink.

A dispute folder holds a table's exported rounds; a file goes when it is over a year old.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from controller.cli.application import AsJson, Force
from controller.cli.output import echo, print_answer
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import FRESH, Outputs, is_stream, not_written

if TYPE_CHECKING:
    from controller.feed.replay import Json
    from controller.journal.checking import Misfit
    from controller.journal.entry import Entry
    from controller.replay.journal_check import CheckedJournal
    from controller.replay.round_entries import Clip, RecordedRound
    from controller.replay.round_export import ExportedRound, Unrecorded
    from controller.replay.shrinking import Candidate, Condition, RoundValue, ShrunkFeed
    from controller.replay.table_file import ReadFile

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
    from controller.replay.table_file import expect_beside

    rounds = expect or (None if is_stream(out) else expect_beside(out))
    outputs = Outputs((source,), force)
    outputs.require_free(out, rounds)
    made, expected, misfit = _feed_of(source, table=table)
    if rounds is not None:
        outputs.write(rounds, expected.encode())
    outputs.write(out, made.encode())
    if as_json:
        print_answer(
            "feed",
            err=is_stream(out),
            file=None if is_stream(out) else str(out),
            expect=None if rounds is None else str(rounds),
            # Its first line is the header.
            lines=max(made.count("\n") - 1, 0),
            rounds=expected.count("\n"),
            misfit=None if misfit is None else {"seq": misfit.seq, "code": misfit.code},
        )
    elif misfit is not None:
        reason = text(f"misfit.{misfit.code}")
        echo(text("verify.misfit", {"seq": misfit.seq, "reason": reason}), err=True)
    if misfit is not None:
        raise typer.Exit(1)


def _feed_of(source: Path, *, table: bool) -> "tuple[str, str, Misfit | None]":
    """The feed of a source and its expectation, up to its first entry that does not fit, and that entry."""
    from controller.replay.table_file import feed_text, json_lines

    exported = _exported(source)
    if exported is not None:
        return *exported, None
    found = _read_source(source)
    lines = found.history.lines if table else found.lines
    written = feed_text(found.header, (*found.carried, *lines))
    return written, json_lines(found.expected), found.report.misfit


def _exported(source: Path) -> tuple[str, str] | None:
    """Return feed and expectation of an exported round; None for any other file."""
    from controller.recording.recording_reader import Recording
    from controller.replay.table_file import ROUND_EXPECT, ROUND_FEED, kind_of

    if kind_of(str(source)) != "recording":
        return None
    with Recording(source) as recording:
        parts = [recording.attachments.get(name) for name in (ROUND_FEED, ROUND_EXPECT)]
    feed_part, expect_part = parts
    if feed_part is None or expect_part is None:
        return None
    return feed_part.decode("utf-8", "replace"), expect_part.decode("utf-8", "replace")


def _read_source(source: Path) -> "CheckedJournal":
    """Tell the source again. Raises `TableError`, and `ConfigError` NOTHING_TO_REPLAY for other files."""
    from controller.feed.feed_lines import open_feed
    from controller.replay.journal_check import check_journal, check_recorded_journal
    from controller.replay.table_file import kind_of

    match kind_of(str(source)):
        case "journal":
            return check_journal(source, lambda _: None)
        case "recording":
            return check_recorded_journal(source)
        case "feed":
            with open_feed(str(source)):
                # What cannot be read at all has its own sentence.
                raise ConfigError("NOTHING_TO_REPLAY", path=str(source))


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
    from controller.replay.round_entries import round_feed
    from controller.replay.table_file import FEED, expect_beside, feed_text, json_lines

    if dispute is not None:
        if out or recording or journal or beside or force or not pictures:
            raise ConfigError("EXPORT_DISPUTE_ALONE")
        cut, out, missing = _file_dispute(number, dispute)
        _finish(cut, out, missing, as_json=as_json)
    if out is None or out.suffix != ".mcap":
        raise ConfigError("EXPORT_NAME", path=str(out or "--out"))
    outputs = Outputs(tuple(path for path in (recording, journal) if path is not None), force)
    feed = out.with_name(out.stem + FEED) if beside else None
    outputs.require_free(out, *((feed, expect_beside(feed)) if feed else ()))
    source = _source(recording, journal, number, pictures=pictures)
    # A file that is not there is named before the card reader is loaded.
    first = next(source)
    from controller.replay.round_export import export_round

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
    _print_cut_json(cut, out, missing) if as_json else _print_cut(cut, out, missing)
    raise typer.Exit(1 if cut.differences else 0)


def _recorded(source: Path, number: int, *, pictures: bool) -> "Iterator[tuple[RecordedRound, Clip]]":
    from controller.replay.round_entries import clip_of, is_recorded, recorded_entries, segments_of

    segments = segments_of(source)
    for found in _rounds(recorded_entries(segments[-1]), number):
        if found.first == number or is_recorded(segments, found.entries):
            yield found, clip_of(segments, found.entries, pictures=pictures)


def _journalled(source: Path, number: int) -> "Iterator[tuple[RecordedRound, Clip]]":
    from controller.replay.round_entries import journal_clip, journal_entries

    for found in _rounds(journal_entries(source), number):
        yield found, journal_clip(found.entries, found.start)


def _rounds(entries: "list[Entry]", number: int) -> "Iterator[RecordedRound]":
    """The round alone, then with the earlier rounds that were ruled on while it was played."""
    from controller.replay.round_entries import find_round

    found = find_round(entries, number)
    yield found
    while found.ruled_on < found.first:
        found = find_round(entries, number, found.ruled_on)
        yield found


def _print_cut_json(cut: "ExportedRound", out: Path, missing: "Unrecorded | None") -> None:
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


_KEEP_DAYS: Final = 366
"""The year that NJ 13:69E-1.31(b) asks for, also where it is a leap year."""

_DAY_S: Final = 24 * 60 * 60


def _file_dispute(number: int, config: Path) -> "tuple[ExportedRound, Path, Unrecorded | None]":
    """Write a round's dispute file; its name says table, day, round and the last entry in it.

    So a later ruling makes a second file, and none is ever written again. The last one tells why bytes or
    pictures are missing. Raises `TableError`, `ConfigError`
    ROUND_FACE_DOWN while a card of the round is a secret.
    """
    from controller.config import load_config
    from controller.devices.kept import journal_id, recordings_folder
    from controller.journal.heads import heads_beside
    from controller.replay.round_entries import journal_entries
    from controller.replay.round_export import disputed_round, export_round

    settings = load_config(config)
    journal, recordings = settings.journal.file, recordings_folder(settings)
    folder = settings.journal.dispute_folder or settings.journal.undated.with_suffix(".disputes")
    if folder.resolve().is_relative_to(recordings.resolve()):
        raise ConfigError("DISPUTES_IN_RING", path=str(folder))
    entries = journal_entries(journal)
    disputed = disputed_round(entries, number)
    day = datetime.fromtimestamp(disputed.found.entries[0].at_utc_us / 1e6, UTC).date()
    name = f"{settings.table.name}-{day}-round-{number}-entry-{disputed.seqs[-1]}.mcap"
    out = folder / name.replace(os.sep, "_")
    if out.exists():
        raise ConfigError("DISPUTE_FILED", path=str(out))
    FRESH.require_free(out)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder, f"{settings.table.name}-".replace(os.sep, "_"), entries[-1].at_utc_us // 10**6)
    except OSError as error:
        raise not_written(folder, error) from error
    clip, missing = disputed.clip(recordings, journal_id(entries[0]), tuple(heads_beside(journal)))
    cut = export_round([(disputed.found, clip)], out)
    # Its age counts from here on, not from the round.
    os.utime(out)
    return cut, out, missing


def _forget_old(folder: Path, prefix: str, now_utc_s: int) -> None:
    """Remove this table's files of more than a year.

    Their age is measured by the journal's last entry, whose time the table has checked: a wrong clock of the
    machine removes nothing.
    """
    for path in folder.glob("*-round-*-entry-*.mcap"):
        if path.name.startswith(prefix) and path.lstat().st_mtime < now_utc_s - _KEEP_DAYS * _DAY_S:
            path.unlink()


PLACE = "{}"
"""Where a command has the feed's path."""


def shrink_feed(
    file: Annotated[str, typer.Argument(help="A feed, a journal, a recording; - is a feed.")],
    when: Annotated[str | None, typer.Option(help="alert=CODE, hold=CODE, refused=CODE, differs ...")] = None,
    *,
    command: Annotated[str | None, typer.Option(help="Or: a command ends as it does on FILE.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The feed to write.")] = Path("-"),
    number: Annotated[int | None, typer.Option("--round", min=1, help="This round is meant.")] = None,
    expect: Annotated[Path | None, typer.Option(help="differs: from these rounds.")] = None,
    rules: Annotated[str | None, typer.Option(help="differs: from this rule file or house.")] = None,
    table: Annotated[bool, typer.Option("--table", help="Through a live table's door.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tell the sizes as one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Shrink a feed to the smallest one that still satisfies a condition: rounds first, then lines.

    Conditions: alert=CODE, hold=CODE (at a table's door), refused=CODE, dispute=CODE, differs (from the
    expectation beside the file, --expect or --rules), and the amounts of box 3 together: paid[3]!=30.00
    (handed back), due[3]!=30.00, difference[3]!=0.00 (handed back less due); also == < > <= >=.
    With --command a shell command, {} standing for the feed's path, has to end with the same status as on the
    whole file. The smaller feed causes no complaint that the file does not cause.

    Without --out the feed goes to standard output. It may hold face-down cards: mode 0600. Exit status 0; 1
    when the file does not show it; 2 when it cannot be read.
    """
    from controller.replay.kept_cases import portable
    from controller.replay.shrinking import NothingReproduced, needs_table, shrink
    from controller.replay.table_file import feed_text, read_table_file

    opened = read_table_file(file)
    outputs = Outputs(_inputs(opened, expect, rules), force)
    outputs.require_free(*_written(out))
    at_table = table or opened.at_table or (when is not None and needs_table(when))
    expected = _expected(file, expect)
    condition = _condition(
        opened, when, command, number=number, expect=expected, rules=rules, at_table=at_table
    )
    try:
        small = shrink(opened, condition, at_table=at_table)
    except NothingReproduced:
        if as_json:
            print_answer("not_shown", err=True, file=file)
        else:
            echo(text("shrink.not_shown", {"file": file}), err=True)
        raise typer.Exit(1) from None
    header = portable(small.candidate.file, file, out)
    outputs.write(out, feed_text(header, small.lines).encode())
    for beside in _written(out)[1:]:
        outputs.write(beside, _expected_rounds(small, condition).encode())
    _print_small(opened, small, at_table=at_table, as_json=as_json)


def _written(out: Path) -> tuple[Path, ...]:
    """The feed and, beside a file, its expectation."""
    from controller.replay.table_file import expect_beside

    return (out,) if is_stream(out) else (out, expect_beside(out))


def _inputs(file: "ReadFile", expect: Path | None, rules: str | None) -> tuple[Path, ...]:
    """Everything that is read: the file, its rule file, the rounds and the rules that it is held against."""
    own = Path(file.name).parent / file.header.rules
    named = (expect, None if rules is None else Path(rules))
    return (Path(file.name), own, *(path for path in named if path is not None))


def _expected(file: str, expect: Path | None) -> Path | None:
    from controller.replay.table_file import STANDARD_INPUT, expectation_of

    return expect or (None if file == STANDARD_INPUT else expectation_of(file))


def _condition(
    file: "ReadFile",
    when: str | None,
    command: str | None,
    *,
    number: int | None,
    expect: Path | None,
    rules: str | None,
    at_table: bool,
) -> "Condition":
    """The condition to keep, by the options; `differs` is compared with the rounds of `expect`."""
    from controller.feed.replay import load_expected
    from controller.replay.shrinking import DIFFERS, ExpectedRounds, OtherRules, parse_condition

    if (when is None) == (command is None):
        raise ConfigError("SHRINK_HOW")
    if command is not None:
        return CommandStatus(command, file)
    if when != DIFFERS:
        return parse_condition(when or "", number)
    if rules is not None:
        return OtherRules(rules, number, at_table=at_table)
    if expect is None:
        raise ConfigError("SHRINK_EXPECTATION", file=file.name)
    return ExpectedRounds(load_expected(expect), number)


class CommandStatus:
    """Holds where a shell command ends with the status that it ended with on the whole file."""

    def __init__(self, command: str, file: "ReadFile") -> None:
        """`command` has `{}` where the feed's path goes, else it goes to the end."""
        self._command = command if PLACE in command else f"{command} {PLACE}"
        self._name = file.name
        self._status: int | None = None

    def __call__(self, candidate: "Candidate") -> int | None:
        """Run the command on a candidate; return its last round's number, None for another status."""
        from controller.replay.kept_cases import portable
        from controller.replay.table_file import feed_text

        with tempfile.TemporaryDirectory() as folder:
            feed = Path(folder) / "smaller.feed.jsonl"
            header = portable(candidate.file, self._name, feed)
            FRESH.write(feed, feed_text(header, candidate.file.lines).encode())
            done = subprocess.run(
                self._command.replace(PLACE, str(feed)),
                shell=True,
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        if self._status is None:
            self._status = done.returncode
        same = done.returncode == self._status and self._status != 0
        return candidate.rounds[-1].number if same and candidate.rounds else None


def _expected_rounds(small: "ShrunkFeed", condition: "Condition") -> str:
    """The feed's rounds as they are, with the one value that was expected in its place."""
    from controller.feed.replay import Json, round_json
    from controller.replay.shrinking import ExpectedRounds, OtherRules
    from controller.replay.table_file import json_lines

    found = condition.found if isinstance(condition, ExpectedRounds | OtherRules) else None
    results = [round_json(played.result) for played in small.candidate.rounds if played.result is not None]
    rounds: list[Json] = json.loads(json.dumps(results))
    for recorded in rounds:
        if found is not None and recorded["round"] == small.round:
            where = _owner(recorded, found)
            where[found.field] = found.expected
            where.pop("net", None)
    return json_lines(rounds)


def _owner(fields: "Json", found: "RoundValue") -> "Json":
    """The part of a `round` object that has the value."""
    from controller.feed.replay import Json

    if not found.box:
        dealer: Json = fields["dealer"]
        return dealer if found.field == "cards" else fields
    rows, key = (fields["hands"], "hand") if found.field == "cards" else (fields["bets"], "seat")
    return next(row for row in rows if (row["box"], row[key]) == (found.box, found.seat))


def _print_small(file: "ReadFile", small: "ShrunkFeed", *, at_table: bool, as_json: bool) -> None:
    """The sizes, on standard error: the feed may be on standard output."""
    sizes: dict[str, int] = {
        "lines_before": len(file.door if at_table else file.lines),
        "lines": len(small.lines),
        "rounds": len(small.candidate.rounds),
        "tries": small.tries,
    }
    if as_json:
        print_answer("shrunk", err=True, **sizes)
    else:
        echo(text("shrink.sizes", {**sizes}), err=True)
