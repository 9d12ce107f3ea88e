"""Rounds of a file played once more under other rules or options, each on the table as it stood."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from controller.domain import ConfigError
from controller.engine.state import TableState, new_table
from controller.feed.feed_lines import parse_table_options
from controller.feed.feed_table import rejoined
from controller.replay.files.table_file import ReadFile, with_profile, with_rule_file
from controller.replay.rounds.difference import RoundDifference, diff_rounds
from controller.replay.rounds.played import PlayedRound, door_rules, played_rounds
from controller.runtime.redaction import is_secret


class OtherPlay(NamedTuple):
    """Replacements for a replay: a rule file or house, "" for the file's own; options by name."""

    rules: str = ""
    profile: str = ""
    options: Mapping[str, object] = {}

    def of(self, file: ReadFile) -> ReadFile:
        """The file as it is played then. Raises `ConfigError` for an unknown house, option or value."""
        other = with_rule_file(file, self.rules) if self.rules else file
        other = with_profile(other, self.profile) if self.profile else other
        if not self.options:
            return other
        own = other.house.options._asdict()
        # An option that is None cannot stand in a header.
        given = {name: own[name] for name in own if own[name] is not None} | dict(self.options)
        options = parse_table_options(given)
        return other.again()._replace(house=replace(other.house, options=options))


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


class RoundsCompared(NamedTuple):
    """The differences in two versions of rounds, with the numbers of compared and secret rounds.

    `behind` of them stand behind a round that never ended (`with_rounds_behind`).
    """

    differences: tuple[RoundDifference, ...]
    rounds: int
    left_out: int = 0
    behind: int = 0


def compare_under(
    file: ReadFile, rounds: Sequence[PlayedRound], other: ReadFile, *, at_table: bool
) -> RoundsCompared:
    """Compare the `rounds` of `file` with themselves under the rules, options and profile of `other`.

    A round with a card that was never turned is left out: other rules could open that card, and the payout
    would reveal it.
    """
    open_rounds = [one for one in rounds if not is_secret(one.state)]
    would = rounds_under(file, open_rounds, other, at_table=at_table)
    # A round's result depends on more than its lines, so both rounds are decided again.
    again = at_table or file.history is not None
    was = rounds_under(file, open_rounds, file, at_table=at_table) if again else open_rounds
    differences = tuple(diff_rounds(was, would))
    return RoundsCompared(differences, len(open_rounds), len(rounds) - len(open_rounds))


def rounds_under(
    file: ReadFile, rounds: Sequence[PlayedRound], other: ReadFile, *, at_table: bool
) -> list[PlayedRound]:
    """Return each of the `rounds` of `file` under the rules, options and profile of `other`.

    Each round is played alone: a round that cannot be settled under the other rules would take in all later
    lines.
    """
    return [_round_under(file, played, other, at_table=at_table) for played in rounds]


def _round_under(file: ReadFile, played: PlayedRound, other: ReadFile, *, at_table: bool) -> PlayedRound:
    own = {recorded.line.number: recorded.line for recorded in (*played.lines, *played.later)}
    # In order of arrival, once each, with later rulings on the round.
    lines = tuple(line for _, line in sorted(own.items()))
    script = other.again()._replace(lines=lines, door=lines)
    before = _table_before(file, played, other, at_table=at_table)
    again = played_rounds(script, at_table=at_table, before=before, way=rejoined)
    # Lines that clear the table may begin the next round; without one of its own lines there is no round.
    found = next((one for one in again if one.number == played.number), None)
    return found or PlayedRound(played.number, before, before)


def _table_before(file: ReadFile, played: PlayedRound, other: ReadFile, *, at_table: bool) -> TableState:
    """The table before the round by the other rules, with the limits that had come until then."""
    was, rules = door_rules(file, at_table=at_table), door_rules(other, at_table=at_table)
    before = played.before
    watch = before.watch is not None
    if before == new_table(was, watch=watch):
        return new_table(rules, watch=watch)
    pairs = before.book.rules._asdict().items()
    limits = {
        field: value for field, value in pairs if field.startswith("stake_") and value != getattr(was, field)
    }
    return replace(before, book=replace(before.book, rules=rules._replace(**limits)))
