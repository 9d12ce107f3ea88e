"""`make floor-demo`: a floor on one machine, without root: tables, their archive, PostgreSQL, the pit's page.

Each table is the demo's, in a process of its own, with faults every few rounds; it writes its copy into a
folder from which the archive follows it. Ctrl-C ends all of them, and the archive proves itself at the end.
"""

import argparse
import asyncio
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from controller.cli.setup.demo import run_demo
from controller.simulation.demo import DemoPlan
from tools.postgres import Postgres

COMMAND: Final = (sys.executable, "-c", "from controller.cli import main; main()")
STOPPED_S: Final = 60


def main() -> int:
    """Run the floor, or with `--table` one table of it; the exit status of the archive's proof."""
    options = argparse.ArgumentParser(description="A floor of simulated tables.")
    options.add_argument("--tables", type=int, default=3, help="how many tables are played")
    options.add_argument("--seconds", type=float, default=None, help="end after so long; else with Ctrl-C")
    options.add_argument("--table", help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.table:
        _play(asked.table, asked.folder)
        return 0
    with tempfile.TemporaryDirectory(prefix="stand17-floor-") as scratch, Postgres() as server:
        names = [f"BJ{number}" for number in range(1, asked.tables + 1)]
        _run(Path(scratch), names, server.url, asked.seconds)
        proof = ("archive", "verify", Path(scratch) / "archive", "--database", server.url)
        return subprocess.run([*COMMAND, *proof], check=False).returncode


def _run(folder: Path, names: list[str], database: str, seconds: float | None) -> None:
    """Start all parts, and stop them in the order in which facts go, so that the last ones arrive."""
    archive, copies = folder / "archive", [folder / "copies" / name for name in names]
    for path in (archive, *copies):
        path.mkdir(parents=True)
    follow: list[str | Path] = ["archive", "follow", *copies, "--into", archive, "--database", database]
    with ExitStack() as kept, ExitStack() as played:
        # The floor's network belongs here: its server first, and `[floor]` in what `_play` makes.
        log = kept.enter_context((folder / "log").open("ab"))
        _start(kept, *COMMAND, *follow, "--every", "0.5", log=log)
        for name in names:
            table = ("-m", "tools.floor_demo", "--table", name, "--folder", folder)
            _start(played, sys.executable, *table, log=log)
        _start(played, *COMMAND, "pit", archive)
        stop = threading.Event()
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: stop.set())
        stop.wait(seconds)
        played.close()
    subprocess.run([*COMMAND, *follow, "--once"], check=False)


def _play(name: str, folder: Path) -> None:
    """One table, on the next free port."""
    own = folder / name
    own.mkdir()
    plan = DemoPlan(
        folder=own,
        seed=int(name.removeprefix("BJ")),
        port=0,
        speed=1.0,
        rules="spielbank",
        rounds=0,
        manual=False,
        faults=True,
        name=name,
        copies=folder / "copies" / name,
    )
    asyncio.run(run_demo(plan, print))


def _start(until: ExitStack, *words: str | Path, log: IO[bytes] | None = None) -> None:
    """Start a program that is asked to end with SIGINT, as at a terminal; what it says goes into `log`."""
    process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

    def stop() -> None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOPPED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    until.callback(stop)


if __name__ == "__main__":
    sys.exit(main())
