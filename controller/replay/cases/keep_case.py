"""A round kept as a case: the smallest feed that shows it, with its expectation, ready for `tests/`."""

import json
import re
from os.path import relpath
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import ConfigError
from controller.feed.feed_lines import FeedHeader
from controller.feed.replay import round_json
from controller.outputs import FRESH
from controller.replay.cases.shrinking import Candidate, Condition, NothingReproduced, shrink
from controller.replay.files.feed_files import FEED, expect_beside, feed_text, json_lines
from controller.replay.files.table_file import STANDARD_INPUT, ReadFile
from controller.replay.rounds.compared_facts import FactName, complaint_of
from controller.replay.rounds.played import PlayedRound
from controller.rules import HOUSES

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,79}")
"""How the feeds of the tests are called."""


class KeptCase(NamedTuple):
    """The feed that was written, its expectation beside it, and how many lines are left of the round."""

    feed: Path
    expect: Path
    lines: int
    lines_before: int


def keep_case(file: ReadFile, played: PlayedRound, folder: Path, name: str, *, at_table: bool) -> KeptCase:
    """Write the smallest feed in which the round has all its complaints, or ends as it did where it has none.

    Both files have mode 0600: they may hold face-down cards. Nothing is overwritten. Raises `ConfigError`
    CASE_NAME, CASE_EXISTS, CASE_NOT_SHOWN or as `Outputs.write`.
    """
    if NAME.fullmatch(name) is None:
        raise ConfigError("CASE_NAME", name=name)
    feed = folder / f"{name}{FEED}"
    if feed.exists() or expect_beside(feed).exists():
        raise ConfigError("CASE_EXISTS", path=str(feed))
    try:
        small = shrink(file, _shows(played), at_table=at_table)
    except NothingReproduced:
        raise ConfigError("CASE_NOT_SHOWN", round=played.number) from None
    header = portable(small.candidate.file, file.name, feed)
    results = [round_json(one.result) for one in small.candidate.rounds if one.result is not None]
    FRESH.write(feed, feed_text(header, small.lines).encode())
    FRESH.write(expect_beside(feed), json_lines(json.loads(json.dumps(results))).encode())
    return KeptCase(feed, expect_beside(feed), len(small.lines), len(played.lines))


def portable(opened: ReadFile, file: str, out: Path | None) -> FeedHeader:
    """The header, its rule file named from where the new feed lies."""
    header = opened.header
    if header.rules in HOUSES:
        return header
    folder = Path() if file == STANDARD_INPUT else Path(file).parent
    return header._replace(rules=relpath(folder / header.rules, Path() if out is None else out.parent))


def _shows(played: PlayedRound) -> Condition:
    complaints, ending = _complaints(played), _ending(played)

    def condition(candidate: Candidate) -> int | None:
        for one in candidate.rounds:
            if candidate.numbers.get(one.number) == played.number:
                same = _complaints(one) >= complaints if complaints else _ending(one) == ending
                return one.number if same else None
        return None

    return condition


def _complaints(played: PlayedRound) -> frozenset[FactName]:
    named = (complaint_of(notice) for _, notice in played.notices)
    return frozenset(name for name in named if name is not None)


def _ending(played: PlayedRound) -> object:
    """The status and every bettor's amounts."""
    return None if played.result is None else (played.result.status, played.result.bets)
