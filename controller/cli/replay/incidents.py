"""`stand17 incidents`: published fines and thefts, and at which card this table would have said so."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo_lines
from controller.outputs import Outputs
from controller.simulation.incident_play import Account, accounts, feed_of
from controller.simulation.incidents import Published, incident_feed
from controller.simulation.incidents import incidents as all_incidents

SEED: Final = 17


def incidents(
    seed: Annotated[int, typer.Option(help="Seed of the feeds.")] = SEED,
    feeds: Annotated[Path | None, typer.Option(help="Write the feeds into this folder as well.")] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Play every incident and its clean twin through a table's door, and print the page of them.

    Exit status 1 where one is not reported, or its twin is not silent.
    """
    if feeds is not None:
        _write(feeds, seed, force)
    found = accounts(seed)
    if as_json:
        print_answer("incidents", seed=seed, incidents=[_row(one) for one in found])
    else:
        echo_lines(page(found, seed).removesuffix("\n").split("\n"))
    if not all(one.holds for one in found):
        raise typer.Exit(1)


def _row(one: Account) -> dict[str, object]:
    published = one.incident.model_dump(include=set(Published.model_fields))
    fields = {name: value for name, value in one._asdict().items() if name != "incident"}
    return {**published, **fields, "holds": one.holds}


def _write(folder: Path, seed: int, force: bool) -> None:
    """The feeds and their clean twins as files."""
    outputs = Outputs((), force)
    for incident in all_incidents():
        for guilty, end in ((True, ""), (False, ".clean")):
            with outputs.open(folder / f"{incident.name}{end}.feed.jsonl") as stream:
                stream.write(feed_of(incident_feed(incident, seed, guilty=guilty)))


def page(found: tuple[Account, ...], seed: int) -> str:
    """The page docs/incidents.md."""
    rows = [
        f"| {one.incident.title} | {one.incident.where}, {one.incident.day}, {one.incident.sum} "
        f"([source]({one.incident.source})) | `{one.code or 'nothing'}` after {one.cards} cards, in round "
        f"{one.rounds} | {', '.join(one.twin) or 'silent'} |"
        for one in found
    ]
    return "\n".join(
        (*HEAD, f"    stand17 incidents --seed {seed} > docs/incidents.md", "", *COLUMNS, *rows, "")
    )


HEAD: Final = (
    "# Published incidents, retold",
    "",
    "Fines and thefts that regulators, courts or newspapers have published, each retold as a feed that a",
    "seed makes, at a six-pack table under the Italian rules, and played through the live table's own door.",
    "The cards and rounds are those from where the fault begins. The clean twin is the same feed without the",
    "fault. Games other than blackjack are retold as blackjack: what is retold is how the cards lay, or the",
    "chips.",
    "",
)
COLUMNS: Final = ("| what | where, when, how much | what stand17 says | clean twin |", "|---|---|---|---|")
