"""`stand17 archive run`: the archive on the floor's network, and the state of its sources."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.domain import JournalError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.floor.archive import Brought


class BroughtWords:
    """Prints the changes of each source since its last line."""

    def __init__(self, *, as_json: bool) -> None:
        """Begin with no line printed."""
        self._as_json = as_json
        self._printed: dict[str, JournalError | None] = {}

    def __call__(self, one: "Brought") -> None:
        """Print new entries each time, and an error once until it changes."""
        error, before = one.error, self._printed.get(one.source)
        is_new = error is not None and str(before) != str(error)
        self._printed[one.source] = error
        if self._as_json:
            if one.entries or is_new:
                print_answer("brought", **one._asdict() | {"error": "" if error is None else error.code})
            return
        if one.entries:
            echo(text("archive.brought", {"journal": one.journal, "entries": one.entries, "end": one.end}))
        if error is not None and is_new:
            echo(f"{one.source}: {text(f'error.{error.code}', error.params)}", err=True)


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
    """Take the entries that tables send over the floor's network, check each, keep it, and confirm it.

    A table sends unconfirmed entries again: server and archive may be down for days. Ends with Ctrl-C.
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
