"""`stand17 bench edge`: the analyser's house edge beside the engine, which plays the same strategy.

The engine deals from a fresh shoe each round and its own settlements are counted. So that some ten thousand
rounds say as much as many millions, the luck of every card is taken off: what the card has made of the hand
by a table of values, less the mean of that over all cards that could have come. This is zero on average
whatever the table says, so no value of the analyser can hide a payout that differs.
"""

import json
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import Console
from rich.table import Table as Grid

from controller.analyser import analyse
from controller.analyser.choices import Choices
from controller.bench.luck import RoundLuck, Worth
from controller.bench.single_round import play_round
from controller.domain.cards import RANKS
from controller.domain.rules import RuleSet
from controller.rules import HOUSES, load_rules

NO_LIMITS: Final[dict[str, object]] = {"stake_min": 0, "stake_max": 0, "stake_step": 0}
CARDS_OF_A_ROUND: Final = 45
"""More than any hand of one box and the dealer take."""


class Simulated(NamedTuple):
    """House edge in percent as the engine has paid it, its standard error, and that without the luck off."""

    edge_percent: float
    error_percent: float
    plain_edge_percent: float
    plain_error_percent: float
    seconds: float


def edge(
    houses: Annotated[list[str] | None, typer.Argument(help="Houses or rule files; all houses.")] = None,
    rounds: Annotated[int, typer.Option(min=100, help="Rounds that the engine plays.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Of the shuffled shoes.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each house.")] = False,
) -> None:
    """House edge by the analyser, and by the engine with the same plays: with its standard error and time."""
    grid = Grid("house", "analyser %", "s", "engine %", "± standard error", "plain %", "±", "s", box=None)
    for house in houses or HOUSES:
        report = _report(load_rules(house, NO_LIMITS, Path()), rounds, seed)
        if as_json:
            typer.echo(json.dumps(report))
            continue
        engine = report["engine"]
        grid.add_row(
            house,
            f"{report['edge_percent']:.4f}",
            f"{report['seconds']:.1f}",
            f"{engine['edge_percent']:.4f}",
            f"{engine['error_percent']:.4f}",
            f"{engine['plain_edge_percent']:.2f}",
            f"{engine['plain_error_percent']:.2f}",
            f"{engine['seconds']:.0f}",
        )
    if not as_json:
        Console().print(grid)


def _report(rules: RuleSet, rounds: int, seed: int) -> dict[str, Any]:
    started = perf_counter()
    analysis = analyse(rules)
    seconds = perf_counter() - started
    worth = Worth(analysis, Choices(analysis))
    return {
        "type": "bench_edge",
        "house": rules.name,
        "decks": rules.decks,
        "rounds": rounds,
        "seed": seed,
        "edge_percent": analysis.edge_percent,
        "seconds": seconds,
        "engine": simulate(worth, rounds, Random(seed))._asdict(),
    }


def simulate(worth: Worth, rounds: int, random: Random) -> Simulated:
    """Play so many rounds of one box, each from a fresh shoe."""
    started = perf_counter()
    pack = RANKS * 4 * worth.rules.decks
    won, without_luck = [], []
    for _ in range(rounds):
        luck = RoundLuck(worth)
        paid = play_round(worth, luck, random.sample(pack, min(CARDS_OF_A_ROUND, len(pack))))
        won.append(paid)
        without_luck.append(paid - luck.total)
    mean, error = _mean_and_error(without_luck)
    plain, plain_error = _mean_and_error(won)
    return Simulated(-mean, error, -plain, plain_error, perf_counter() - started)


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """In percent: the mean, and its standard error."""
    count = len(values)
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return 100.0 * mean, 100.0 * sqrt(variance / count)
