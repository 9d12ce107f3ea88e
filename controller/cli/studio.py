"""`stand17 studio`: the tester's screen over feeds, journals and recordings, on this machine alone."""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.config import load_config
from controller.main.server import PageServer, address_of, listen
from controller.ports import SystemClock
from controller.rules import load_file
from controller.studio.app import StudioGate, create_studio

HOST: Final = "127.0.0.1"
PORTS: Final = 20
ENDINGS: Final = (".feed.jsonl", ".feed.jsonl.gz", ".mcap", ".journal")


def studio(
    paths: Annotated[list[Path], typer.Argument(help="Feeds, journals, recordings, or folders of them.")],
    *,
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8017,
    cases: Annotated[Path | None, typer.Option(help="Rounds can be kept as cases in this folder.")] = None,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rule file to compare under, beside the houses.")
    ] = None,
    programs: Annotated[
        list[Path] | None,
        typer.Option("--program", help="Another installed stand17 to compare with.", exists=True),
    ] = None,
    settings: Annotated[
        list[Path] | None,
        typer.Option("--config", help="Settings to read a recording under.", exists=True, dir_okay=False),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Feeds: through a table's door, holds too.")] = False,
) -> None:
    """Step through rounds: the time line, the table as the dealer saw it, and where to look first.

    The printed address works once, in one browser of this machine. The files are only read; with --cases a
    round can be kept as a small feed in that folder, and the expectation beside a feed can be accepted anew.
    A rule file or a configuration may be edited while the page is open.
    A round that is not over is left out. Ends with Ctrl-C.
    """
    files, own = files_of(paths), rules or []
    for one in own:
        # What is wrong with a file is told now, not when somebody compares.
        load_file(one, Path())
    for path in settings or []:
        load_config(path)
    token = secrets.token_urlsafe(24)
    gate = StudioGate(token, secrets.token_urlsafe(24))
    app = create_studio(
        files,
        gate,
        at_table=table,
        cases=cases,
        rules=own,
        programs=[str(one) for one in programs or []],
        settings=[str(one) for one in settings or []],
        clock=SystemClock(),
    )
    listening = listen(HOST, port, PORTS)
    typer.echo(f"{address_of(listening)}?token={token}")
    asyncio.run(PageServer(app).run_on(listening))


def files_of(paths: list[Path]) -> list[Path]:
    """The files, and those of a table in the folders."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(one for one in path.rglob("*") if one.name.endswith(ENDINGS)) if path.is_dir() else []
        found += inside or [path]
    return found
