"""`stand17 bench crash`: kill the demo again and again; each restart has to be exact."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.i18n import text
from controller.simulation.crash import Kill, crash_loop


def crash(
    kills: Annotated[int, typer.Option(min=1, help="How often.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the moments, the shoe and the guests.")] = 17,
    as_json: AsJson = False,
) -> None:
    """Kill the demo with SIGKILL at random moments and compare each restart with what was shown.

    Exit status 1 when a restart was not in the exact state or a journal did not verify.
    """
    made: list[Kill] = []
    with tempfile.TemporaryDirectory(prefix="stand17-crash-") as folder:
        exact = crash_loop(Path(folder), kills, seed, made.append if as_json else _print_kill)
    if as_json:
        print_answer("bench_crash", exact=exact, kills=[kill._asdict() for kill in made])
    else:
        echo(text("crash.exact" if exact else "crash.differs", {"kills": kills}))
    raise typer.Exit(0 if exact else 1)


def _print_kill(kill: Kill) -> None:
    line: dict[str, str | int] = {
        "after": f"{kill.after_s:.2f}",
        "seq": kill.seq,
        "back": f"{kill.back_s:.2f}",
    }
    echo(text("crash.kill", line))
    if kill.fault is not None:
        echo(kill.fault)
