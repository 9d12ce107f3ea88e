"""Commands that open a page: run, shadow, takeover of a table, studio."""

import asyncio
import getpass
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from controller.cli.application import AsJson, Config, Force, named_files
from controller.cli.output import echo, error_console, error_sentence, print_answer, print_error
from controller.domain import ConfigError, TableError
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.config import TableConfig
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
    config: Config,
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


def _run(config: "TableConfig", folder: Path, opened: list[str]) -> None:
    """Run the table; the address of its page is printed, and added to `opened`."""
    from controller.devices.cameras.setup import camera_setups
    from controller.main.compose import TableSetup, run_table
    from controller.main.trust import key_file
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


def _problems(config: "TableConfig", folder: Path) -> "list[CheckResult]":
    """All that the doctor finds without listening to a device, and that keeps the table closed."""
    from controller.main.doctor import examine

    return [one for one in examine(config, folder, SystemClock(), 0) if one.level == "problem"]


def _loaded(config: Path, certificate: Path | None, key: Path | None) -> "TableConfig":
    """The configuration, with the files of the command line. Raises `ConfigError`."""
    from controller.config import TlsSection, load_config

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


def shadow(
    config: Annotated[Path, typer.Argument(help="The configuration; made where there is none.")] = Path(
        "table.toml"
    ),
    *,
    answers: Annotated[Path | None, typer.Option(help="Answers for `stand17 init`.")] = None,
    administrator: Annotated[str, typer.Option(help="Id of the first person, who is asked a PIN.")] = "A1",
    out: Annotated[Path, typer.Option("--out", "-o", help="NAME.json, NAME.csv or NAME.pdf.")] = Path(
        "shadow.json"
    ),
    force: Force = False,
) -> None:
    """Run a table in shadow until Ctrl-C: it watches, journals, never stops; then report the night.

    The report lists the stops that the table would have made, and whether they were right. Exit status 2 as
    for `init`, `run` and `report`, and for the configuration of a live table.
    """
    from controller.cli.init import init
    from controller.cli.people import add
    from controller.cli.report import report
    from controller.config import load_config

    Outputs((config,), force).require_free(out)
    if not config.exists():
        init(config, answers, shadow=True)
        add(config, administrator, "administrator")
    loaded = load_config(config)
    if loaded.table.options.mode != "shadow":
        raise ConfigError("SHADOW_OFF", path=str(config))
    try:
        run(config)
    finally:
        # The report is printed after an error as well.
        if loaded.journal.file.exists():
            report([loaded.journal.file], out=out, force=force)
            report([loaded.journal.file])
            echo(text("cli.shadow_report", {"path": str(out)}))


def takeover(
    copy: Annotated[Path, typer.Argument(help="The copy that the table wrote (journal.copy_folder).")],
    config: Annotated[Path, typer.Argument(help="The configuration of the table here, a TOML file.")],
    *,
    by: Annotated[str, typer.Option(help="Who takes the table over: an id of its people.")],
    second: Annotated[str, typer.Option(help="Who answers for it besides.")],
    key: Annotated[str, typer.Option(help="The public key of the table: 64 digits, or a file of them.")] = "",
    as_json: AsJson = False,
) -> None:
    """Restore a table's journal from its copy, so that another machine continues the table.

    The journal that the configuration names must not exist yet. Then `stand17 run` opens the table; it
    waits for two people, who compare it with the layout and enter what the copy lacks.

    Both PINs are asked for, or read from standard input, a line each. Without standard input the
    journal names this machine's account instead of the two.
    """
    from controller.cli.people import ask_secret
    from controller.config import load_config
    from controller.journal.head_file import public_key
    from controller.main.record import require_pins, require_two, taken_over, with_journal_of

    loaded = load_config(config)
    require_two(loaded, by, second)
    pins = tuple(ask_secret(text("takeover.ask_pin", {"id": one})) for one in (by, second))
    if any(pins) or sys.stdin.isatty():
        require_pins(loaded, {by: pins[0], second: pins[1]})
    else:
        by = second = f"console:{getpass.getuser()}"
    copied = taken_over(copy, loaded, by, second, public_key(key) if key else "")
    answer: dict[str, Any] = {
        "file": str(with_journal_of(copy, loaded).journal.file),
        "entries": len(copied.entries),
        "vouched": copied.vouched,
        "key": copied.heads[-1].key,
    }
    if as_json:
        print_answer("takeover", **answer)
    else:
        echo(text("takeover.done", answer))


_LOCAL: Final = "127.0.0.1"

_STUDIO_PORTS: Final = 20


def studio(
    paths: Annotated[list[Path], typer.Argument(help="Feeds, journals, recordings, or folders of them.")],
    *,
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8017,
    cases: Annotated[Path | None, typer.Option(help="Rounds can be kept as cases in this folder.")] = None,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rule file that a case may be expected by.")
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Feeds: through a table's door, holds too.")] = False,
    face_down: Annotated[
        bool,
        typer.Option("--face-down", help="Closed recordings of devices alone: also of the last hour."),
    ] = False,
) -> None:
    """Step through rounds: the time line, the table as the dealer saw it, and where to look first.

    The printed address works once, in one browser of this machine. The files are only read; with --cases a
    round can be kept as a small feed in that folder, and the expectation beside a feed can be accepted anew.
    A rule file may be edited while the page is open. Rounds that are not over come first. Ends with Ctrl-C.
    """
    files, own = [Path(name) for name in named_files([str(path) for path in paths])], rules or []
    from controller.feed.feed_lines import open_feed
    from controller.rules import load_file

    for file in files:
        # Errors in a file are printed now, not on the page.
        with open_feed(str(file)):
            pass
    for one in own:
        # As above: not when a case is accepted.
        load_file(one, Path())
    from controller.main.server import PageServer, address_of, listen
    from controller.studio.app import StudioGate, create_studio

    token = secrets.token_urlsafe(24)
    gate, clock = StudioGate(token, secrets.token_urlsafe(24)), SystemClock()
    app = create_studio(files, gate, at_table=table, cases=cases, rules=own, face_down=face_down, clock=clock)
    listening = listen(_LOCAL, port, _STUDIO_PORTS)
    echo(f"{address_of(listening)}?token={token}")
    asyncio.run(PageServer(app).run_on(listening))
