"""Any file of a table, a feed, a journal or a recording, as the lines of a feed.

Files of lines contain face-down cards: they are private.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, NamedTuple

from controller.domain import ConfigError, RuleSet
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.feed.feed_lines import (
    FeedHeader,
    FeedLine,
    MalformedFeed,
    open_feed,
    parse_table_options,
    read_header,
    read_lines,
)
from controller.feed.feed_table import TableStep, from_rules
from controller.feed.replay import Json
from controller.outputs import MCAP, SQLITE
from controller.policy import House
from controller.rules import HOUSES, RuleFile, load_file, load_rules, overridden_file

if TYPE_CHECKING:
    from controller.recording.recording_reader import Recording
    from controller.replay.journal_check import CheckedJournal, CutRound

FileKind = Literal["feed", "journal", "recording"]
_MAGIC: Final[dict[bytes, FileKind]] = {SQLITE: "journal", MCAP: "recording"}


def kind_of(name: str) -> FileKind:
    """Return the kind of a file; an unreadable or other file counts as a feed, whose reader reports it."""
    path = Path(name)
    if not path.is_file():
        # A pipe would wait for its writer, and lose the bytes read here.
        return "feed"
    try:
        with path.open("rb") as stream:
            start = stream.read(16)
    except OSError:
        return "feed"
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "feed")


FEED: Final = ".feed.jsonl"
_EXPECT: Final = ".expect.jsonl"
ROUND_FEED: Final = "feed.jsonl"
ROUND_EXPECT: Final = "expect.jsonl"
"""Attachments of an exported round: the round as a feed, and the round that must come out of it."""


def feed_text(header: FeedHeader, lines: Iterable[FeedLine]) -> str:
    """Write a whole feed."""
    return json_lines([header.to_json(), *(line_json(line) for line in lines)])


def line_json(line: FeedLine) -> Json:
    """Return one line; its own `by` and `second` replace the plain names in the observation."""
    fields = {"by": line.by, "second": line.second}
    named = {name: person for name, person in fields.items() if person is not None}
    return {"t": round(line.t, 6), **to_json(line.obs), **named}


def json_lines(objects: Iterable[Json]) -> str:
    """Write one object a line."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in objects)


def expect_beside(feed: Path) -> Path:
    """Name the expectation that belongs to a feed, as the shipped feeds have theirs."""
    return feed.with_name(feed.name.removesuffix(FEED) + _EXPECT)


def expectation_of(file: str) -> Path | None:
    """The expectation that lies beside a feed (gzip too), as `stand17 feed` writes it; None without one."""
    beside = expect_beside(Path(file.removesuffix(".gz")))
    return beside if str(beside) != file and beside.is_file() else None


Overrides = Mapping[str, tuple[object, object]]
"""By field: what the file says, what the house has."""


def overrides_of(header: FeedHeader, rules: RuleSet, folder: Path) -> Overrides:
    """Return the fields that a header overrides with another value than the house's.

    None for a header that contains the whole house. `rules` are the file's own, `folder` is its folder.
    Raises as `load_rules`.
    """
    if header.irregularities is not None and header.rules not in HOUSES:
        return {}
    house = load_rules(header.rules, {}, folder)
    both = {field: (getattr(rules, field), getattr(house, field)) for field in header.rule_overrides}
    return {field: (says, has) for field, (says, has) in both.items() if says != has}


if TYPE_CHECKING:
    from controller.recording.recording_reader import Recording
    from controller.replay.journal_check import CheckedJournal, CutRound

STANDARD_INPUT: Final = "-"


class ReadFile(NamedTuple):
    """The reports of a table, read whole.

    `lines` are the facts in the order of the rules; `door` are the lines in the order of their arrival at the
    table's door, which is the same for a feed. `at_table`: they came to a table's door, so holds belong to
    them. `history` contains the steps of that table; None for a feed, and for lines to be decided again.
    `outcomes` name the requirements that decide a stake (`RuleFile`).
    """

    name: str
    header: FeedHeader
    rules: RuleSet
    house: House
    outcomes: Mapping[str, tuple[str, ...]]
    lines: tuple[FeedLine, ...]
    door: tuple[FeedLine, ...]
    at_table: bool = False
    history: tuple[TableStep, ...] | None = None
    before: TableState | None = None
    """The table before the first line, where that was no new one."""
    decided: bool = True
    """False where devices were recorded without a table: nothing followed from any line."""
    checked: "CheckedJournal | None" = None
    """The journal, or the recorded one, that the lines were read from; None for a feed."""

    @property
    def table(self) -> str:
        """The table's name, "" where the header has none."""
        return self.header.table or ""

    def by_rules(self) -> "ReadFile":
        """Return the file with the results of the rules alone, as for a feed without a table's door."""
        history = None if self.history is None else tuple(from_rules(step) for step in self.history)
        return self._replace(history=history)

    def again(self) -> "ReadFile":
        """The same lines, to be decided once more."""
        return self._replace(history=None)


