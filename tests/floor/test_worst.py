"""The worst that can befall server, stream, archive, database, network and clocks, drawn from a seed."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import nats
import pytest
from nats.aio.msg import Msg

from controller.acts.catalogue import ShoeShuffled
from controller.domain import JournalError
from controller.floor import table_link
from controller.floor.archive import findings_in, journals_in
from controller.floor.messages import STREAM, Receipt, receipt_of
from controller.floor.postgresql import export
from controller.ports import SystemClock
from controller.runtime.api import Resume
from tests.floor.archive_kit import kept_of
from tests.floor.broker_kit import Broker
from tests.floor.floor_kit import run_linked
from tests.floor.test_link import begin, end
from tests.floor.worst_kit import POINTS, Archiver, Proxy
from tests.main.copy_kit import entries
from tests.main.live_kit import Live
from tools.postgres import Postgres

SEED = int(os.environ.get("STAND17_FLOOR_SEED", "39"))
DAY_US = 86_400_000_000
MAIN = "from controller.cli import main; main()"


class Worst:
    """A table, and all that is between it and its archive's database."""

    def __init__(self, folder: Path, chance: Random, database: Postgres) -> None:
        self.folder, self.chance, self.database = folder, chance, database
        self.archive, self.journal = folder / "archive", folder / "table.journal"
        self.broker = Broker(folder)
        self.near, self.far = Proxy(self.broker), Proxy(self.broker)
        self.archiver = Archiver(self.far.url, self.archive, database.url)
        self.receipts, self.commits = list[Receipt](), list[float]()
        self.shift_us = 0
        self.rows = list[str]()

    async def take(self, message: Msg) -> None:
        found = receipt_of(message.data.partition(b"\n")[2])
        assert found is not None
        self.receipts.append(found)

    def time_commits(self, live: Live) -> None:
        submit = live.table.submit

        async def timed(command: Any, *then: Any) -> Any:
            began = time.perf_counter()
            answer = await submit(command, *then)
            self.commits.append(time.perf_counter() - began)
            return answer

        live.table.submit = timed  # type: ignore[method-assign]

    async def play(self, live: Live, rounds: int = 2) -> None:
        for _ in range(rounds):
            await begin(live, "8")
            await end(live)
            await live.say(ShoeShuffled("all"))
            await asyncio.sleep(self.chance.uniform(0, 0.3))

    async def settle(self, live: Live) -> None:
        """Wait until folder and database have all of it."""
        await live.until(self._is_kept, 90)
        words = ["archive", "verify", str(self.archive), "--database", self.database.url]
        until = time.monotonic() + 90
        while await asyncio.to_thread(_called, *words):
            assert time.monotonic() < until
        (kept,) = journals_in(self.archive)
        out = self.folder / f"out-{len(self.rows)}.journal"
        export(kept, out)
        assert await asyncio.to_thread(_called, "verify", str(out)) == 0
        hashes = {one.seq: one.hash for one in entries(self.journal)}
        assert all(one.end.seq == 0 or hashes[one.end.seq] == one.end.hash for one in self.receipts)

    def _is_kept(self) -> bool:
        try:
            return kept_of(self.archive, self.journal) == entries(self.journal)
        except JournalError:
            # Its file is being laid out, by another process.
            return False

    # Each of these befalls it while rounds are played.

    async def archiver_killed(self, live: Live, point: str) -> None:
        self.archiver.kill()
        self.archiver.start(point, self.chance.randint(1, 3))
        while self.archiver.is_alive:
            await self.play(live, 1)
        self.archiver.start()

    async def server_killed(self, live: Live) -> None:
        await self.play(live)
        self.broker.kill()
        await self.play(live)
        self.broker.start()

    async def tail_cut(self, live: Live) -> None:
        """Entries that the server has acknowledged, and that nobody has taken yet, are gone."""
        self.archiver.kill()
        await self.play(live)
        self.broker.kill()
        for block in self.broker.store.rglob("*.blk"):
            os.truncate(block, max(0, block.stat().st_size - self.chance.randint(1, 5000)))
        self.broker.start()
        self.archiver.start()

    async def stream_deleted(self, live: Live) -> None:
        client = await self.broker.client()
        await self.play(live)
        await client.jetstream().delete_stream(STREAM)
        await client.close()
        await self.play(live)

    async def store_lost(self, live: Live) -> None:
        self.broker.kill()
        shutil.rmtree(self.broker.store)
        await self.play(live)
        self.broker.start()

    async def older_backup(self, live: Live) -> None:
        backup = await asyncio.to_thread(self.database.kept)
        await self.play(live)
        await self.settle(live)
        await asyncio.to_thread(self.database.put_back, backup)

    async def database_killed(self, live: Live) -> None:
        self.database.kill()
        await self.play(live)
        self.database.start()

    async def archive_s_disk_full(self, live: Live) -> None:
        size = max(one.stat().st_size for one in self.archive.iterdir())
        self.archiver.kill()
        self.archiver.start(file_kb=size // 1024)
        await self.play(live, 4)
        self.archiver.kill()
        self.archiver.start()

    async def server_s_disk_full(self, live: Live) -> None:
        self.archiver.kill()
        self.broker.kill()
        self.broker.start(file_kb=16)
        await self.play(live, 4)
        self.broker.kill()
        self.broker.start()
        self.archiver.start()

    async def clocks(self, live: Live) -> None:
        """The table itself stops where its clock goes back; somebody looks, and goes on."""
        for days in (3, -3, 0):
            self.shift_us = days * DAY_US
            await asyncio.sleep(2.5)
            await live.ask(Resume())
            await live.until(lambda: not live.holds or "CLOCK_STEPPED_BACK" in live.holds)
            await self.play(live, 1)

    async def half_open(self, live: Live) -> None:
        side = self.chance.choice((self.near, self.far))
        side.stall()
        await self.play(live)
        # Longer than it takes to give a silent connection up.
        await asyncio.sleep(8)
        side.go_on()

    async def reset(self, live: Live) -> None:
        for _ in range(6):
            self.chance.choice((self.near, self.far)).reset()
            await self.play(live, 1)


def _called(*words: str) -> int:
    return subprocess.run([sys.executable, "-c", MAIN, *words], capture_output=True, check=False).returncode


Trouble = tuple[str, Callable[[Worst, Live], Any]]

TROUBLES: list[Trouble] = [
    ("nothing", Worst.play),
    *[(f"archiver killed {point}", lambda w, live, p=point: w.archiver_killed(live, p)) for point in POINTS],
    ("server killed", Worst.server_killed),
    ("stream's tail cut", Worst.tail_cut),
    ("stream deleted", Worst.stream_deleted),
    ("server's store lost", Worst.store_lost),
    ("older backup of the database", Worst.older_backup),
    ("database killed", Worst.database_killed),
    ("archive's disk full", Worst.archive_s_disk_full),
    ("server's disk full", Worst.server_s_disk_full),
    ("clock 3 days ahead, behind, right again", Worst.clocks),
    ("connections half open", Worst.half_open),
    ("connections reset", Worst.reset),
]


@pytest.mark.night
@pytest.mark.timeout(1800)
def test_whatever_befalls_the_floor_the_archive_is_the_table_s_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, seconds in ((table_link, "RETRY_S", 2.0), (table_link, "ANSWER_S", 2.0)):
        monkeypatch.setattr(module, name, seconds)
    monkeypatch.setattr(table_link, "BEAT_S", 1.0)
    chance = Random(SEED)
    with Postgres() as database:
        worst = Worst(tmp_path, chance, database)
        now_us = SystemClock.utc_us
        monkeypatch.setattr(SystemClock, "utc_us", lambda clock: now_us(clock) + worst.shift_us)
        try:
            run_linked(tmp_path, _story(worst), worst.broker, url=worst.near.url, within_s=1500)
        finally:
            worst.archiver.kill()
            worst.broker.kill()
            sys.stdout.write("\n".join((f"seed {SEED}", *worst.rows, "")))
    assert list(findings_in(worst.archive)) == []
    assert len(worst.rows) == len(TROUBLES)


def _story(worst: Worst) -> Callable[[Live], Any]:
    async def story(live: Live) -> None:
        worst.broker.start()
        for proxy in (worst.near, worst.far):
            await proxy.open()
        worst.archiver.start()
        worst.time_commits(live)
        client = await nats.connect(worst.broker.url, max_reconnect_attempts=-1, reconnect_time_wait=0.1)
        await client.subscribe("stand17.receipt.*", cb=worst.take)
        await worst.play(live)
        await worst.settle(live)
        for name, befall in worst.chance.sample(TROUBLES, len(TROUBLES)):
            worst.commits.clear()
            count, began = len(worst.receipts), time.monotonic()
            await befall(worst, live)
            ended = time.monotonic()
            await worst.settle(live)
            took = sorted(worst.commits)
            worst.rows.append(
                f"| {name} | {len(took)} | {took[len(took) // 2] * 1e3:.1f} | {took[-1] * 1e3:.0f} "
                f"| {len(worst.receipts) - count} | {ended - began:.1f} | {time.monotonic() - ended:.1f} |"
            )
        await client.close()
        for proxy in (worst.near, worst.far):
            proxy.close()

    return story
