"""`stand17 shrink`: the smallest feed that still shows something."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import Force
from controller.cli.output import echo
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import FRESH, Outputs, is_stream

if TYPE_CHECKING:
    from controller.feed.replay import Json
    from controller.replay.cases.conditions import RoundValue
    from controller.replay.cases.shrinking import Candidate, Condition, ShrunkFeed
    from controller.replay.files.table_file import ReadFile


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
    from controller.replay.cases.conditions import needs_table
    from controller.replay.cases.keep_case import portable
    from controller.replay.cases.shrinking import NothingReproduced, shrink
    from controller.replay.files.feed_files import feed_text
    from controller.replay.files.table_file import read_table_file

    opened = read_table_file(file)
    outputs = Outputs(_inputs(opened, expect, rules), force)
    outputs.require_free(*_written(out))
    at_table = table or opened.at_table or (when is not None and needs_table(when))
    condition = _condition(
        opened, ShrinkGoal(when, command, number, _expected(file, expect), rules), at_table=at_table
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
    from controller.replay.files.feed_files import expect_beside

    return (out,) if is_stream(out) else (out, expect_beside(out))


def _inputs(file: "ReadFile", expect: Path | None, rules: str | None) -> tuple[Path, ...]:
    """Everything that is read: the file, its rule file, the rounds and the rules that it is held against."""
    own = Path(file.name).parent / file.header.rules
    named = (expect, None if rules is None else Path(rules))
    return (Path(file.name), own, *(path for path in named if path is not None))


def _expected(file: str, expect: Path | None) -> Path | None:
    from controller.replay.files.feed_files import expectation_of
    from controller.replay.files.table_file import STANDARD_INPUT

    return expect or (None if file == STANDARD_INPUT else expectation_of(file))


class ShrinkGoal(NamedTuple):
    """The condition to keep, by the options; `differs` is compared with the rounds of `expect`."""

    when: str | None
    command: str | None
    number: int | None
    expect: Path | None
    rules: str | None


def _condition(file: "ReadFile", wanted: ShrinkGoal, *, at_table: bool) -> "Condition":
    from controller.feed.replay import load_expected
    from controller.replay.cases.conditions import DIFFERS, ExpectedRounds, OtherRules, parse_condition

    if (wanted.when is None) == (wanted.command is None):
        raise ConfigError("SHRINK_HOW")
    if wanted.command is not None:
        return CommandStatus(wanted.command, file)
    if wanted.when != DIFFERS:
        return parse_condition(wanted.when or "", wanted.number)
    if wanted.rules is not None:
        return OtherRules(wanted.rules, wanted.number, at_table=at_table)
    if wanted.expect is None:
        raise ConfigError("SHRINK_EXPECTATION", file=file.name)
    return ExpectedRounds(load_expected(wanted.expect), wanted.number)


class CommandStatus:
    """Holds where a shell command ends with the status that it ended with on the whole file."""

    def __init__(self, command: str, file: "ReadFile") -> None:
        """`command` has `{}` where the feed's path goes, else it goes to the end."""
        self._command = command if PLACE in command else f"{command} {PLACE}"
        self._name = file.name
        self._status: int | None = None

    def __call__(self, candidate: "Candidate") -> int | None:
        """Run the command on a candidate; return its last round's number, None for another status."""
        from controller.replay.cases.keep_case import portable
        from controller.replay.files.feed_files import feed_text

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
    from controller.replay.cases.conditions import ExpectedRounds, OtherRules
    from controller.replay.files.feed_files import json_lines

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
