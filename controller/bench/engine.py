"""`stand17 bench engine`: the engine beside two blackjack packages, a shift's replay, a correction."""

import json
import platform
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from controller.bench import played_rounds, shift
from controller.bench.measure import Contestant, Speed, race
from controller.domain import ConfigError, RuleSet
from controller.rules import load_rules
from controller.runtime.compiled import engine_is_compiled

RIVALS: Final = ("blackjack21", "py21")
_EVERY_STATE: Final = "every state"
_CLOSED_ROUNDS: Final = "closed rounds"
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
    speeds = race(contestants(rules), rounds, repeats)
    report = {"type": "bench_engine", **conditions(rules, rounds, repeats), **figures(rules, speeds)}
    if as_json:
        typer.echo(json.dumps(report))
    else:
        show(report)


def contestants(rules: RuleSet) -> list[Contestant]:
    """This program first, both ways.

    Raises ConfigError BENCH_RIVAL_MISSING where only the run lock is installed.
    """
    own = ("stand17", version("stand17"))
    found = [
        Contestant(*own, _EVERY_STATE, partial(played_rounds.prepare, rules)),
        Contestant(*own, _CLOSED_ROUNDS, partial(played_rounds.prepare, rules, keeping=False)),
    ]
    for name in RIVALS:
        try:
            rival = import_module(f"controller.bench.{name}")
        except ModuleNotFoundError as error:
            raise ConfigError("BENCH_RIVAL_MISSING", package=error.name or name) from error
        found.append(Contestant(rival.NAME, rival.VERSION, rival.KEEPS, rival.prepare))
        if rival.KEEPS == "nothing":
            copying = partial(rival.prepare, keeping=True)
            found.append(Contestant(rival.NAME, rival.VERSION, "copies of hands", copying))
    return found


def conditions(rules: RuleSet, rounds: int, repeats: int) -> dict[str, Any]:
    """Return the conditions of the measurement."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "compiled": engine_is_compiled(),
        "house": rules.name,
        "rounds": rounds,
        "repeats": repeats,
    }


def figures(rules: RuleSet, speeds: list[Speed]) -> dict[str, Any]:
    """Every figure as plain JSON values."""
    own, letting_go, *others = speeds
    fastest = max(other.rounds_per_s for other in others)
    dealt = shift.deal_shift(rules)
    return {
        "speeds": [
            {
                "name": speed.name,
                "version": speed.version,
                "keeps": speed.keeps,
                "rounds_per_s": round(speed.rounds_per_s),
                "runs": [round(run) for run in speed.runs],
            }
            for speed in speeds
        ],
        "beside_fastest": round(own.rounds_per_s / fastest, 3),
        "letting_go_beside_fastest": round(letting_go.rounds_per_s / fastest, 3),
        "shift": shift.replay(rules, dealt)._asdict(),
        "correction": shift.correct(dealt)._asdict(),
    }


def show(report: dict[str, Any]) -> None:
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
