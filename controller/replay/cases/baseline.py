"""The baseline of a case: replace its expectation by the feed's present rounds, with a reason."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import ConfigError
from controller.feed.replay import ExpectationDifference, Json, compare, read_expectation, round_json
from controller.outputs import Outputs
from controller.replay.files.feed_files import expectation_of, json_lines
from controller.replay.rounds.played import PlayedRound
from controller.runtime.redaction import is_secret

NOTE: Final = "baseline"
"""The type of a line of an expectation that says why it was changed; whoever compares passes over it."""
REASON_MAX: Final = 400
ROUND: Final = "round"


class AcceptedBaseline(NamedTuple):
    """The expectation that was written, how many rounds and values changed, how many rounds stayed secret."""

    expect: Path
    rounds: int
    values: int
    left_out: int


class BaselineReason(NamedTuple):
    """Why, in a person's words; under which rules; when (microseconds since 1970, UTC)."""

    words: str
    rules: str
    utc_us: int


def accept_baseline(
    feed: str, rounds: Sequence[PlayedRound], secret: frozenset[int], reason: BaselineReason
) -> AcceptedBaseline:
    """Replace the expectation by the feed's present rounds, for the fields that the expectation has.

    The old expectation stays in the file, in a line with the reason, below those of earlier changes. `secret`
    rounds, in which a card was never turned, stay as they are: other rules would reveal the card.
    Raises `ConfigError` BASELINE_REASON, CASE_NO_EXPECTATION, BASELINE_SAME, EXPECT_UNREADABLE, or as
    `Outputs.write`; then nothing is written.
    """
    if not 0 < len(reason.words.strip()) <= REASON_MAX:
        raise ConfigError("BASELINE_REASON", limit=REASON_MAX)
    new = new_baseline(feed, rounds, secret)
    path, lines, want, got, found = new.expect, new.lines, new.want, new.got, new.found
    if not found:
        raise ConfigError("BASELINE_SAME", path=str(path))
    merged = [_merged(want[number], got[number]) if number in want else got[number] for number in sorted(got)]
    notes = [one for one in lines if one.get("type", ROUND) != ROUND]
    lines_now = json_lines([*merged, *notes, _note(path, want, found, reason)])
    Outputs((Path(feed),), force=True).write(path, lines_now.encode())
    return AcceptedBaseline(path, len({one.round for one in found}), len(found), new.left_out)


class NewBaseline(NamedTuple):
    """A proposed expectation: the file's lines, its rounds, the feed's present rounds, the differences."""

    expect: Path
    lines: Sequence[Json]
    want: Mapping[int, Json]
    got: Mapping[int, Json]
    found: Sequence[ExpectationDifference]
    left_out: int


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
    return {key: _value(value, got[key]) for key, value in want.items() if key in got} | named


def _value(want: object, got: object) -> object:
    if isinstance(want, dict) and isinstance(got, dict):
        return _merged(want, got)
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [_value(one, other) for one, other in zip(want, got, strict=True)]
    return got


def _note(
    path: Path, want: Mapping[int, Json], found: Sequence[ExpectationDifference], reason: BaselineReason
) -> Json:
    return {
        "type": NOTE,
        "case": path.name.partition(".")[0],
        "at": datetime.fromtimestamp(reason.utc_us / 1e6, UTC).isoformat(timespec="seconds"),
        "rules": reason.rules,
        "reason": reason.words.strip(),
        "changes": [_change(want, one) for one in found],
    }


def _change(want: Mapping[int, Json], found: ExpectationDifference) -> Json:
    """Return the old and new value of a difference; for a missing or new round, the whole round."""
    was = want.get(found.round) if found.key == ROUND else found.expected
    return {"round": found.round, "key": found.key, "was": was, "is": found.actual}
