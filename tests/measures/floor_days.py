"""Processor time until the pit's page has the tiles of a floor, from the journals of many tables in a folder.

`stand17 demo --headless --speed 0 --rounds 700 --keep FOLDER`, then
`python -m tests.measures.floor_days FOLDER/demo.journal --tables 200`.
"""

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from controller.floor.archive import BATCH, ArchivedJournal
from controller.history.kept import KeptHistories
from controller.journal.entry import Entry
from controller.main.pit_page import FloorTables, FoundJournal
from controller.ports import SystemClock
from controller.screens.tiles import floor_figures
from tests.floor.hostile_kit import of_table
from tests.main.copy_kit import entries


def main() -> None:
    """Lay the journals out, then start twice: with nothing kept, and once more."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("journal", type=Path, help="a day's journal")
    options.add_argument("--tables", type=int, default=200)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.journal.parent) as name:
        folder = Path(name)
        (folder / "came").mkdir()
        day = entries(asked.journal)
        for number in range(1, asked.tables + 1):
            _lay_out(folder / "came" / f"BJ{number}.journal", day)
        sys.stdout.write(f"{asked.tables} journals of {len(day)} entries\n")
        spawned = multiprocessing.get_context("spawn")
        for start in ("first start", "after a restart"):
            child = spawned.Process(target=_start, args=(folder, start))
            child.start()
            child.join()
        kept = sum(path.stat().st_size for path in (folder / "kept").iterdir())
        sys.stdout.write(f"kept: {kept / 1e6:.1f} MB\n")


def _lay_out(path: Path, day: list[Entry]) -> None:
    of_day = of_table(day, path.stem)
    with closing(ArchivedJournal(path)) as journal:
        for begin in range(0, len(of_day), BATCH * 20):
            journal.append(of_day[begin : begin + BATCH * 20])


def _start(folder: Path, name: str) -> None:
    started = time.process_time()

    async def look() -> None:
        found = [FoundJournal(path) for path in sorted((folder / "came").glob("*.journal"))]
        floor = FloorTables(lambda: found, SystemClock(), kept=KeptHistories("measure", folder / "kept"))
        await floor.look()
        tiles = [await table.tile() for table in floor.tables.values()]
        sys.stdout.write(
            f"{name}: {len(tiles)} tiles after {time.process_time() - started:.1f} s of processor time\n"
        )
        before = time.process_time()
        floor_figures([(await one.tile(), await one.read()) for one in floor.tables.values()])
        sys.stdout.write(f"  the floor's figures: {time.process_time() - before:.1f} s more\n")
        before = time.process_time()
        await next(iter(floor.tables.values())).opened()
        sys.stdout.write(f"  one table's own page: {time.process_time() - before:.1f} s more\n")

    asyncio.run(look())


if __name__ == "__main__":
    main()
