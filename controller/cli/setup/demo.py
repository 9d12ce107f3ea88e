"""`stand17 demo`: a table without hardware, through every real part."""

import asyncio
import os
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.output import echo
from controller.config.witnesses import CardsFrom
from controller.i18n import text
from controller.main.compose import run_table
from controller.main.signing import key_file
from controller.main.table_parts import TableSetup
from controller.main.table_people import demo_people
from controller.simulation.demo import Demo, DemoPlan
from controller.studio.report_page import shift_report
from controller.studio.round_replay import round_replay

PORT: Final = 8017
PORTS: Final = 50
"""How many ports are tried upwards from the wanted one."""


def demo(
    *,
    headless: Annotated[bool, typer.Option(help="Open no browser; print the address and deal.")] = False,
    seed: Annotated[int | None, typer.Option(help="Another shoe and other guests.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; the next free one.")] = PORT,
    speed: Annotated[float, typer.Option(min=0, help="1 as people play, 2 twice as fast, 0 at once.")] = 1.0,
    keep: Annotated[Path | None, typer.Option(help="Keep the journal here and resume from it.")] = None,
    rules: Annotated[str, typer.Option(help="nl, de, spielbank, fr, it or a rule file.")] = "spielbank",
    rounds: Annotated[int, typer.Option(min=0, help="Stop after so many rounds.")] = 0,
    manual: Annotated[bool, typer.Option(help="Bet, decide and pay by hand on the page.")] = False,
    source: Annotated[
        CardsFrom, typer.Option(help="Who tells the cards: the shoe, a camera over the layout, or both.")
    ] = "shoe",
    mouth: Annotated[bool, typer.Option(help="A camera at the shoe's mouth sees the cards.")] = False,
    beside: Annotated[
        list[Path] | None, typer.Option(help="Show this journal's table beside it on the pit's page.")
    ] = None,
    faults: Annotated[bool, typer.Option(help="Faults happen every few rounds, or when called.")] = False,
) -> None:
    """Open a simulated table: drawn cards, a shoe on a pseudo-terminal, and everything else real.

    Nothing is stored unless --keep names a folder; a second start with it resumes the exact state.
    """
    if mouth and source == "camera":
        raise typer.BadParameter(text("demo.no_mouth"), param_hint="--mouth")
    found = partial(_print_address, port, headless or not _has_screen(), keep)
    with tempfile.TemporaryDirectory(prefix="stand17-demo-") as scratch:
        plan = DemoPlan(
            keep or Path(scratch), seed, port, speed, rules, rounds, manual, mouth, faults, source
        )
        asyncio.run(run_demo(plan, found, tuple(beside or ())))


async def run_demo(plan: DemoPlan, recorded: Callable[[str], None], beside: tuple[Path, ...] = ()) -> None:
    """Run the demo until it is stopped or its rounds are played; `recorded` hears the page's address.

    `beside` are files of tables that the pit's page shows, too.
    Raises `TableError` as `Demo` and `run_table` do.
    """
    with closing(Demo(plan)) as demo:
        journal = demo.config.journal.file
        setup = TableSetup(
            demo.config,
            Path(),
            recorded,
            demo.cameras,
            "simulation",
            (demo.people,),
            PORTS,
            demo.cards,
            demo.draw,
            demo_people(),
            demo.faults,
            (round_replay(), shift_report({journal: key_file(demo.config)})),
            beside,
        )
        await run_table(setup)


def _print_address(port: int, quiet: bool, keep: Path | None, address: str) -> None:
    if port and not address.endswith(f":{port}/"):
        echo(text("demo.port_taken", {"port": port}))
    echo(text("demo.ready", {"address": address}))
    echo(text("demo.kept", {"path": str(keep)}) if keep else text("demo.not_kept"))
    if not quiet:
        webbrowser.open(address)


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
