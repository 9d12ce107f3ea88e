"""The command rules: shipped houses, the fields of a rule set, its edge and basic strategy."""

import json
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from controller.cli.application import HouseOrFile
from controller.cli.output import console, print_object
from controller.rules import HOUSES, RuleFile, load_file

if TYPE_CHECKING:
    from controller.analyser import Analysis, Strategy

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List the houses, show or analyse a rule set."
)
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _fields(file: RuleFile) -> dict[str, object]:
    fields = {**file.rules._asdict(), "blackjack_pays": list(file.rules.blackjack_pays)}
    fields.pop("name")
    return fields


@app.command("list")
def list_rules(as_json: JsonOption = False) -> None:
    """List the shipped houses."""
    files = {name: load_file(name, Path()) for name in HOUSES}
    if as_json:
        print_object([{"name": name, "title": file.title} for name, file in files.items()])
        return
    table = Table("name", "house", "packs", "hole card", "check", "blackjack", box=None)
    for name, file in files.items():
        rules = file.rules
        pays = "{}:{}".format(*rules.blackjack_pays)
        table.add_row(name, file.title, str(rules.decks), rules.hole_card, rules.peek, pays)
    console().print(table)


@app.command("show")
def show_rules(
    name: HouseOrFile,
    as_json: JsonOption = False,
) -> None:
    """Show every field of a rule set with the requirements that it stands on."""
    file = load_file(name, Path())
    if as_json:
        out = {"name": file.rules.name, "title": file.title, "fields": _fields(file)}
        sources = {key: list(value) for key, value in file.sources.items()}
        irregularities = {code: ruling._asdict() for code, ruling in file.irregularities.items()}
        print_object({**out, "sources": sources, "irregularities": irregularities})
        return
    table = Table("field", "value", "stands on", box=None, title=f"{file.title} ({file.rules.name})")
    for field, value in _fields(file).items():
        table.add_row(field, json.dumps(value), ", ".join(file.sources.get(field, ())))
    console().print(table)


@app.command("analyse")
def analyse_rules(
    name: HouseOrFile,
    as_json: JsonOption = False,
) -> None:
    """Show the house edge of a rule set and its basic strategy, exactly, for a freshly shuffled shoe."""
    # Not above: the other commands need no arithmetic of arrays.
    from controller.analyser import analyse, basic_strategy

    started = perf_counter()
    file = load_file(name, Path())
    analysis = analyse(file.rules)
    strategy = basic_strategy(analysis)
    seconds = perf_counter() - started
    if as_json:
        _print_analysis_json(analysis, strategy, seconds)
    else:
        _print_analysis(file, analysis, strategy, seconds)


_HANDS: Final = {"hard": "", "soft": "soft ", "pair": "pair of "}
_LETTERS: Final = (
    "H hit · S stand · D double, else hit · Ds double, else stand · P split\n"
    "R surrender, else hit · Rs surrender, else stand · Rp surrender, else split"
)


def _card(points: int) -> str:
    return "A" if points in (1, 11) else str(points)


def _print_analysis_json(analysis: "Analysis", strategy: "Strategy", seconds: float) -> None:
    from controller.analyser.edge import UP_CARDS

    answer = {
        "type": "rules_analysis",
        "name": analysis.rules.name,
        "decks": analysis.rules.decks,
        "edge_percent": round(analysis.edge_percent, 6),
        "insurance_edge_percent": round(analysis.insurance_edge_percent, 6),
        "up_cards": [_card(up) for up in UP_CARDS],
        "strategy": [row._asdict() for row in strategy.rows],
        "other_plays": [
            {**other._asdict(), "cards": [_card(points) for points in other.cards], "up": _card(other.up)}
            for other in strategy.other_plays
        ],
        "seconds": round(seconds, 3),
    }
    print_object(answer)


def _print_analysis(file: RuleFile, analysis: "Analysis", strategy: "Strategy", seconds: float) -> None:
    from controller.analyser.edge import UP_CARDS

    shown = console()
    packs = analysis.rules.decks
    table = Table(box=None, title=f"{file.title} ({file.rules.name})")
    table.add_column("hand", justify="right")
    for up in UP_CARDS:
        table.add_column(_card(up), min_width=2)
    for row in strategy.rows:
        label = _card(row.total) if row.hand == "pair" else str(row.total)
        table.add_row(_HANDS[row.hand] + label, *row.advice)
    shown.print(table)
    shown.print(_LETTERS, highlight=False)
    for other in strategy.other_plays:
        cards = "+".join(_card(points) for points in reversed(other.cards))
        text = f"{cards} against {_card(other.up)}: {other.play}, not {other.instead_of}"
        shown.print(text, highlight=False)
    shown.print(
        f"House edge {analysis.edge_percent:.4f} % of the opening stake, {packs} "
        f"{'pack' if packs == 1 else 'packs'} fresh from the shuffle; "
        f"insurance {analysis.insurance_edge_percent:.2f} % of its stake. {seconds:.1f} s.",
        highlight=False,
        soft_wrap=True,
    )
