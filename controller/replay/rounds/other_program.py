"""Rounds as another installed stand17 settles them: its `replay --json` beside this program's own."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from controller.domain.errors import ConfigError
from controller.feed.json_report import Json
from controller.replay.files.table_file import ToldFile
from controller.replay.rounds.difference import RoundDifference, diff_facts
from controller.replay.rounds.facts import FactKind, FactName, FactsByName, RoundFact, facts_of
from controller.replay.rounds.other_rules import RoundsCompared
from controller.replay.rounds.played import PlayedRound
from controller.runtime.redaction import is_secret

PATIENCE_S: Final = 3600
"""A program that has not played the file by then hangs; a month of a table takes minutes."""

ENDED: Final = frozenset((0, 1))
"""What `replay` ends with when it has played the file: as it was, or otherwise."""

COMPLAINTS: Final[tuple[FactKind, ...]] = ("refused", "alert", "hold", "dispute")
RESULTS: Final[tuple[FactKind, ...]] = ("cards", "dealer", "status", "outcome", "staked", "returned")


def compare_program(
    told: ToldFile, rounds: Sequence[PlayedRound], program: Path, *, at_table: bool
) -> RoundsCompared:
    """Hold the `rounds` of a file, as this program plays them, against what the other program makes of it.

    Compared are cards, results and amounts; of a feed also what was refused, told and held: there both number
    the same lines. A round with a card that was never turned is left out.

    Raises `ConfigError` PROGRAM_FAILED.
    """
    objects = list(_objects(program, told.name, at_table=at_table and not told.at_table))
    open_rounds = [one for one in rounds if not is_secret(one.state)]
    complains = not told.at_table
    results = {int(one["round"]): one for one in objects if one.get("type") == "round"}
    places = {told_line.line.number: one.number for one in rounds for told_line in (*one.lines, *one.later)}
    complaints = _complaints(objects, places) if complains else {}
    kinds = {*RESULTS, *(COMPLAINTS if complains else ())}
    found: list[RoundDifference] = []
    for one in open_rounds:
        want = {name: fact for name, fact in facts_of(one).items() if name.kind in kinds}
        got = {**complaints.get(one.number, {}), **_result(results.get(one.number))}
        found += diff_facts(one.number, want, got)
    return RoundsCompared(tuple(found), len(open_rounds), len(rounds) - len(open_rounds))


def _objects(program: Path, name: str, *, at_table: bool) -> Iterator[Json]:
    words = [str(program), "replay", name, "--json", *(["--table"] if at_table else [])]
    try:
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise ConfigError("PROGRAM_FAILED", program=str(program), reason=str(error)) from error
    if done.returncode not in ENDED:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise ConfigError("PROGRAM_FAILED", program=str(program), reason=reason)
    try:
        yield from (json.loads(line) for line in done.stdout.splitlines())
    except ValueError as error:
        raise ConfigError("PROGRAM_FAILED", program=str(program), reason=str(error)) from error


def _complaints(objects: Iterable[Json], places: dict[int, int]) -> dict[int, FactsByName]:
    """How often what was complained of in which round, by the lines that it was told with."""
    found: dict[int, Counter[FactName]] = {}
    for one in objects:
        number = places.get(one.get("line", 0))
        for kind in COMPLAINTS:
            if number is not None and one.get("type") == kind:
                found.setdefault(number, Counter())[FactName(kind, code=one["code"])] += 1
    return {
        number: {name: RoundFact((str(count),)) for name, count in counted.items()}
        for number, counted in found.items()
    }


def _result(told: Json | None) -> FactsByName:
    """The facts of a `round` object; none where the other program has no such round."""
    if told is None:
        return {}
    facts: FactsByName = {
        FactName("status"): RoundFact((told["status"],)),
        FactName("dealer"): RoundFact(tuple(told["dealer"]["cards"])),
    }
    for hand in told["hands"]:
        facts[FactName("cards", hand["box"], 0, hand["hand"])] = RoundFact(tuple(hand["cards"]))
    for bet in told["bets"]:
        box, seat = bet["box"], bet["seat"]
        facts[FactName("staked", box, seat)] = RoundFact(bet["staked"])
        facts[FactName("returned", box, seat)] = RoundFact(bet["returned"])
        for part in bet["parts"]:
            facts[FactName("outcome", box, seat, part["hand"], part["kind"])] = RoundFact((part["outcome"],))
    return facts
