"""The pit's page over many tables in Chromium: `python -m tests.measures.pit_page --tables 200 --seconds 30`.

Tiles come over a real server to `stand17 pit`, each with the time at which its table showed it; it is noted
when the page has painted it, and the page is scrolled. `--folders 12` opens the page over days of so many
tables instead.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from controller.cli.demo import run_demo
from controller.floor.intake import KnownTables
from controller.journal.head_file import TableKey
from controller.simulation.demo import DemoPlan
from tests.e2e.page_times import FLAGS, LONG_TASKS, figures
from tests.floor.broker_kit import Broker
from tests.measures.floor import playing

PAINTED = """() => {
  window.painted = [];
  const port = new MessageChannel();
  let waiting = [];
  port.port1.onmessage = () => {
    const now = performance.timeOrigin + performance.now();
    for (const at of waiting) window.painted.push(now - at);
    waiting = [];
  };
  new MutationObserver((all) => {
    if (!waiting.length) requestAnimationFrame(() => port.port2.postMessage(0));
    for (const one of all) {
      const found = /^17\\d{11}$/.exec(one.target.textContent);
      if (found) waiting.push(Number(found[0]));
    }
  }).observe(document.querySelector(".tiles"), { subtree: true, characterData: true, childList: true });
}"""
FRAMES = """() => {
  window.frames = [];
  let last = performance.now();
  const next = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""


@contextmanager
def pit(*words: str | Path) -> Iterator[str]:
    """The pit's server; gives the address that it prints."""
    main = "from controller.cli import main; main()"
    command = [sys.executable, "-c", main, "pit", *map(str, words), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        try:
            yield run.stdout.readline().strip()
        finally:
            run.terminate()


@contextmanager
def opened(address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-GB")
        page.goto(address)
        yield page
        browser.close()


def day(folder: Path, name: str, rounds: int) -> None:
    """Play a day of a table as quickly as it goes; its journal stays in a folder of its own."""
    plan = DemoPlan(folder / name, int(name[2:]), 0, 0, "spielbank", rounds, manual=False, name=name)
    asyncio.run(run_demo(plan, lambda _address: None))


def painted(tables: int, seconds: float, pictures: Path | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        day(folder, "BJ999", 2)
        broker = Broker(folder)
        broker.start()
        # Until the page has been opened, and for as long as it is looked at.
        players, _ = playing(folder, tables, broker.url, "", 2 * seconds + 45)
        known = KnownTables((folder / "BJ999",))
        for key in (folder / "tables").glob("*/table.key"):
            known.enrol(TableKey.load(key).public, key.parent.name)
        try:
            with pit(folder / "BJ999", "--server", broker.url) as address, opened(address) as page:
                tiles_there(page, tables)
                page.evaluate(LONG_TASKS)
                page.evaluate(PAINTED)
                page.wait_for_timeout(seconds * 1000)
                times: list[float] = page.evaluate("window.painted")
                still: list[float] = page.evaluate("window.tasks.splice(0)")
                page.mouse.move(900, 700)
                page.evaluate(FRAMES)
                for _ in range(40):
                    page.mouse.wheel(0, 300)
                    page.wait_for_timeout(50)
                tasks: list[float] = page.evaluate("window.tasks")
                frames: list[float] = page.evaluate("window.frames")
                photograph(page, pictures)
        finally:
            for one in players:
                one.join()
            broker.kill()
    found = {
        "tables": tables,
        "update_to_paint": figures(times),
        "longest_task_ms": round(max(still, default=0)),
    }
    return found | {"scroll_longest_task_ms": round(max(tasks, default=0)), "scroll_frames": figures(frames)}


def tiles_there(page: Page, tables: int) -> None:
    page.locator("[data-tile]").nth(tables - 1).wait_for(timeout=300_000)


def photograph(page: Page, folder: Path | None) -> None:
    for width, height in ((1920, 1080), (1024, 768), (390, 844)) if folder is not None else ():
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(800)
        page.screenshot(path=f"{folder}/pit-{width}.png")


def folders(tables: int, rounds: int) -> dict[str, Any]:
    """Days of tables from folders: until the program gives its address, and the page shows all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder, names = Path(name), [f"BJ{number}" for number in range(1, tables + 1)]
        for one in names:
            day(folder, one, rounds)
        began = time.monotonic()
        with pit(*(folder / one for one in names)) as address:
            told_s = time.monotonic() - began
            with opened(address) as page:
                tiles_there(page, tables)
                folded_s = time.monotonic() - began
                page.reload()
                tiles_there(page, tables)
                ready_ms = page.evaluate("performance.now()")
    times = {"address_s": round(told_s, 1), "all_read_s": round(folded_s, 1), "page_ms": round(ready_ms)}
    return {"tables": tables, "rounds": rounds} | times


def main(words: Sequence[str] | None = None) -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--tables", type=int, default=200)
    asked.add_argument("--seconds", type=float, default=30)
    asked.add_argument("--pictures", type=Path, help="Put screenshots of three sizes there.")
    asked.add_argument("--folders", type=int, default=0)
    asked.add_argument("--rounds", type=int, default=400)
    told = asked.parse_args(words)
    found = (
        folders(told.folders, told.rounds)
        if told.folders
        else painted(told.tables, told.seconds, told.pictures)
    )
    sys.stdout.write(json.dumps(found | {"load": round(os.getloadavg()[0], 1)}) + "\n")


if __name__ == "__main__":
    main()
