"""`make floor-demo`: a floor on one machine, without root: NATS, tables, archive, PostgreSQL, the pit's page.

Each table is the demo in a process of its own, with faults every few rounds. The archive stores its
entries, and whoever signs in at the pit's page rules. Ctrl-C ends all of them; then the archive is verified.
"""

import argparse
import asyncio
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Final

from controller.cli.demo import run_demo
from controller.config import FloorSection
from controller.floor.archive import journals_in
from controller.floor.intake import PIT_KEY, SECTION, SERVER, KnownTables, enrol
from controller.floor.table_link import ServerAccess
from controller.journal.head_file import CREDENTIAL, TableKey
from controller.main.linked_pit import LinkedFloor
from controller.main.linked_table import floor_section
from controller.main.pit_page import FloorTables, FoundJournal, serve_pit
from controller.main.trust import demo_people
from controller.people.access import PIN
from controller.ports import SystemClock
from controller.simulation.demo import DemoPlan
from tools.postgres import Postgres

COMMAND: Final = (sys.executable, "-c", "from controller.cli import main; main()")
_SELF: Final = (sys.executable, "-m", "tools.floor_demo", "--folder")
_BROKER: Final = Path(sys.executable).with_name("nats-server")
PORT: Final = 8018
_STOPPED_S: Final = 60


def main() -> int:
    """Run the floor, or with `--part` one part of it; the exit status of the archive's proof."""
    options = argparse.ArgumentParser(description="A floor of simulated tables.")
    options.add_argument("--tables", type=int, default=12, help="how many tables are played")
    options.add_argument("--seconds", type=float, default=None, help="end after so long; else with Ctrl-C")
    options.add_argument("--part", help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.part:
        (_pit if asked.part == "pit" else _play)(asked.folder, asked.part)
        return 0
    with tempfile.TemporaryDirectory(prefix="stand17-floor-") as scratch, Postgres() as server:
        names = [f"BJ{number}" for number in range(1, asked.tables + 1)]
        _run(Path(scratch), names, server.url, asked.seconds)
        proof = ("archive", "verify", Path(scratch) / "archive", "--database", server.url)
        return subprocess.run([*COMMAND, *proof], check=False).returncode


def _run(folder: Path, names: list[str], database: str, seconds: float | None) -> None:
    """Start all parts, and stop them in the order in which facts go, so that the last ones arrive."""
    floor, archive = folder / "floor", folder / "archive"
    servers = (f"nats://127.0.0.1:{_free_port()}",)
    for name in names:
        (folder / name).mkdir(mode=0o700)
        key = TableKey.load_or_make(folder / name / CREDENTIAL, {})
        new_password = partial(secrets.token_urlsafe, 24)
        enrol(floor, archive, name, key.public, servers=servers, new_password=new_password)
    stop = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: stop.set())
    network = ("--network", floor / "archive" / SECTION)
    with ExitStack() as kept, ExitStack() as played:
        log = kept.enter_context((folder / "log").open("ab"))
        _start(kept, _BROKER, "-c", floor / SERVER, log=log)
        keep = ("archive", "run", "--into", archive, "--database", database)
        _start(kept, *COMMAND, *keep, *network, log=log)
        for name in names:
            _start(played, *_SELF, folder, "--part", name, log=log)
        _start(played, *_SELF, folder, "--part", "pit")
        stop.wait(seconds)
        played.close()


def _free_port() -> int:
    """A port that is free now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _section(folder: Path, member: str) -> FloorSection:
    return floor_section((), folder / "floor" / member / SECTION)


def _play(folder: Path, name: str) -> None:
    """Run one table, on the next free port."""
    plan = DemoPlan(
        folder=folder / name,
        seed=int(name.removeprefix("BJ")),
        port=0,
        speed=1.0,
        rules="spielbank",
        rounds=0,
        manual=False,
        faults=True,
        name=name,
        floor=_section(folder, f"tables/{name}"),
    )
    asyncio.run(run_demo(plan, print))


def _pit(folder: Path, _part: str) -> None:
    """Run the pit's server, at whose page the demo's people sign in."""
    key = TableKey.load_or_make(folder / "floor" / "pit" / PIT_KEY, {})
    access, known = ServerAccess(_section(folder, "pit"), "pit"), KnownTables((folder / "archive",))
    linked = LinkedFloor(access, key, lambda _reason: None, known.table_of)
    floor = FloorTables(
        lambda: [FoundJournal(path) for path in journals_in(folder / "archive")],
        SystemClock(),
        remote=linked.remote,
    )
    asyncio.run(serve_pit(floor, PORT, _tell, linked, demo_people()))


def _tell(address: str) -> None:
    sys.stdout.write(f"{address} (demo-pit, {PIN})\n")
    sys.stdout.flush()


def _start(until: ExitStack, *words: str | Path, log: IO[bytes] | None = None) -> None:
    """Start a program that ends on SIGINT, as at a terminal; its output goes to `log`."""
    process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

    def stop() -> None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOPPED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    until.callback(stop)


if __name__ == "__main__":
    sys.exit(main())
