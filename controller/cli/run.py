"""`stand17 run`: run a table from its configuration file."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from controller.config import load_config
from controller.i18n import text
from controller.main import Setting, run_table
from controller.main.cameras import eyes_of


def run(config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")]) -> None:
    """Run a table: shoe, cameras, rules, journal and screens, until Ctrl-C.

    Exit status 2 with one sentence when something that you can mend keeps it from running.
    """
    loaded = load_config(config)
    asyncio.run(run_table(Setting(loaded, config.parent, _tell, eyes_of(loaded))))


def _tell(address: str) -> None:
    typer.echo(text("run.ready", {"address": address}))
