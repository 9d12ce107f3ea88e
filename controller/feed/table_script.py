"""A feed for the live table's own door: roles, holds, the house's profile and options count."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

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
from controller.rules import load_file, with_overrides


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
        file = load_file(header.rules, folder)
        rules = with_overrides(file.rules, header.rule_overrides)
        options = parse_table_options(header.table_options)
    if options.stand_on_21:
        rules = rules._replace(hit_on_21=False)
    return TableScript(rules, House(file.irregularities, options), iter(RepeatedLines(stream)), header)


def line_at_door(line: FeedLine) -> TableLine:
    """The line as it comes to the door. Raises MalformedFeed for a `by` or `second` that is nobody."""
    by, second = _person(line, "by", line.by), _person(line, "second", line.second)
    return TableLine(
        line.obs,
        by or default_person(line.obs),
        # Named by whoever brings it; a card that has to wait is named by its entry.
        0,
        round(line.t * 1000),
        None if second is None else str(second),
        named=by is not None,
        # Whatever else than a card a camera reports, the felt has shown it.
        shown=by is not None and by.role == "camera" and not isinstance(line.obs, CardSeen),
    )


def _person(line: FeedLine, field: str, name: object) -> Person | None:
    if name is None:
        return None
    person = person_named(name) if isinstance(name, str) else None
    if person is None:
        wrong = ConfigError("FEED_FIELD_BAD", field=field, value=str(name)[:80], wanted=WANTED)
        raise MalformedFeed(line.number, wrong)
    return person


def effects_played(effects: Iterable[Effect], lines: Mapping[int, FeedLine]) -> Iterator[Played]:
    """What followed from lines, each named by its mark in `lines`."""
    for mark, same in groupby(effects, lambda effect: effect.mark):
        group = tuple(same)
        by = next((str(effect.by) for effect in group if isinstance(effect, Refusal)), "")
        yield Played(lines[mark], tuple(_notices(group)), by)


def _notices(effects: Iterable[Effect]) -> Iterator[PlayedNotice]:
    for effect in effects:
        match effect:
            case Took(notices=notices):
                yield from notices
            case Concluded(notice=notice):
                yield notice
            case Alerted(alert=alert):
                yield alert
            case Refusal(code=code, params=params):
                yield Refused(code, params)
            case Held() | Released() | Inferred():
                yield effect
            case CardKept() | KeptRuled() | PayoutNoted():
                pass
