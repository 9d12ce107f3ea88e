"""`stand17 bench engine`: the engine beside two blackjack packages, a shift's replay, a correction.

Programs are timed turn by turn in one run, so that a busy moment hits all of them.
"""

import gc
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from controller.acts.catalogue import Bet, CardSeen, Correct, Observation, ShoeLoaded
from controller.bench import played_rounds
from controller.bench.played_rounds import STAKE, let_go, play_round, shuffled
from controller.domain import RANKS, ConfigError, Disputed, Refused, RuleSet, Settled
from controller.engine import TableState, new_table, step
from controller.feed.codec import to_json
from controller.feed.feed_lines import read_lines
from controller.feed.replay import play
from controller.rules import load_rules
from controller.runtime.compiled import engine_is_compiled

Play = Callable[[int], object]
"""Plays that many rounds and returns what it has kept of them."""

Contestant = tuple[str, str, str, Callable[[int], Play]]
"""A program's name and version, what it keeps of a round, its preparation with a seed."""


def _race(contestants: Sequence[Contestant], rounds: int, repeats: int) -> list[dict[str, Any]]:
    """Let each play `rounds` rounds, `repeats` times in turn, after one untimed round each.

    Returns each program with its rounds a second: every run, and the median.
    """
    plays = [prepare(1) for *_, prepare in contestants]
    for one in plays:
        one(max(1, rounds // 20))
    laps = [[round(rounds / _seconds(one, rounds)) for one in plays] for _ in range(repeats)]
    return [
        {"name": name, "version": number, "keeps": keeps, "rounds_per_s": round(median(runs)), "runs": runs}
        for (name, number, keeps, _), runs in zip(contestants, zip(*laps, strict=True), strict=True)
    ]


def _seconds(play: Play, rounds: int) -> float:
    """Processor time of so many rounds; memory is released after the clock has stopped.

    Other programs on the machine do not count, and the cyclic garbage collector is off, as in `timeit`.
    """
    with undisturbed():
        start = process_time()
        kept = play(rounds)
        seconds = process_time() - start
    del kept
    return seconds


@contextmanager
def undisturbed() -> Iterator[None]:
    """Collect garbage now, and not inside the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


ROUNDS: Final = 480
"""Eight hours at a round a minute."""
BOXES: Final = 7
_LEFT_FOR_A_ROUND: Final = 78
"""Fewer cards than this in the shoe, and a new one is loaded before the bets."""


class Shift(NamedTuple):
    """A dealt shift: its observations, and the table at the end of each round."""

    observed: list[Observation]
    ends: list[TableState]


def deal_shift(rules: RuleSet, rounds: int = ROUNDS) -> Shift:
    """Deal a shift at seven boxes, played by basic strategy."""
    shift = Shift([], [])
    bets = [Bet(box, 0, STAKE) for box in range(1, BOXES + 1)]
    shoes = shuffled(rules.decks, Random(1), count=20)
    state, cards = new_table(rules), next(shoes)
    for _ in range(rounds):
        if len(cards) < _LEFT_FOR_A_ROUND:
            cards = next(shoes)
            shift.observed.append(ShoeLoaded(rules.decks))
            state = step(state, shift.observed[-1]).state
        state = play_round(state, bets, cards, keep=let_go)
        shift.observed.extend(fact.obs for fact in state.log)
        shift.ends.append(state)
    return shift


def replay(rules: RuleSet, shift: Shift) -> dict[str, float]:
    """Time the shift from feed lines, by the code of `stand17 replay`."""
    feed = b"".join(json.dumps(to_json(obs)).encode() + b"\n" for obs in shift.observed)
    with undisturbed():
        start = perf_counter()
        settled = sum(
            isinstance(notice, Settled)
            for played in play(rules, read_lines(BytesIO(feed)))
            for notice in played.notices
        )
        seconds = perf_counter() - start
    assert settled == len(shift.ends), "every round of the shift settles"
    return {"rounds": settled, "observations": len(shift.observed), "seconds": seconds}


def _correct(shift: Shift) -> dict[str, float]:
    """Time one correction in each round: its first card was in truth the next higher rank."""
    times, kinds = [], []
    with undisturbed():
        for state in shift.ends:
            first = next(fact.obs for fact in state.log if isinstance(fact.obs, CardSeen) and fact.n == 1)
            assert first.rank is not None, "the benchmark reads every card"
            other = RANKS[(RANKS.index(first.rank) + 1) % len(RANKS)]
            ruling = Correct(1, None, other, None, "pit", "misread")
            start = perf_counter()
            _, notices = step(state, ruling)
            times.append((perf_counter() - start) * 1000)
            kinds.append({type(notice) for notice in notices})
    assert not any(Refused in kind for kind in kinds), "a card that was dealt can be corrected"
    return {
        "rounds": len(times),
        "settled": sum(Settled in kind for kind in kinds),
        "disputed": sum(Disputed in kind for kind in kinds),
        "median_ms": median(times),
        "p95_ms": quantiles(times, n=20)[-1],
    }


RIVALS: Final = "controller.bench.rivals"
"""The module that needs the rivals' packages."""

OVERRIDES: Final[dict[str, object]] = {"decks": 6, "stake_min": 0, "stake_max": 0, "stake_step": 0}
"""What every house shares in the comparison: the rivals' six decks, and no stake limit."""

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure this program beside others."""


@app.command()
def engine(
    rounds: Annotated[int, typer.Option(min=100, help="Rounds in each run.")] = 5000,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each program; the median counts.")] = 5,
    house: Annotated[str, typer.Option(help="Rules of the comparison.")] = "fr",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rounds a second at one box beside blackjack21 and py21; replay of a shift; time of a correction."""
    rules = load_rules(house, OVERRIDES, Path())
    speeds = _race(contestants(rules), rounds, repeats)
    own, letting_go, *others = (speed["rounds_per_s"] for speed in speeds)
    dealt = deal_shift(rules)
    report = {
        "type": "bench_engine",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "compiled": engine_is_compiled(),
        "house": rules.name,
        "rounds": rounds,
        "repeats": repeats,
        "speeds": speeds,
        "beside_fastest": round(own / max(others), 3),
        "letting_go_beside_fastest": round(letting_go / max(others), 3),
        "shift": replay(rules, dealt),
        "correction": _correct(dealt),
    }
    if as_json:
        typer.echo(json.dumps(report))
    else:
        _show(report)


def contestants(rules: RuleSet) -> list[Contestant]:
    """This program first, both ways.

    Raises ConfigError BENCH_RIVAL_MISSING where only the run lock is installed.
    """
    try:
        rivals = import_module(RIVALS)
    except ModuleNotFoundError as error:
        raise ConfigError("BENCH_RIVAL_MISSING", package=error.name or RIVALS) from error
    own = "stand17", version("stand17")
    return [
        (*own, "every state", partial(played_rounds.prepare, rules)),
        (*own, "closed rounds", partial(played_rounds.prepare, rules, keeping=False)),
        *rivals.CONTESTANTS,
    ]


def _show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    form = "compiled engine" if report["compiled"] else "engine from its sources"
    title = f"One box, basic strategy, house {report['house']}, Python {report['python']}, {form}"
    grid = Table(title=title)
    for column in ("program", "version", "keeps"):
        grid.add_column(column)
    for column in ("rounds/s", "slowest run", "fastest run"):
        grid.add_column(column, justify="right")
    for speed in report["speeds"]:
        runs = speed["runs"]
        grid.add_row(
            speed["name"],
            speed["version"],
            speed["keeps"],
            f"{speed['rounds_per_s']:,}",
            f"{min(runs):,}",
            f"{max(runs):,}",
        )
    console = Console()
    console.print(grid)
    replayed, corrected = report["shift"], report["correction"]
    beside, letting_go = report["beside_fastest"], report["letting_go_beside_fastest"]
    console.print(
        f"stand17 beside the faster of the two: {beside:.2f}; keeping no more than it: {letting_go:.2f}"
    )
    console.print(
        f"A shift of {replayed['rounds']} rounds at seven boxes, {replayed['observations']:,} feed lines: "
        f"{replayed['seconds']:.2f} s"
    )
    console.print(
        f"Correcting the first card of a finished seven-box round: median {corrected['median_ms']:.2f} ms, "
        f"p95 {corrected['p95_ms']:.2f} ms"
    )
