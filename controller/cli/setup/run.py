"""`stand17 run`: run a table from its configuration file."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.output import echo
from controller.config import load_config
from controller.config.model import TlsSection
from controller.devices.cameras.setup import camera_setups
from controller.domain.errors import ConfigError
from controller.i18n import text
from controller.main.compose import run_table
from controller.main.signing import key_file
from controller.main.table_parts import TableSetup
from controller.studio.report_page import shift_report
from controller.studio.round_replay import round_replay


def run(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    *,
    certificate: Annotated[Path | None, typer.Option(help="The page's certificate, a PEM file.")] = None,
    key: Annotated[Path | None, typer.Option(help="Its private key, a PEM file.")] = None,
) -> None:
    """Run a table: shoe, cameras, rules, journal and screens, until Ctrl-C.

    --certificate and --key take the place of `tls` in `[web]`. Exit status 2 with one sentence when something
    that you can mend keeps it from running.
    """
    loaded = load_config(config)
    if certificate is not None and key is not None:
        tls = TlsSection(certificate=certificate, key=key)
        loaded = loaded.model_copy(update={"web": loaded.web.model_copy(update={"tls": tls})})
    elif certificate is not None or key is not None:
        raise ConfigError("TLS_HALF")
    setup = TableSetup(loaded, config.parent, _print_address, camera_setups(loaded))
    asyncio.run(
        run_table(
            setup._replace(
                routes=(round_replay(), shift_report({loaded.journal.file: key_file(loaded)})),
                beside=tuple(config.parent / file for file in loaded.web.beside),
            )
        )
    )


def _print_address(address: str) -> None:
    echo(text("run.ready", {"address": address}))
