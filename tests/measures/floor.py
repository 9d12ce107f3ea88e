"""Light tables with real journals on a floor's network: `python -m tests.measures.floor TABLES SECONDS`.

A table is what goes over the network: a journal with a key, entries at a real table's pace, the link, and no
engine. All of it runs on this machine: the server, the archive as `stand17 archive run`, the pit.
"""

import asyncio
import json
import multiprocessing
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from statistics import quantiles

from controller.config.floor import FloorSection
from controller.domain.errors import TableError
from controller.floor.journal_archive import journals_in
from controller.floor.link.connection import ServerAccess
from controller.floor.link.entries_out import EntriesOut
from controller.floor.link.pit_link import PitLink
from controller.floor.link.table_link import Answers, TableLink
from controller.floor.outbox import OwnJournal
from controller.floor.signed_commands import AskedCommand, accepted, answer_of, signed_command, taken_command
from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.journal.table_key import TableKey
from controller.ports import SystemClock
from tests.floor.broker_kit import Broker
from tests.main.copy_kit import entries

PACE_S = 1.5
"""Between two entries of a table: 0.67 a second, as a round of a minute with forty entries has it."""

TABLES_A_PROCESS = 25
TILE = "x" * 500
BODY = json.dumps({"obs": "bet", "box": 3, "stake": 1000, "why": "y" * 250}).encode()


def _say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class LightTable:
    def __init__(self, folder: Path, server: str, commander: str) -> None:
        folder.mkdir(parents=True)
        self._file = folder / f"{folder.name}.journal"
        self._key = TableKey.load_or_make(folder / "table.key", {})
        self._turn = threading.Lock()
        self._journal = Journal.open(self._file, SystemClock(), self._key)
        self._write()
        self._commander = commander
        own = OwnJournal(self._file)
        self.link = TableLink(
            ServerAccess(FloorSection(servers=(server,)), folder.name),
            self._key,
            EntriesOut(self._key, own, secrets.token_hex, _say),
            Answers(self._command, self._command),
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
        told = {
            "key": self._key.public,
            "journal": self._id,
            "seq": seq,
            "at": time.monotonic(),
            "tile": TILE,
        }
        self.link.show(json.dumps(told).encode())
        self.link.release(seq)
        return took

    async def _command(self, data: bytes) -> bytes:
        taken_command(data, (self._commander,))
        seq = await asyncio.to_thread(self._write)
        self.link.release(seq)
        return accepted(seq)


def play(folder: Path, numbers: range, server: str, commander: str, until: float, out: Path) -> None:
    tables = [LightTable(folder / f"bj{number}", server, commander) for number in numbers]
    for table in tables:
        table.link.open()
    chance, took = Random(numbers.start), list[float]()
    due = [(time.monotonic() + chance.random() * PACE_S, table) for table in tables]
    while time.monotonic() < until:
        due.sort(key=lambda one: one[0])
        at, table = due[0]
        time.sleep(max(0.0, at - time.monotonic()))
        took.append(table.turn())
        due[0] = (at + chance.uniform(0.5, 1.5) * PACE_S, table)
    time.sleep(4)
    for table in tables:
        table.link.close()
    out.write_text(json.dumps(took))


def said(name: str, seconds: list[float]) -> str:
    cuts = quantiles(seconds, n=100)
    return f"{name}: p50 {cuts[49] * 1e3:.1f} ms, p99 {cuts[98] * 1e3:.1f} ms, n {len(seconds)}"


async def watch(server: str, key: TableKey, until: float) -> None:
    states, asked, lost = list[float](), list[float](), 0
    tables: dict[str, tuple[str, int]] = {}

    def stated(_key: str, data: bytes) -> None:
        told = json.loads(data)
        known = tables.get(told["key"])
        if known is None or known[1] != told["seq"]:
            states.append(time.monotonic() - told["at"])
        tables[told["key"]] = (told["journal"], told["seq"])

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
    _say("\n".join((said("state -> pit", states), said("command -> answer", asked), f"unanswered {lost}")))


def main(tables: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker, key = Broker(folder), TableKey.load_or_make(folder / "pit.key", {})
        broker.start()
        words = [
            "archive",
            "run",
            "--server",
            broker.url,
            "--into",
            str(folder / "archive"),
            "--monitor",
            broker.monitor,
        ]
        run = [sys.executable, "-c", "from controller.cli import main; main()", *words]
        archive = subprocess.Popen(run, stdout=subprocess.DEVNULL)
        until, forks = time.monotonic() + seconds + 5, multiprocessing.get_context("spawn")
        groups = [range(at, min(at + TABLES_A_PROCESS, tables)) for at in range(0, tables, TABLES_A_PROCESS)]
        outs = [folder / f"{group.start}.json" for group in groups]
        players = [
            forks.Process(target=play, args=(folder / "tables", group, broker.url, key.public, until, out))
            for group, out in zip(groups, outs, strict=True)
        ]
        for one in players:
            one.start()
        asyncio.run(watch(broker.url, key, until))
        for one in players:
            one.join()
        archive.terminate()
        archive.wait()
        broker.kill()
        _say(said("commit", [float(one) for out in outs for one in json.loads(out.read_text())]))
        compare(folder)


def compare(folder: Path) -> None:
    kept = {one.name.rpartition("-")[0]: entries(one) for one in journals_in(folder / "archive")}
    own = {one.stem: entries(one) for one in (folder / "tables").glob("*/*.journal")}
    wrong = [
        name for name, written in own.items() if kept.get(name, []) != written[: len(kept.get(name, []))]
    ]
    lacking = sum(len(written) - len(kept.get(name, [])) for name, written in own.items())
    _say(f"entries {sum(map(len, own.values()))}, not archived {lacking}, journals that differ {len(wrong)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
