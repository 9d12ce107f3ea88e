"""`stand17 archive run`: the archive on the floor's network."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.journal.archive_words import BroughtWords
from controller.cli.options import AsJson
from controller.cli.output import echo

Server = Annotated[list[str] | None, typer.Option(help="A server of the floor: nats://HOST:4222 or tls://…")]
Network = Annotated[
    Path | None, typer.Option(help="A file with a [floor] section: servers, certificates, user.")
]


def run(
    server: Server = None,
    *,
    into: Annotated[Path, typer.Option(help="The archive, a folder of its own.")],
    database: Annotated[
        str, typer.Option(help="Keep all of it in PostgreSQL, too: postgresql://HOST/NAME.")
    ] = "",
    network: Network = None,
    monitor: Annotated[
        str, typer.Option(help="The server's monitoring address: ask it whether it syncs.")
    ] = "",
    stream_mb: Annotated[int, typer.Option(min=1, help="Room at the server, in megabytes.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Take what tables send over the floor's network, check each entry, keep it, and confirm it.

    What a table has not been confirmed it sends again: server and archive may be gone for days. Ends with
    Ctrl-C.
    """
    # Not above: archives from folders need no network, and no package for it.
    import_module("controller.main.linked.access").require_extra()
    import_module("controller.main.linked.archive").run_archive(
        server or [],
        into,
        network,
        monitor,
        stream_mb,
        database=database,
        took=BroughtWords(as_json=as_json),
        say=lambda words: echo(words, err=True),
    )
