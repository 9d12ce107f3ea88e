"""One table that was away for three days, over four journals, among others that play on.

`python -m tests.measures.floor_comes_back OTHERS`: how long its journals take to the archive, and how long
the others' entries take meanwhile, from the commit to the archive's receipt on the wire.
"""

import asyncio
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import nats
from nats.aio.msg import Msg

from controller.domain import JournalError
from controller.floor.archive import journals_in
from controller.floor.messages import receipt_of
from controller.journal.entry import NewEntry
from controller.journal.head_file import TableKey
from controller.journal.heads import HeadSigner, head_before
from controller.journal.store import Journal, JournalReader
from controller.ports import SystemClock
from tests.floor.broker_kit import Broker
from tests.floor.light_kit import LightTable
from tests.measures.floor import BODY, PACE_S, TABLES_A_PROCESS, _say, figures
from tools.postgres import Postgres

ROUNDS = 1_000
"""Of a day, with a signed head each."""

LASTS_S = 130
"""The others open for 40 s, are measured for 20, and then it comes back."""

ENTRIES = 40
"""Of a round."""


def days_away(folder: Path, days: int) -> None:
    """Journals of so many days, each of which follows the one before; the last goes on."""
    folder.mkdir()
    key, clock = TableKey.load_or_make(folder / "table.key", {}), SystemClock()
    for day in range(days):
        path = folder / (f"{folder.name}.journal" if day == days - 1 else f"day-{day}.journal")
        follows = head_before(path, folder.name)
        journal = Journal.open(path, clock, key)
        heads = HeadSigner(path, folder.name, key)
        opened = {"table": folder.name} | ({} if follows is None else {"follows": follows._asdict()})
        journal.append([NewEntry("opened", json.dumps(opened).encode(), "system")])
        for number in range(ROUNDS * 3 // 4):
            journal.append([NewEntry("fact", BODY, "system")] * ENTRIES)
            heads.sign(journal.head(), number, clock.utc_us(), "round")
        journal.close()


def play(folder: Path, numbers: range, server: str, until: float, out: Path) -> None:
    """Others, as `tests.measures.floor` has them; when each entry was committed."""
    tables = [LightTable(folder / f"bj{number}", {"servers": [server]}) for number in numbers]
    chance, written = Random(numbers.start), list[tuple[str, int, float]]()
    due = [(time.monotonic() + chance.random() * PACE_S, table) for table in tables]
    while time.monotonic() < until:
        due.sort(key=lambda one: one[0])
        at, table = due[0]
        time.sleep(max(0.0, at - time.monotonic()))
        table.write(BODY)
        written.append((table.id, table.journal.head().seq, time.monotonic()))
        table.link.release(table.journal.head().seq)
        due[0] = (at + chance.uniform(0.5, 1.5) * PACE_S, table)
    time.sleep(5)
    for table in tables:
        table.close()
    out.write_text(json.dumps(written))


async def watch(server: str, until: float, receipts: list[tuple[str, int, float]]) -> None:
    async def take(message: Msg) -> None:
        found = receipt_of(message.data.partition(b"\n")[2])
        if found is not None:
            receipts.append((found.journal, found.end.seq, time.monotonic()))

    client = await nats.connect(server)
    await client.subscribe("stand17.receipt.*", cb=take)
    await asyncio.sleep(until - time.monotonic())
    await client.close()


def waited(written: list[tuple[str, int, float]], receipts: list[tuple[str, int, float]]) -> list[float]:
    """How long each entry took until a receipt went that far; never is an hour."""
    found: dict[str, list[tuple[int, float]]] = {}
    for journal, seq, at in receipts:
        found.setdefault(journal, []).append((seq, at))
    return [
        next((at - began for end, at in found.get(journal, ()) if end >= seq), 3600.0)
        for journal, seq, began in written
    ]


def main(others: int) -> None:
    with tempfile.TemporaryDirectory() as name, Postgres() as database:
        folder = Path(name)
        days_away(folder / "away", 4)
        own = {path.stem: _end(path) for path in (folder / "away").glob("*.journal")}
        broker = Broker(folder)
        broker.start()
        run = [sys.executable, "-c", "from controller.cli import main; main()", "archive", "run"]
        words = ["--server", broker.url, "--into", str(folder / "archive"), "--database", database.url]
        archive = subprocess.Popen([*run, *words], stdout=subprocess.DEVNULL)
        forks, until = multiprocessing.get_context("spawn"), time.monotonic() + LASTS_S
        (folder / "tables").mkdir()
        groups = [range(at, min(at + TABLES_A_PROCESS, others)) for at in range(0, others, TABLES_A_PROCESS)]
        outs = [folder / f"{group.start}.json" for group in groups]
        players = [
            forks.Process(target=play, args=(folder / "tables", group, broker.url, until - 10, out))
            for group, out in zip(groups, outs, strict=True)
        ]
        for one in players:
            one.start()
        receipts = list[tuple[str, int, float]]()
        back = [0.0, 0.0]

        def come_back() -> None:
            time.sleep(60)
            back[0] = time.monotonic()
            table = LightTable(folder / "away", {"servers": [broker.url]})
            while _kept(folder / "archive", own) != own:
                time.sleep(0.1)
            back[1] = time.monotonic()
            table.close()

        async def both() -> None:
            await asyncio.gather(watch(broker.url, until, receipts), asyncio.to_thread(come_back))

        try:
            asyncio.run(both())
        finally:
            for one in players:
                one.join()
            archive.terminate()
            archive.wait()
            broker.kill()
        written = [tuple(one) for out in outs for one in json.loads(out.read_text())]
        while_back = [one for one in written if back[0] <= one[2] <= back[1]]
        before = [one for one in written if back[0] - 15 <= one[2] <= back[0] - 2]
        _say(f"entries away {sum(own.values())}, in four journals, archived in {back[1] - back[0]:.1f} s")
        _say(f"others, commit -> archived, before: {figures(waited(before, receipts))}")
        _say(f"others, commit -> archived, meanwhile: {figures(waited(while_back, receipts))}")


def _end(path: Path) -> int:
    reader = JournalReader(path)
    try:
        return reader.last_seq()
    finally:
        reader.close()


def _kept(archive: Path, own: dict[str, int]) -> dict[str, int]:
    kept = {path.stem.rpartition("-")[0]: path for path in journals_in(archive)}
    try:
        return {name: _end(kept[name]) for name in own if name in kept}
    except JournalError:
        # It is being laid out, by another process.
        return {}


if __name__ == "__main__":
    main(int(sys.argv[1]))
