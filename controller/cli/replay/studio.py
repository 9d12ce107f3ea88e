"""`stand17 studio`: the tester's screen over feeds, journals and recordings, on this machine alone."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.named_files import named_files
from controller.feed.feed_lines import open_feed
from controller.ports import SystemClock
from controller.rules import load_file


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
    for file in files:
        # Errors in a file are printed now, not on the page.
        with open_feed(str(file)):
            pass
    for one in own:
        # As above: not when a case is accepted.
        load_file(one, Path())
    from controller.cli.local_page import serve_page
    from controller.studio.app import create_studio

    make = partial(
        create_studio,
        files,
        at_table=table,
        cases=cases,
        rules=own,
        face_down=face_down,
        clock=SystemClock(),
    )
    serve_page(lambda gate: make(gate=gate), port)
