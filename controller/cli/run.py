"""`stand17 run`: run a table from its configuration file."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from controller.config import load_config
from controller.devices.camera_setup import camera_setups
from controller.i18n import text
from controller.main import TableSetup, run_table


def run(config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")]) -> None:
    """Run a table: shoe, cameras, rules, journal and screens, until Ctrl-C.

    Exit status 2 with one sentence when something that you can mend keeps it from running.
    """
    loaded = load_config(config)
    asyncio.run(run_table(TableSetup(loaded, config.parent, _tell, camera_setups(loaded))))


def _tell(address: str) -> None:
    typer.echo(text("run.ready", {"address": address}))
