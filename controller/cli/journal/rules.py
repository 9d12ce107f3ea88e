"""`stand17 rules`: the houses, the fields of a rule set with the requirements behind them, its worth."""

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from controller.cli.json_words import print_object
from controller.cli.options import HouseOrFile
from controller.cli.output import console
from controller.rules import HOUSES, RuleFile, load_file

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
    import_module("controller.cli.journal.analyse").print_analysis(load_file(name, Path()), as_json=as_json)
