"""A round kept as a case: the smallest feed that shows it, its expectation, its check, its new baseline."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import ConfigError, TableError
from controller.feed.feed_lines import FeedHeader, MalformedFeed
from controller.feed.replay import (
    ExpectationDifference,
    Json,
    compare,
    load_expected,
    read_expectation,
    round_json,
)
from controller.feed.text_report import value_words
from controller.i18n import text
from controller.outputs import FRESH, Outputs
from controller.replay.difference import FactName, complaint_of
from controller.replay.played import PlayedRound, played_rounds
from controller.replay.shrinking import Candidate, Condition, NothingReproduced, shrink
from controller.replay.table_file import (
    FEED,
    STANDARD_INPUT,
    ReadFile,
    expect_beside,
    expectation_of,
    feed_text,
    json_lines,
    kind_of,
    read_table_file,
    with_rule_file,
)
from controller.rules import HOUSES
from controller.runtime.redaction import is_secret

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,79}")
"""How the feeds of the tests are called."""


def keep_case(
    file: ReadFile, played: PlayedRound, folder: Path, name: str, *, at_table: bool
) -> tuple[Path, int]:
    """Write the smallest feed in which the round has all its complaints, or ends as it did where it has none.

    Return the feed, whose expectation is beside it, and how many lines are left of the round. Both files
    have mode 0600: they may hold face-down cards. Nothing is overwritten. Raises `ConfigError`
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
    return feed, len(small.lines)


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


NOTE: Final = "baseline"
"""The type of a line of an expectation that says why it was changed; whoever compares passes over it."""
REASON_MAX: Final = 400
ROUND: Final = "round"


class NewBaseline(NamedTuple):
    """A proposed expectation: the file's lines, its rounds, the feed's present rounds, the differences."""

    expect: Path
    lines: Sequence[Json]
    want: Mapping[int, Json]
    got: Mapping[int, Json]
    found: Sequence[ExpectationDifference]
    left_out: int


def accept_baseline(
    feed: str, rounds: Sequence[PlayedRound], secret: frozenset[int], *, reason: str, rules: str, utc_us: int
) -> NewBaseline:
    """Replace the expectation by the feed's present rounds, for the fields that the expectation has.

    The old expectation stays in the file, in a line with the reason in a person's words, the rules and the
    time (microseconds since 1970, UTC), below those of earlier changes. `secret`
    rounds, in which a card was never turned, stay as they are: other rules would reveal the card.
    Raises `ConfigError` BASELINE_REASON, CASE_NO_EXPECTATION, BASELINE_SAME, EXPECT_UNREADABLE, or as
    `Outputs.write`; then nothing is written.
    """
    if not 0 < len(reason.strip()) <= REASON_MAX:
        raise ConfigError("BASELINE_REASON", limit=REASON_MAX)
    new = new_baseline(feed, rounds, secret)
    path, lines, want, got, found, _ = new
    if not found:
        raise ConfigError("BASELINE_SAME", path=str(path))
    merged = [_merged(want[number], got[number]) if number in want else got[number] for number in sorted(got)]
    notes = [one for one in lines if one.get("type", ROUND) != ROUND]
    note = {
        "type": NOTE,
        "case": path.name.partition(".")[0],
        "at": datetime.fromtimestamp(utc_us / 1e6, UTC).isoformat(timespec="seconds"),
        "rules": rules,
        "reason": reason.strip(),
        "changes": [_change(want, one) for one in found],
    }
    lines_now = json_lines([*merged, *notes, note])
    Outputs((Path(feed),), force=True).write(path, lines_now.encode())
    return new


