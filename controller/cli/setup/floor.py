"""`stand17 floor`: who is on a floor's network, the one list of its people, and how its tables stand."""

import secrets
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from controller.cli.journal.archive_run import Network, Server
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo, echo_lines
from controller.domain import ConfigError
from controller.i18n import text

_PASSWORD_BYTES: Final = 24
UNKNOWN: Final = "-"
_LOCAL: Final = ("127.0.0.1", "::1", "localhost")

app = typer.Typer(no_args_is_help=True, help="Let tables onto a floor's network, and see how they stand.")

Config = Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")]


@app.command("enroll")
def enroll(
    config: Config,
    *,
    server: Annotated[list[str], typer.Option(help="A server of the floor: nats://HOST:4222 or tls://…")],
    archive: Annotated[Path, typer.Option(help="The floor's archive: it knows the table's key then.")],
    into: Annotated[Path, typer.Option(help="The folder of the floor's members.")] = Path("floor"),
    certificate: Annotated[
        Path | None, typer.Option(help="The server's certificate, PEM, for a floor at tls://.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option("--key", help="Its private key, PEM.")] = None,
    authority: Annotated[
        Path | None, typer.Option(help="The house's authority that issued it; each member gets a copy.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a table onto the floor: its user and rights at the server, its `[floor]`, its password.

    The first table makes the server's configuration, the archive's user, the pit's user and key; at tls:// it
    names the server's certificate. Each member has a folder for its machine. A known table is refused.
    """
    from controller.config import load_config
    from controller.floor.enrolment import SECTION, FloorServers, Newcomer, ServerTls, enrol
    from controller.main.signing import table_key

    key = table_key(loaded := load_config(config))
    tls = None if certificate is None or key_file is None else ServerTls(certificate, key_file, authority)
    newcomer, servers = Newcomer(loaded.table.name, key.public), FloorServers(tuple(server), tls)
    made = enrol(into, archive, newcomer, servers, lambda: secrets.token_urlsafe(_PASSWORD_BYTES))
    if any(urlsplit(one).scheme != "tls" and urlsplit(one).hostname not in _LOCAL for one in server):
        echo(text("floor.enrolled_plain", {"server": server[0]}), err=True)
    if as_json:
        print_answer(
            "enrolled",
            table=loaded.table.name,
            key=key.public,
            commander=made.commander,
            folder=str(made.folder),
            server=str(made.server),
        )
        return
    echo(text("floor.enrolled", {"table": loaded.table.name, "key": key.public}))
    echo(text("floor.enrolled_table", {"path": str(made.folder)}))
    echo_lines((made.folder / SECTION).read_text().splitlines())
    echo(text("floor.enrolled_server", {"path": str(made.server)}))


@app.command("users")
def users(
    config: Config,
    *,
    write: Annotated[
        bool, typer.Option("--publish", help="Write the list for the other tables now.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the list of people that this table publishes for the floor (`[people] publish`), and list it.

    Exit status 1 when the published list differs from this table's.
    """
    from controller.config import load_config
    from controller.journal.head_file import is_signed_by
    from controller.main.signing import table_key
    from controller.main.table_people import people_file
    from controller.people.store import BroughtPeople, publish

    loaded = load_config(config)
    to, file = loaded.people.publish, people_file(loaded.people, loaded.journal.file)
    if to is None:
        raise ConfigError("PEOPLE_NOT_PUBLISHED", path=str(config))
    key, register = table_key(loaded), file.register()
    if write:
        publish(file, to, key.sign)
    lies = BroughtPeople(
        file, to, lambda message, sign: is_signed_by(key.public, message, sign)
    ).signed_document()
    same = lies == file.document()
    if as_json:
        people = [
            {"id": one.id, "role": one.role, "disabled": one.disabled} for one in register.people.values()
        ]
        print_answer("floor_users", path=str(to), key=key.public, same=same, people=people)
    else:
        for one in register.people.values():
            mark = text("people.disabled_mark") if one.disabled else ""
            echo("\t".join((one.id, one.role, one.name, mark)).rstrip())
        said = "floor.users_same" if same else "floor.users_differ"
        echo(text(said, {"path": str(to), "key": key.public}), err=not same)
    raise typer.Exit(0 if same else 1)


@app.command("status")
def status(
    archive: Annotated[Path, typer.Argument(help="The floor's archive.")],
    server: Server = None,
    *,
    network: Network = None,
    as_json: AsJson = False,
) -> None:
    """List the floor's tables: reachable or not, archived entries, lag, the last receipt.

    Without --server or --network no table is asked.
    """
    # Not above: the other commands need no package for the network.
    import_module("controller.main.linked.access").require_extra()
    rows = import_module("controller.main.linked.archive").floor_status(archive, server or [], network)
    if as_json:
        print_answer("floor_status", archive=str(archive), tables=[row._asdict() for row in rows])
        return
    echo("\t".join(text(f"floor.status_{name}") for name in ("table", "live", "archived", "lag", "received")))
    for row in rows:
        live = UNKNOWN if row.live is None else text("floor.status_yes" if row.live else "floor.status_no")
        lag = UNKNOWN if row.lag is None else str(row.lag)
        echo("\t".join((row.table, live, str(row.archived), lag, _clock(row.received_utc_us))))


def _clock(at_utc_us: int) -> str:
    return f"{datetime.fromtimestamp(at_utc_us / 1e6, UTC):%Y-%m-%d %H:%M:%SZ}" if at_utc_us else UNKNOWN
