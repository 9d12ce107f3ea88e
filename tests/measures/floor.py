"""Light tables with real journals on a network: `python -m tests.measures.floor TABLES… --seconds 60`.

A table is what goes over the network: a journal with a key, entries at a real table's pace, the link, and no
engine. All of it runs on this machine: the server, the archive as `stand17 archive run`, the pit. Of each
number of tables a line of JSON is printed; `--plot FILE` draws how the figures grow.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import quantiles
from threading import Barrier
from typing import Any
from urllib.request import urlopen

from controller.config import FloorSection
from controller.domain import TableError
from controller.floor.archive import journals_in
from controller.floor.messages import (
    AskedCommand,
    OwnJournal,
    accepted,
    answer_of,
    signed_command,
    taken_command,
)
from controller.floor.pit_link import PitLink
from controller.floor.table_link import EntriesOut, ServerAccess, TableLink
from controller.journal.entry import NewEntry
from controller.journal.head_file import TableKey
from controller.journal.store import Journal
from controller.main.linked_table import PublishedState
from controller.ports import SystemClock
from tests.floor.broker_kit import Broker
from tests.main.copy_kit import entries
from tests.measures.growth_plot import growth_plot
from tests.measures.light_tile import tile

PACE_S = 1.5
"""Between two entries of a table: 0.67 a second, as a round of a minute with forty entries has it."""

TABLES_A_PROCESS = 25
REST_S = 4
"""After the last entry: what is on its way arrives."""

BODY = json.dumps({"obs": "bet", "box": 3, "stake": 1000, "why": "y" * 250}).encode()


def _say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class LightTable:
    def __init__(self, folder: Path, server: str, commander: str) -> None:
        folder.mkdir(parents=True)
        self._name = folder.name
        self._file = folder / f"{folder.name}.journal"
        self._key = TableKey.load_or_make(folder / "table.key", {})
        self._turn = threading.Lock()
        self._journal = Journal.open(self._file, SystemClock(), self._key)
        opened = json.dumps({"table": self._name}).encode()
        self._journal.append([NewEntry("opened", opened, "system")])
        self._commander = commander
        own = OwnJournal(self._file)
        self.link = TableLink(
            ServerAccess(FloorSection(servers=(server,)), folder.name),
            self._key,
            EntriesOut(self._key, own, secrets.token_hex, _say),
            command=self._command,
            view=self._command,
            run=secrets.token_hex(),
            changed=lambda _: None,
            failed=_say,
        )
        self._id = own.id

    def _write(self) -> int:
        with self._turn:
            return self._append()

    def _append(self) -> int:
        return self._journal.append([NewEntry("fact", BODY, "system")])[-1].seq

    def turn(self) -> float:
        """Write an entry, show it, have it sent; how long the commit took."""
        began = time.perf_counter()
        seq = self._write()
        took = time.perf_counter() - began
        shown = PublishedState(table=self._key.public, journal=self._id, seq=seq, tile=tile(self._name, seq))
        self.link.show(shown.model_dump_json().encode())
        self.link.release(seq)
        return took

    async def _command(self, data: bytes) -> bytes:
        taken_command(data, (self._commander,))
        seq = await asyncio.to_thread(self._write)
        self.link.release(seq)
        return accepted(seq)


def play(
    folder: Path, numbers: range, server: str, pit: str, seconds: float, ready: Barrier, out: Path
) -> None:
    """Some of the tables, in a process of their own; `out` gets their commits and processor time."""
    tables = [LightTable(folder / f"bj{number}", server, pit) for number in numbers]
    for table in tables:
        table.link.open()
    ready.wait()
    began = _processor(RUSAGE_SELF)
    until, chance, took = time.monotonic() + seconds, Random(numbers.start), list[float]()
    due = [(time.monotonic() + chance.random() * PACE_S, table) for table in tables]
    while time.monotonic() < until:
        due.sort(key=lambda one: one[0])
        at, table = due[0]
        time.sleep(max(0.0, at - time.monotonic()))
        took.append(table.turn())
        due[0] = (at + chance.uniform(0.5, 1.5) * PACE_S, table)
    spent = _processor(RUSAGE_SELF) - began
    time.sleep(REST_S)
    for table in tables:
        table.link.close()
    out.write_text(json.dumps({"took": took, "processor": spent}))


def figures(seconds: list[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100)
    times = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "worst": max(seconds)}
    return {name: round(value * 1e3, 1) for name, value in times.items()} | {"count": len(seconds)}


def _processor(who: int) -> float:
    used = getrusage(who)
    return used.ru_utime + used.ru_stime


async def watch(server: str, key: TableKey, until: float) -> dict[str, Any]:
    states, asked, lost = list[float](), list[float](), 0
    tables: dict[str, tuple[str, int]] = {}

    def stated(_key: str, data: bytes) -> None:
        told = json.loads(data)
        known = tables.get(told["table"])
        if known is None or known[1] != told["seq"]:
            states.append(time.time() - told["tile"]["at_utc_us"] / 1e6)
        tables[told["table"]] = (told["journal"], told["seq"])

    link = PitLink(stated, lambda _: None, _say)
    running = asyncio.create_task(link.run(ServerAccess(FloorSection(servers=(server,)), "pit")))
    chance = Random(1)
    while time.monotonic() < until:
        await asyncio.sleep(0.1)
        if tables:
            table = chance.choice(sorted(tables))
            ask = AskedCommand(table, tables[table][0], secrets.token_hex(6), "S-02", 1, {"do": "freeze"})
            began = time.monotonic()
            try:
                answer_of(await link.ask(table, signed_command(ask, key)))
                asked.append(time.monotonic() - began)
            except TableError:
                lost += 1
    running.cancel()
    return {"state_to_pit": figures(states), "command_to_answer": figures(asked), "unanswered": lost}


def _ended(process: subprocess.Popen[bytes]) -> dict[str, float]:
    """End a program; its processor time in seconds and its memory in MB at most."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    before = _processor(RUSAGE_CHILDREN)
    process.terminate()
    process.wait()
    return {"processor": round(_processor(RUSAGE_CHILDREN) - before, 1), "memory_mb": int(peak) // 1024}


def playing(
    folder: Path, tables: int, server: str, pit: str, seconds: float
) -> tuple[list[BaseProcess], list[Path]]:
    """All tables in processes, which play from now on."""
    forks = multiprocessing.get_context("spawn")
    groups = [range(at, min(at + TABLES_A_PROCESS, tables)) for at in range(0, tables, TABLES_A_PROCESS)]
    outs = [folder / f"{group.start}.json" for group in groups]
    ready = forks.Barrier(len(groups) + 1)
    given = (server, pit, seconds, ready)
    players = [
        forks.Process(target=play, args=(folder / "tables", group, *given, out))
        for group, out in zip(groups, outs, strict=True)
    ]
    for one in players:
        one.start()
    ready.wait()
    return list(players), outs


def measured(tables: int, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker, key = Broker(folder), TableKey.load_or_make(folder / "pit.key", {})
        broker.start()
        into = ("--into", str(folder / "archive"), "--monitor", broker.monitor)
        main = "from controller.cli import main; main()"
        run = [sys.executable, "-c", main, "archive", "run", "--server", broker.url, *into]
        archive = subprocess.Popen(run, stdout=subprocess.DEVNULL)
        players, outs = playing(folder, tables, broker.url, key.public, seconds)
        found: dict[str, Any] = {
            "tables": tables,
            "seconds": seconds,
            "load_before": round(os.getloadavg()[0], 1),
        }
        found |= asyncio.run(watch(broker.url, key, time.monotonic() + seconds))
        found["load"] = round(os.getloadavg()[0], 1)
        for one in players:
            one.join()
        found["archive"] = _ended(archive)
        told = json.loads(urlopen(f"{broker.monitor}/varz").read())
        used = _processor(RUSAGE_CHILDREN)
        broker.kill()
        found["server"] = {
            "processor": round(_processor(RUSAGE_CHILDREN) - used, 1),
            "memory_mb": told["mem"] >> 20,
            "in_mb": told["in_bytes"] // 10**6,
            "out_mb": told["out_bytes"] // 10**6,
        }
        played = [json.loads(out.read_text()) for out in outs]
        found["commit"] = figures([took for one in played for took in one["took"]])
        found["tables_processor"] = round(sum(one["processor"] for one in played), 1)
        return found | compare(folder)


def compare(folder: Path) -> dict[str, int]:
    kept = {one.name.rpartition("-")[0]: entries(one) for one in journals_in(folder / "archive")}
    own = {one.stem: entries(one) for one in (folder / "tables").glob("*/*.journal")}
    wrong = [
        name for name, written in own.items() if kept.get(name, []) != written[: len(kept.get(name, []))]
    ]
    lacking = sum(len(written) - len(kept.get(name, [])) for name, written in own.items())
    return {
        "entries": sum(map(len, own.values())),
        "not_archived": lacking,
        "journals_that_differ": len(wrong),
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("tables", type=int, nargs="+")
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--plot", type=Path)
    told = asked.parse_args()
    found = []
    for tables in told.tables:
        found.append(measured(tables, told.seconds))
        _say(json.dumps(found[-1]))
    if told.plot is not None:
        told.plot.write_text(growth_plot(found))


if __name__ == "__main__":
    main()
