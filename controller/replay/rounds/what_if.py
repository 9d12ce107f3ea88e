"""What a round would come to with other cards, decisions, stakes, rules or options. Nothing is stored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from controller.domain.errors import ConfigError
from controller.domain.money import Money
from controller.feed.codec import parse, to_json
from controller.feed.feed_lines import FeedLine
from controller.feed.json_report import Json
from controller.feed.table_options import parse_table_options
from controller.replay.files.table_file import ReadFile, with_profile, with_rule_file
from controller.replay.rounds.difference import RoundDifference, diff_rounds
from controller.replay.rounds.other_rules import lines_of, round_under
from controller.replay.rounds.played import PlayedRound
from controller.rules import with_overrides

KIND: Final = "obs"
"""What a line tells of stays what it is: a card is another card, never a decision."""


class LineChange(NamedTuple):
    """Fields of a line in their new form; `fields` None leaves the line out."""

    line: int
    fields: Mapping[str, object] | None


class RoundChange(NamedTuple):
    """Everything that is to be otherwise; rule fields and options by their names in files."""

    lines: Sequence[LineChange] = ()
    rules: Mapping[str, object] = {}
    options: Mapping[str, object] = {}


class MovedMoney(NamedTuple):
    """What a bettor put up and got back, as it was and as it would have been."""

    box: int
    seat: int
    staked: Money
    returned: Money
    staked_if: Money
    returned_if: Money


class WhatIf(NamedTuple):
    """The bettors of the round, those that lose or win nothing by the change too, and what differs."""

    money: tuple[MovedMoney, ...]
    differences: tuple[RoundDifference, ...]


def what_if(file: ReadFile, played: PlayedRound, change: RoundChange, *, at_table: bool) -> WhatIf:
    """Play one round with the change beside the same round without it, both on the table as it stood.

    Raises `ConfigError` for a field, a value or an option that there is not, and WHAT_IF_LINE for a line that
    is not of this round.
    """
    lines = lines_of(played)
    other = _changed(file, change)
    was = round_under(file, played, file, lines, at_table=at_table)
    would = round_under(file, played, other, _lines(lines, change.lines), at_table=at_table)
    return WhatIf(tuple(_money(was, would)), tuple(diff_rounds([was], [would])))


def _changed(file: ReadFile, change: RoundChange) -> ReadFile:
    rules = with_overrides(file.rules, change.rules)
    return with_options(file.again()._replace(rules=rules), change.options)


class OtherPlay(NamedTuple):
    """By what else a file is played: rule files or houses, "" its own; options by their names in files."""

    rules: str = ""
    profile: str = ""
    options: Mapping[str, object] = {}

    def of(self, file: ReadFile) -> ReadFile:
        """The file as it is played then. Raises `ConfigError` for what there is not."""
        other = with_rule_file(file, self.rules) if self.rules else file
        other = with_profile(other, self.profile) if self.profile else other
        return with_options(other, self.options)


def with_options(file: ReadFile, options: Mapping[str, object]) -> ReadFile:
    """The same lines at a table with these options otherwise. Raises `ConfigError` FEED_FIELD_BAD."""
    if not options:
        return file
    own = file.house.options._asdict()
    # An option that is None cannot stand in a header.
    parsed = parse_table_options({name: own[name] for name in own if own[name] is not None} | dict(options))
    return file.again()._replace(house=replace(file.house, options=parsed))


def parse_options(words: Sequence[str]) -> dict[str, object]:
    """Options as they are typed: `name=value`, the value as JSON, else as a word.

    Raises `ConfigError` OPTION_BAD.
    """
    found: dict[str, object] = {}
    for one in words:
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ConfigError("OPTION_BAD", option=one)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _lines(lines: Sequence[FeedLine], changes: Sequence[LineChange]) -> list[FeedLine]:
    wanted = {change.line: change.fields for change in changes}
    missing = wanted.keys() - {line.number for line in lines}
    if missing:
        raise ConfigError("WHAT_IF_LINE", line=min(missing))
    new = [_line(line, wanted[line.number]) if line.number in wanted else line for line in lines]
    return [line for line in new if line is not None]


def _line(line: FeedLine, fields: Mapping[str, object] | None) -> FeedLine | None:
    if fields is None:
        return None
    known = line.obs._fields
    for field in fields:
        # A reader of feeds passes over what it does not know; here it is a slip of the pen.
        if field == KIND or field not in known:
            raise ConfigError("WHAT_IF_FIELD", field=field, known=", ".join(known))
    recorded: Json = {**to_json(line.obs), **fields}
    return line._replace(obs=parse(recorded))


def _money(was: PlayedRound, would: PlayedRound) -> list[MovedMoney]:
    before, after = _amounts(was), _amounts(would)
    nothing = Money(0), Money(0)
    return [
        MovedMoney(*who, *before.get(who, nothing), *after.get(who, nothing))
        for who in sorted({*before, *after})
    ]


def _amounts(played: PlayedRound) -> dict[tuple[int, int], tuple[Money, Money]]:
    """What each bettor staked and got back; nothing where the round has no result."""
    bets = () if played.result is None else played.result.bets
    return {(bet.box, bet.seat): (bet.staked, bet.returned) for bet in bets}
