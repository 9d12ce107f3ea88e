"""`stand17 bench replay`: a whole feed, read, played and printed, beside the engine on the same lines."""

import json
from io import BytesIO
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Final, NamedTuple

import typer

from controller.bench import shift
from controller.bench.measure import undisturbed
from controller.domain.observations import Observation
from controller.domain.rules import RuleSet
from controller.engine import new_table, step
from controller.feed.codec import to_json
from controller.feed.json_report import line_text
from controller.feed.reading import read_lines
from controller.feed.repeated_lines import RepeatedLines
from controller.feed.replay import play_results, to_lines
from controller.rules import load_rules
from controller.runtime.compiled import engine_is_compiled

SHIFT_SECONDS: Final = 28_800
"""Eight hours."""


class ReplayTimes(NamedTuple):
    """Medians of the runs in seconds: the whole replay, and the engine alone on the same observations."""

    lines: int
    whole_s: float
    engine_s: float

    @property
    def ratio(self) -> float:
        """How many times the engine's own time a whole replay takes."""
        return self.whole_s / self.engine_s


def replay(
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each in turn; the medians count.")] = 5,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of the shift at seven boxes.")] = shift.ROUNDS,
    house: Annotated[str, typer.Option(help="Rules of the shift.")] = "fr",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time a whole replay (lines read, played, printed as JSON) beside the engine on the same lines."""
    rules = load_rules(house, {"stake_min": 0, "stake_max": 0, "stake_step": 0}, Path())
    times = measure(rules, shift.deal_shift(rules, rounds).observed, repeats)
    told = {
        "type": "bench_replay",
        "lines": times.lines,
        "repeats": repeats,
        "compiled": engine_is_compiled(),
        "whole_s": round(times.whole_s, 4),
        "engine_s": round(times.engine_s, 4),
        "ratio": round(times.ratio, 2),
    }
    typer.echo(json.dumps(told) if as_json else _sentence(told))


def _sentence(told: dict[str, object]) -> str:
    return (
        f"{told['lines']} lines: read, played and printed in {told['whole_s']} s, "
        f"the engine alone {told['engine_s']} s: {told['ratio']} times (medians of {told['repeats']})"
    )


def measure(rules: RuleSet, observed: list[Observation], repeats: int) -> ReplayTimes:
    """Time both in turn, so that what else the machine does falls on both."""
    feed = feed_lines(observed)
    told = [line.obs for line in read_lines(BytesIO(feed))]
    whole, alone = [], []
    for _ in range(repeats):
        with undisturbed():
            whole.append(_whole(rules, feed))
        with undisturbed():
            alone.append(_engine(rules, told))
    return ReplayTimes(len(told), median(whole), median(alone))


def feed_lines(observed: list[Observation]) -> bytes:
    """The lines of a feed, spread over eight hours."""
    every = SHIFT_SECONDS / max(1, len(observed))
    lines = ({"t": round(at * every, 3), **to_json(obs)} for at, obs in enumerate(observed))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _whole(rules: RuleSet, feed: bytes) -> float:
    begun = perf_counter()
    printed = 0
    for played in play_results(rules, RepeatedLines(BytesIO(feed))):
        for line in to_lines(played, "shift", lambda code, _: code):
            printed += len(line_text(line))
    seconds = perf_counter() - begun
    assert printed, "a shift has rounds"
    return seconds


def _engine(rules: RuleSet, told: list[Observation]) -> float:
    begun = perf_counter()
    state = new_table(rules)
    for obs in told:
        state = step(state, obs).state
    return perf_counter() - begun