def read_table_file(name: str, most: int | None = None, *, devices: bool = False) -> ReadFile:
    """Read a feed (gzip too, `-` is standard input), a journal or a recording.

    `most` limits the lines, entries of a journal, or messages of devices. An exported round is read whole.
    `devices` admits a recording of `stand17 record`, which has no round; without it such a file is refused as
    RECORDING_WITHOUT_TABLE. A journal is read up to its first entry that does not fit. Raises `TableError`, a
    malformed line as `MalformedFeed`.
    """
    match "feed" if name == STANDARD_INPUT else kind_of(name):
        case "journal":
            return _journal(name, most)
        case "recording":
            return _recorded(name, most, devices=devices)
        case "feed":
            with open_feed(name) as stream:
                return _feed(name, stream, Path(name).parent if name != STANDARD_INPUT else Path(), most)


def with_rule_file(file: ReadFile, rules: str) -> ReadFile:
    """Return the same lines under another rule file, or under a shipped house by name.

    Raises `ConfigError` as `controller.rules.load_file`.
    """
    return under(file, load_file(rules, Path()))


def under(opened: ReadFile, file: RuleFile) -> ReadFile:
    """The same lines under a rule file that was read."""
    house = replace(opened.house, profile=file.irregularities)
    return opened.again()._replace(rules=file.rules, house=house, outcomes=file.outcomes)


def with_profile(file: ReadFile, rules: str) -> ReadFile:
    """The same lines by the irregularity profile of another rule file or house, and by their own rules.

    Raises `ConfigError` as `controller.rules.load_file`.
    """
    house = replace(file.house, profile=load_file(rules, Path()).irregularities)
    return file.again()._replace(house=house)


def _feed(name: str, stream: BinaryIO, folder: Path, most: int | None) -> ReadFile:
    header = read_header(stream)
    file = overridden_file(header.rules, header.rule_overrides, header.irregularities, folder)
    try:
        house = House(file.irregularities, parse_table_options(header.table_options))
    except ConfigError as error:
        raise MalformedFeed(1, error) from error
    lines = tuple(islice(read_lines(stream), most))
    return ReadFile(name, header, file.rules, house, file.outcomes, lines, lines)


# What only journals and recordings need, a database and all drivers, is not loaded for a feed.
def _journal(name: str, most: int | None) -> ReadFile:
    from controller.replay.journal_check import check_beginning, check_journal  # noqa: PLC0415 - see above

    path = Path(name)
    return _checked(
        name, check_journal(path, lambda _: None) if most is None else check_beginning(path, most)
    )


def _recorded(name: str, most: int | None, *, devices: bool) -> ReadFile:
    """An exported round goes on from the table that it carries; any other recording is a whole journal."""
    from controller.recording.format import WITHOUT_TABLE  # noqa: PLC0415 - see above
    from controller.recording.recording_reader import Recording  # noqa: PLC0415 - see above
    from controller.replay.journal_check import check_recorded_journal, cut_round  # noqa: PLC0415

    with Recording(Path(name)) as recording:
        if devices and recording.session.mode == WITHOUT_TABLE:
            return _alone(name, recording, most)
        cut = cut_round(recording)
    if cut is None:
        return _checked(name, check_recorded_journal(Path(name), most))
    return one_round(name, cut)


def one_round(name: str, cut: "CutRound") -> ReadFile:
    """A round by itself as the lines of a feed."""
    return _checked(name, cut.checked)._replace(before=cut.before, rules=cut.before.book.rules)


def _alone(name: str, recording: "Recording", most: int | None) -> ReadFile:
    from controller.replay.moments import devices_alone  # noqa: PLC0415 - see above
    from controller.runtime.ledger import house_before_profiles  # noqa: PLC0415 - see above

    header, rules, steps = devices_alone(recording, most)
    lines = tuple(step.line for step in steps)
    file = ReadFile(name, header, rules, house_before_profiles(rules.name), {}, lines, lines)
    return file._replace(history=steps, decided=False)


def _checked(name: str, checked: "CheckedJournal") -> ReadFile:
    opening = checked.ledger.opening
    header = checked.header
    file = overridden_file(header.rules, header.rule_overrides, header.irregularities, Path())
    return ReadFile(
        name,
        header,
        file.rules,
        opening.house,
        file.outcomes,
        checked.lines,
        checked.history.lines,
        # A table that was opened without a profile held nothing by one: its lines are decided by the rules.
        at_table=opening.profiled,
        history=checked.history.steps,
        checked=checked,
    )
