"""`stand17 run`: run a table from its configuration file."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.output import echo, error_console, error_sentence, print_error
from controller.config import TableConfig, load_config
from controller.config.model import TlsSection
from controller.devices.cameras.setup import camera_setups
from controller.domain.errors import ConfigError, TableError
from controller.i18n import text
from controller.main.compose import run_table
from controller.main.doctor import examine
from controller.main.signing import key_file
from controller.main.table_parts import TableSetup
from controller.ports import SystemClock
from controller.studio.report_page import shift_report
from controller.studio.round_replay import round_replay

NOT_OPENED: Final = 2
MISCONFIGURED: Final = os.EX_CONFIG
"""Exit statuses of a table that does not open: systemd starts it again after the first one alone."""

PASSING: Final = frozenset(
    {
        "ADDRESS_UNUSABLE",
        "DOCTOR_REFUSES",
        "PEOPLE_FORGED",
        "PEOPLE_MISSING",
        "PEOPLE_PUT_BACK",
        "PEOPLE_UNREADABLE",
        "PEOPLE_UNWRITABLE",
        "PORT_BUSY",
    }
)
"""Codes of a `ConfigError` that may pass without a change to the configuration or the program."""


def run(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    *,
    certificate: Annotated[Path | None, typer.Option(help="The page's certificate, a PEM file.")] = None,
    key: Annotated[Path | None, typer.Option(help="Its private key, a PEM file.")] = None,
) -> None:
    """Run a table: shoe, cameras, rules, journal and screens, until Ctrl-C.

    --certificate and --key take the place of `tls` in `[web]`. All that keeps it from opening is said at
    once: exit status 78 for a mistake in the configuration, 2 for what may pass.
    """
    loaded: TableConfig | None = None
    opened: list[str] = []

    def print_address(address: str) -> None:
        opened.append(address)
        echo(text("run.ready", {"address": address}))

    try:
        loaded = _loaded(config, certificate, key)
        setup = TableSetup(loaded, config.parent, print_address, camera_setups(loaded))
        asyncio.run(
            run_table(
                setup._replace(
                    routes=(round_replay(), shift_report({loaded.journal.file: key_file(loaded)})),
                    beside=tuple(config.parent / file for file in loaded.web.beside),
                )
            )
        )
    except TableError as error:
        if opened:
            raise
        _print_refusals(error, loaded, config.parent)
        lasts = isinstance(error, ConfigError) and error.code not in PASSING
        raise typer.Exit(MISCONFIGURED if lasts else NOT_OPENED) from error


def _loaded(config: Path, certificate: Path | None, key: Path | None) -> TableConfig:
    """The configuration, with the files of the command line. Raises `ConfigError`."""
    loaded = load_config(config)
    if certificate is not None and key is not None:
        tls = TlsSection(certificate=certificate, key=key)
        return loaded.model_copy(update={"web": loaded.web.model_copy(update={"tls": tls})})
    if certificate is not None or key is not None:
        raise ConfigError("TLS_HALF")
    return loaded


def _print_refusals(error: TableError, config: TableConfig | None, folder: Path) -> None:
    """Print what ended the start, then every other problem that `stand17 doctor` finds without listening."""
    print_error(error)
    said = error_sentence(error)
    for finding in () if config is None else examine(config, folder, SystemClock(), 0):
        words = finding.words("en")
        if finding.level == "problem" and words not in said:
            error_console().print(words, style="red", markup=False)
