"""`stand17 guests`: what rated bettors are worth, and who they are, in a file of its own."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.replay.amounts import clock
from controller.cli.tongue import terminal_tongue
from controller.i18n import text
from controller.i18n.numbers import money
from controller.people.guests import GuestNames
from controller.replay.files.table_file import read_table_file
from controller.replay.rounds.ratings import Rating, add_ratings

app: Final = typer.Typer(no_args_is_help=True, help="Rate bettors under a pseudonym.")

AMOUNTS: Final = ("average", "opened", "won", "expected", "by_play")
"""Fields of a rating that are money."""

Names = Annotated[Path, typer.Argument(help="The file of names; keep it apart from the journals.")]


@app.command("rate")
def rate(
    files: Annotated[list[Path], typer.Argument(help="Journals, recordings or feeds.")],
    *,
    names: Annotated[Path | None, typer.Option(help="The file of names: say who is who.")] = None,
    as_json: AsJson = False,
) -> None:
    """Rate each bettor over all files: time, average stake, and the win that rules and play let expect."""
    known = {} if names is None else GuestNames(names).read()
    ratings: dict[str, Rating] = {}
    for file in files:
        add_ratings(read_table_file(str(file)), ratings)
    rows = sorted(ratings.values(), key=lambda one: -one.opened)
    if as_json:
        print_answer("ratings", ratings=[_row(one, known) for one in rows])
        return
    tongue = terminal_tongue()
    for one in rows:
        amounts = {name: money(amount, tongue) for name, amount in _amounts(one).items()}
        who: dict[str, str | int] = {
            "guest": one.guest,
            "name": known.get(one.guest, ""),
            "rounds": one.rounds,
        }
        typer.echo(text("guests.rated", {**who, **amounts, "time": clock(one.seconds)}, tongue))


def _row(one: Rating, known: dict[str, str]) -> dict[str, str | int | float]:
    """The fields of a rating; amounts in whole minor units."""
    return {
        "guest": one.guest,
        "name": known.get(one.guest, ""),
        "rounds": one.rounds,
        "seconds": round(one.seconds, 1),
        **_amounts(one),
    }


def _amounts(one: Rating) -> dict[str, int]:
    """In whole minor units."""
    return {name: round(getattr(one, name)) for name in AMOUNTS}


@app.command("name")
def name_guest(
    file: Names,
    name: Annotated[str, typer.Argument(help="Who it is.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Give somebody a pseudonym of chance, under which the pit rates him."""
    guest = GuestNames(file).add(name)
    if as_json:
        print_answer("guest", guest=guest)
    else:
        typer.echo(guest)


@app.command("erase")
def erase(
    file: Names,
    guest: Annotated[str, typer.Argument(help="The pseudonym.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Forget who somebody is; what was rated stays, and is nobody's any more."""
    GuestNames(file).erase(guest)
    if as_json:
        print_answer("guest", guest=guest)
