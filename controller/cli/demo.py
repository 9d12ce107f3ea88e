"""`stand17 demo`: a table without hardware, through every real part."""

import asyncio
import os
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.application import DealtRules
from controller.cli.output import echo
from controller.config import CardsFrom
from controller.i18n import text

if TYPE_CHECKING:
    from controller.history.history import Row
    from controller.main.archived_history import ArchivedHistory
    from controller.main.compose import SideTask
    from controller.runtime.door import TableTask
    from controller.simulation.demo import DemoPlan

PORT: Final = 8017

_LINES_S: Final = 0.5
"""Between two looks for rounds that have ended."""

PORTS: Final = 50
"""How many ports are tried upwards from the wanted one."""


def demo(
    *,
    headless: Annotated[bool, typer.Option(help="Open no browser; print the address and deal.")] = False,
    seed: Annotated[int | None, typer.Option(help="Another shoe and other guests.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; the next free one.")] = PORT,
    speed: Annotated[float, typer.Option(min=0, help="1 as people play, 2 twice as fast, 0 at once.")] = 1.0,
    keep: Annotated[Path | None, typer.Option(help="Keep the journal here and resume from it.")] = None,
    rules: DealtRules = "spielbank",
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
    from controller.journal.store import JournalReader
    from controller.simulation.demo import DemoPlan

    for path in beside or ():
        JournalReader(path).close()
    has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    found = partial(_print_address, port, headless or not has_screen, keep)
    with tempfile.TemporaryDirectory(prefix="stand17-demo-") as scratch:
        plan = DemoPlan(
            keep or Path(scratch), seed, port, speed, rules, rounds, manual, mouth, faults, source
        )
        lines = RoundLines(plan.journal)
        asyncio.run(run_demo(plan, found, tuple(beside or ()), (lines.follow,) if headless else ()))
        if headless:
            lines.close(keep)


async def run_demo(
    plan: "DemoPlan",
    recorded: Callable[[str], None],
    beside: tuple[Path, ...] = (),
    tasks: "tuple[SideTask, ...]" = (),
) -> None:
    """Run the demo until it is stopped or its rounds are played; `recorded` hears the page's address.

    `beside` are files of tables that the pit's page shows, too; `tasks` run beside the table.
    Raises `TableError` as `Demo` and `run_table` do.
    """
    from controller.main.compose import TableSetup, run_table
    from controller.main.trust import demo_people, key_file
    from controller.simulation.demo import Demo
    from controller.studio.report_page import shift_report
    from controller.studio.round_replay import round_replay

    with closing(Demo(plan)) as demo:
        journal = demo.config.journal.file
        setup = TableSetup(
            demo.config,
            Path(),
            recorded,
            demo.cameras,
            "simulation",
            (demo.people, *tasks),
            PORTS,
            demo.cards,
            demo.draw,
            demo_people(),
            demo.faults,
            (round_replay(), shift_report({journal: key_file(demo.config)})),
            beside,
        )
        await run_table(setup)


ENDED: Final = """SELECT r.round, r.status, r.win, r.stops, h.cards, h.total, (SELECT group_concat(box, ' ')
    FROM (SELECT DISTINCT box FROM bet WHERE round = r.round ORDER BY box)) AS boxes
  FROM round r LEFT JOIN hand h ON h.round = r.round AND h.box = 0
  WHERE r.ended IS NOT NULL AND r.round > ? ORDER BY r.round"""

_SUM: Final = """SELECT count(*) AS rounds, coalesce(sum(win), 0) AS win FROM round
  WHERE ended IS NOT NULL AND round > ?"""


class RoundLines:
    """A line for each round that ends, from the history of the demo's journal, and a summary."""

    def __init__(self, journal: Path) -> None:
        """Begin after the rounds that a kept journal already has."""
        self._journal = journal
        self._history: ArchivedHistory | None = None
        self._first = self._last = max((row["round"] for row in self._rows(ENDED, 0)), default=0)

    async def follow(self, _table: "TableTask", _stop: asyncio.Event) -> None:
        """Print until cancelled."""
        while True:
            await asyncio.sleep(_LINES_S)
            await asyncio.to_thread(self._print_ended)

    def close(self, kept: Path | None) -> None:
        """Print the last rounds and their sum, and the command to open next."""
        self._print_ended()
        for total in self._rows(_SUM, self._first):
            echo(text("demo.sum", total))
        if kept is not None:
            echo(text("demo.open_next", {"path": str(self._journal)}))

    def _print_ended(self) -> None:
        for row in self._rows(ENDED, self._last):
            self._last = row["round"]
            echo(text(f"demo.round_{row['status']}", row))

    def _rows(self, sql: str, after: int) -> "list[Row]":
        """Rows of the rounds after this one, up to the journal's newest entry; none without a journal."""
        if not self._journal.exists():
            return []
        from controller.main.archived_history import ArchivedHistory

        history = self._history = self._history or ArchivedHistory(self._journal)
        more = True
        while more and (news := history.read()) is not None:
            more = history.take(news)
        return history.shift.history.rows(sql, (after,))


def _print_address(port: int, quiet: bool, keep: Path | None, address: str) -> None:
    if port and not address.endswith(f":{port}/"):
        echo(text("demo.port_taken", {"port": port}))
    echo(text("demo.ready", {"address": address}))
    echo(text("demo.kept", {"path": str(keep)}) if keep else text("demo.not_kept"))
    if not quiet:
        webbrowser.open(address)
