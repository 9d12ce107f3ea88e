"""A feed for the live table's own door: roles, holds, the house's profile and options count."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.domain.errors import ConfigError
from controller.domain.notices import Refused
from controller.domain.rules import RuleSet
from controller.feed.feed_lines import FeedLine, MalformedFeed, in_header, read_header
from controller.feed.header import NO_HEADER, FeedHeader
from controller.feed.repeated_lines import RepeatedLines
from controller.feed.replay import Played, PlayedNotice
from controller.feed.table_options import parse_table_options
from controller.policy import House, Person, TableLine
from controller.policy.allowed.roles import default_person
from controller.policy.state.effects import (
    Alerted,
    CardKept,
    Concluded,
    Effect,
    Held,
    Inferred,
    KeptRuled,
    PayoutNoted,
    Refusal,
    Released,
    Took,
)
from controller.policy.state.line_person import WANTED, person_named
from controller.rules import overridden_file


class TableScript(NamedTuple):
    """A feed opened for the table's door: its rules, what the house has settled, its lines to be read."""

    rules: RuleSet
    house: House
    lines: Iterator[FeedLine]
    header: FeedHeader = NO_HEADER


def open_table_script(stream: BinaryIO, folder: Path) -> TableScript:
    """Header, rules, profile and options of a feed. Raises ConfigError."""
    header = read_header(stream)
    with in_header():
        file = overridden_file(header.rules, header.rule_overrides, header.irregularities, folder)
        rules = file.rules
        options = parse_table_options(header.table_options)
    if options.stand_on_21:
        rules = rules._replace(hit_on_21=False)
    return TableScript(rules, House(file.irregularities, options), iter(RepeatedLines(stream)), header)


def line_at_door(line: FeedLine) -> TableLine:
    """The line as it comes to the door. Raises MalformedFeed for a `by` or `second` that is nobody."""
    obs, by = line.obs, _person(line, "by", line.by)
    second = None if line.second is None else str(_person(line, "second", line.second))
    # Whatever else than a card a camera reports, the felt has shown it.
    shown = by is not None and by.role == "camera" and not isinstance(obs, CardSeen)
    # The mark is 0, the line at the door; a card that has to wait is named by its entry.
    return TableLine(obs, by or default_person(obs), 0, round(line.t * 1000), second, by is not None, shown)


def _person(line: FeedLine, field: str, name: object) -> Person | None:
    if name is None:
        return None
    person = person_named(name) if isinstance(name, str) else None
    if person is None:
        wrong = ConfigError("FEED_FIELD_BAD", field=field, value=str(name)[:80], wanted=WANTED)
        raise MalformedFeed(line.number, wrong)
    return person


def effects_played(effects: Iterable[Effect], lines: Mapping[int, FeedLine]) -> tuple[Played, ...]:
    """What followed from lines, each named by its mark in `lines`."""
    found: list[Played] = []
    for mark, same in groupby(effects, _MARK):
        notices: tuple[PlayedNotice, ...] = ()
        by = ""
        for effect in same:
            notices += _notices(effect)
            if isinstance(effect, Refusal):
                by = str(effect.by)
        found.append(Played(lines[mark], notices, by))
    return tuple(found)


def _notices(effect: Effect) -> tuple[PlayedNotice, ...]:
    match effect:
        case Took(notices=notices):
            return notices
        case Concluded(notice=notice):
            return (notice,)
        case Alerted(alert=alert):
            return (alert,)
        case Refusal(code=code, params=params):
            return (Refused(code, params),)
        case Held() | Released() | Inferred():
            return (effect,)
        case CardKept() | KeptRuled() | PayoutNoted():
            return ()


_MARK: Final = attrgetter("mark")