def new_baseline(feed: str, rounds: Sequence[PlayedRound], secret: frozenset[int]) -> NewBaseline:
    """Hold these rounds of the feed against its expectation, `secret` ones as they are; nothing is written.

    Raises `ConfigError` CASE_NO_EXPECTATION or EXPECT_UNREADABLE.
    """
    path = expectation_of(feed)
    if path is None:
        raise ConfigError("CASE_NO_EXPECTATION", file=feed)
    lines = read_expectation(path)
    want = {int(one.get(ROUND, 0)): one for one in lines if one.get("type", ROUND) == ROUND}
    hidden = secret | {one.number for one in rounds if is_secret(one.state)}
    got = {number: recorded for number, recorded in _results(rounds).items() if number not in hidden}
    got |= {number: want[number] for number in hidden & want.keys()}
    found = list(compare([_bare(one) for one in want.values()], [_bare(one) for one in got.values()]))
    return NewBaseline(path, lines, want, got, found, len(hidden))


def _results(rounds: Sequence[PlayedRound]) -> dict[int, Json]:
    """The `round` objects as they stand in a file."""
    results = [round_json(one.result) for one in rounds if one.result is not None]
    return {recorded[ROUND]: recorded for recorded in json.loads(json.dumps(results))}


def _bare(fields: Json) -> Json:
    """With one feed beside it, the name that an expectation gives it does not matter."""
    return {**fields, "feed": ""}


def _merged(want: Json, got: Json) -> Json:
    """Return the new values of the fields in the expectation; it gains no field."""
    named = {"feed": want["feed"]} if "feed" in want else {}
    return {key: _new_value(value, got[key]) for key, value in want.items() if key in got} | named


def _new_value(want: object, got: object) -> object:
    if isinstance(want, dict) and isinstance(got, dict):
        return _merged(want, got)
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [_new_value(one, other) for one, other in zip(want, got, strict=True)]
    return got


def _change(want: Mapping[int, Json], found: ExpectationDifference) -> Json:
    """Return the old and new value of a difference; for a missing or new round, the whole round."""
    was = want.get(found.round) if found.key == ROUND else found.expected
    return {"round": found.round, "key": found.key, "was": was, "is": found.actual}


def case_faults(
    file: str, expect: Path | None, *, rules: str | None = None, table: bool = False
) -> list[str]:
    """Check a feed against its expectation, or a recording (`expect` None); return a sentence per difference.

    `rules` is a rule file or house that replaces the feed's own; `table`: play it through a table's door. An
    unreadable file is a difference.
    """
    try:
        if expect is None and kind_of(file) == "recording":
            return _recording_faults(Path(file))
        return _feed_faults(file, expect, rules, table=table)
    except TableError as error:
        line = f":{error.line}" if isinstance(error, MalformedFeed) else ""
        return [f"{file}{line}: {text(f'error.{error.code}', dict(error.params))}"]


def _feed_faults(name: str, expect: Path | None, rules: str | None, *, table: bool) -> list[str]:
    file = read_table_file(name)
    if rules is not None:
        file = with_rule_file(file, rules)
    expected = [] if expect is None else load_expected(expect)
    played = played_rounds(file, at_table=table)
    results = [round_json(one.result) for one in played if one.result is not None]
    found = compare([{**one, "feed": ""} for one in expected], [{**one, "feed": ""} for one in results])
    rounds = {int(one["round"]): one for one in results}
    rows = [one.placed(rounds.get(one.round, {})) for one in found]
    currency = file.header.currency
    return [f"{text('diff.round', {'round': row['round']})}: {value_words(row, currency)}" for row in rows]


def _recording_faults(path: Path) -> list[str]:
    # Drivers and the card reader are loaded for a recording alone.
    from controller.recording.recording_reader import Recording  # noqa: PLC0415 - see above
    from controller.replay.devices import sentence_of  # noqa: PLC0415 - see above
    from controller.replay.recording_replayer import RecordingReplayer  # noqa: PLC0415 - see above

    with Recording(path) as recording:
        replayer = RecordingReplayer(recording)
        for _ in replayer.play():
            pass
    return [sentence_of(found.to_json(replayer.secret)) for found in replayer.differences]
