"""`stand17 witness`: sign the heads of another house's tables."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.output import echo
from controller.i18n import text
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.floor.heads_witness import Answer


def witness(
    folder: Annotated[Path, typer.Argument(help="The witness's own folder: heads, checkpoints, its key.")],
    *,
    of: Annotated[list[str], typer.Option(help="The public key of a table: 64 digits, or a file of them.")],
    look: Annotated[
        list[Path] | None, typer.Option(help="A folder with kept heads: take what is there, and end.")
    ] = None,
    seen: Annotated[
        Path | None,
        typer.Option(help="Where each checkpoint is kept once more, on another disk; else beside FOLDER."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address that tables send their heads to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port.")] = 8027,
) -> None:
    """Take the signed heads of tables, and sign that each continues the earlier ones.

    Tables send them by `signing.keep_url`; with --look they are read from the folders of
    `signing.keep_folder`. The heads name no card. A table that shows a second history is named, and nothing
    is signed for it. `stand17 verify --kept FOLDER/KEY.signed --witness KEY` checks a journal against them.
    A witness whose own log was cut or exchanged does not start.
    Exit status with --look: 0, or 1 when a head was not witnessed.
    """
    from controller.floor.heads_witness import HeadsWitness
    from controller.journal.head_file import public_key
    from controller.main.heads_witness import look_into, serve_witness

    keeps = HeadsWitness(folder, [public_key(one) for one in of], SystemClock(), seen)
    echo(text("witness.key", {"key": keeps.public}))
    if look is not None:
        raise typer.Exit(0 if look_into(keeps, look, _tell) else 1)
    asyncio.run(serve_witness(keeps, host, port, _tell, _ready))


def _ready(at: str) -> None:
    echo(text("witness.ready", {"at": at}))


def _tell(source: str, answer: "Answer") -> None:
    head, named = answer.head, dict[str, str | int]()
    if answer.verdict == "witnessed":
        return
    if head is not None:
        named = {"table": head.table, "journal": head.journal, "number": head.number}
    echo(f"{source}: {text(f'witness.{answer.verdict}', named)}", err=True)
