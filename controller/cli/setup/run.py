"""`stand17 run`: run a table from its configuration file."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.output import echo, error_console, error_sentence, print_error
from controller.config import TableConfig, load_config
from controller.config.model import TlsSection
from controller.domain import ConfigError, TableError
from controller.i18n import text
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.main.doctor import CheckResult

NOT_OPENED: Final = 2
_MISCONFIGURED: Final = os.EX_CONFIG
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

_LASTING: Final = frozenset({"rules", "program", "reader", "page"})
"""Checks of the doctor whose problems do not pass by themselves."""


def run(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    *,
    certificate: Annotated[Path | None, typer.Option(help="The page's certificate, a PEM file.")] = None,
    key: Annotated[Path | None, typer.Option(help="Its private key, a PEM file.")] = None,
) -> None:
    """Run a table: shoe, cameras, rules, journal and screens, until Ctrl-C.

    --certificate and --key replace `tls` in `[web]`. All reasons against opening are printed at once: exit
    status 78 for a mistake in the configuration, 2 for a reason that may pass.
    """
    loaded: TableConfig | None = None
    opened: list[str] = []
    try:
        loaded = _loaded(config, certificate, key)
        _run(loaded, config.parent, opened)
    except TableError as error:
        if opened:
            raise
        problems = [] if loaded is None else _problems(loaded, config.parent)
        _print_refusals(error, problems)
        lasts = isinstance(error, ConfigError) and error.code not in PASSING
        lasts = lasts or any(one.check in _LASTING for one in problems)
        raise typer.Exit(_MISCONFIGURED if lasts else NOT_OPENED) from error


def _run(config: TableConfig, folder: Path, opened: list[str]) -> None:
    """Run the table; the address of its page is printed, and added to `opened`."""
    from controller.devices.cameras.setup import camera_setups
    from controller.main.compose import run_table
    from controller.main.signing import key_file
    from controller.main.table_parts import TableSetup
    from controller.studio.report_page import shift_report
    from controller.studio.round_replay import round_replay

    def print_address(address: str) -> None:
        opened.append(address)
        echo(text("run.ready", {"address": address}))

    setup = TableSetup(config, folder, print_address, camera_setups(config))
    setup = setup._replace(
        routes=(round_replay(), shift_report({config.journal.file: key_file(config)})),
        beside=tuple(folder / file for file in config.web.beside),
    )
    asyncio.run(run_table(setup))


def _problems(config: TableConfig, folder: Path) -> "list[CheckResult]":
    """All that the doctor finds without listening to a device, and that keeps the table closed."""
    from controller.main.doctor import examine

    return [one for one in examine(config, folder, SystemClock(), 0) if one.level == "problem"]


def _loaded(config: Path, certificate: Path | None, key: Path | None) -> TableConfig:
    """The configuration, with the files of the command line. Raises `ConfigError`."""
    loaded = load_config(config)
    if certificate is not None and key is not None:
        tls = TlsSection(certificate=certificate, key=key)
        return loaded.model_copy(update={"web": loaded.web.model_copy(update={"tls": tls})})
    if certificate is not None or key is not None:
        raise ConfigError("TLS_HALF")
    return loaded


def _print_refusals(error: TableError, problems: "list[CheckResult]") -> None:
    """Print the error that ended the start, then every other problem."""
    print_error(error)
    said = error_sentence(error)
    for words in (one.words("en") for one in problems):
        if words not in said:
            error_console().print(words, style="red")
