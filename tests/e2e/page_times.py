"""How quickly the dealer's page follows, in Chromium slowed down: `python -m tests.e2e.page_times`.

Figures of a demo: from the moment at which an entry was decided (its time in the journal) until the DOM
shows it, and from a tap to the next picture that the browser paints, as its Event Timing tells; both once
more with the pit's page open beside the dealer's. Then a day of so many rounds on the pit's page: until it
is open, and the longest task while it is scrolled.
"""

import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

SLOWED: Final = 4
SECONDS: Final = 60.0
TAPS: Final = 40
TAP_PAUSE_MS: Final = 300
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup")

WATCH: Final = """() => {
  window.shown = [];
  const app = document.querySelector(".app");
  new MutationObserver(() => {
    window.shown.push([Number(app.dataset.seq), performance.timeOrigin + performance.now()]);
  }).observe(app, { attributes: true, attributeFilter: ["data-seq"] });
}"""
PAINTS: Final = """() => {
  window.paints = {};
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.interactionId)
      window.paints[one.interactionId] = Math.max(window.paints[one.interactionId] ?? 0, one.duration);
  }).observe({ type: "event", durationThreshold: 16 });
}"""


@contextmanager
def demo(*options: str, ends: bool = False) -> Iterator[str]:
    """Run a demo with these options beside the ones that make it quiet; gives its address.

    One that `ends` by itself is waited for.
    """
    command = [
        str(Path(sys.executable).with_name("stand17")),
        "demo",
        "--headless",
        "--port",
        "0",
        "--seed",
        "17",
    ]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as run:
        try:
            assert run.stdout
            yield next(found[0] for said in run.stdout if (found := re.search(r"http://\S+/", said)))
            if ends:
                run.wait()
        finally:
            run.terminate()


@contextmanager
def slowed_page(address: str, factor: float) -> Iterator[Page]:
    """Open the dealer's page in Chromium on a processor that is so many times slower."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB", has_touch=True)
        page.goto(address)
        page.wait_for_selector("[data-door]")
        page.keyboard.press("Escape")
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})
        yield page
        browser.close()


def entry_to_dom_ms(seconds: float, factor: float, speed: str, *, beside: bool = False) -> dict[str, Any]:
    """Let the demo play, and compare the times of the journal with those of the page.

    `beside`: the pit's page is open, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        with demo("--keep", folder, "--speed", speed) as address, slowed_page(address, factor) as page:
            if beside and page.context.browser:
                pit_page(page.context.browser, address, factor)
            page.evaluate(WATCH)
            page.wait_for_timeout(seconds * 1000)
            shown: list[tuple[int, float]] = page.evaluate("window.shown")
        journal = next(Path(folder).glob("*.journal"))
        with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as kept:
            decided = dict(kept.execute("SELECT seq, at_utc_us FROM event"))
    return figures([at_ms - decided[seq] / 1000 for seq, at_ms in shown]) | {
        "a_second": round(len(shown) / seconds, 1)
    }


def tap_to_paint_ms(taps: int, factor: float, *, beside: bool = False) -> dict[str, Any]:
    """Lay chips by taps; a tap that was painted within one frame of 16 ms counts as 16.

    `beside`: the pit's page is open, too.
    """
    with demo("--manual") as address, slowed_page(address, factor) as page:
        if beside and page.context.browser:
            pit_page(page.context.browser, address, factor)
        page.wait_for_selector("[data-chip='5.00']")
        page.locator("[data-box='3'] .tap").tap()
        page.evaluate(PAINTS)
        chip = page.locator("[data-chip='5.00']").bounding_box()
        assert chip
        for _ in range(taps):
            page.touchscreen.tap(chip["x"] + chip["width"] / 2, chip["y"] + chip["height"] / 2)
            page.wait_for_timeout(TAP_PAUSE_MS)
        told: list[float] = page.evaluate("Object.values(window.paints)")
    return figures([*told, *[16.0] * (taps - len(told))])


LONG_TASKS: Final = """() => {
  window.tasks = [0];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask" });
}"""


def pit_page(browser: Browser, address: str, factor: float, path: str = "") -> Page:
    """Sign the demo's pit in at its page, as slow as the dealer's."""
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-GB")
    page.goto(f"{address}pit/{path}")
    page.locator("input[name='actor']").fill("demo-pit")
    asked = "fetch('/pit/api/session').then((one) => one.json()).then((one) => one.demo_pin)"
    page.locator("input[name='pin']").fill(page.evaluate(asked))
    page.keyboard.press("Enter")
    page.locator(".floor").wait_for(timeout=120_000)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})
    return page


def day_ms(rounds: int, factor: float) -> dict[str, Any]:
    """Play a day, then open its rounds on the pit's page and scroll through them."""
    with tempfile.TemporaryDirectory() as folder:
        kept = ("--keep", folder)
        with demo(*kept, "--speed", "0", "--rounds", str(rounds), ends=True):
            pass
        with demo(*kept, "--manual") as address, slowed_page(address, factor) as dealer:
            assert dealer.context.browser
            page = pit_page(dealer.context.browser, address, factor, "rounds")
            page.locator("[data-round]").first.wait_for(timeout=120_000)
            page.reload()
            page.locator("[data-round]").first.wait_for()
            opened = page.evaluate("performance.now()")
            page.evaluate(LONG_TASKS)
            page.mouse.move(900, 700)
            for _ in range(30):
                page.mouse.wheel(0, 400)
                page.wait_for_timeout(100)
            tasks: list[float] = page.evaluate("window.tasks")
            known = page.evaluate(
                "fetch('/pit/api/rounds').then((one) => one.json()).then((one) => one.rounds)"
            )
    return {"rounds": known, "open_ms": round(opened), "longest_task_ms": round(max(tasks))}


def figures(times_ms: list[float]) -> dict[str, Any]:
    """Count, median, 95th percentile and worst."""
    return {
        "count": len(times_ms),
        "median_ms": round(median(times_ms), 1),
        "p95_ms": round(quantiles(times_ms, n=20)[-1], 1),
        "worst_ms": round(max(times_ms), 1),
    }


def main() -> None:
    """Measure and print both as JSON."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--slowed", type=float, default=SLOWED, help="how many times slower the processor is")
    asked.add_argument("--seconds", type=float, default=SECONDS)
    asked.add_argument(
        "--rounds", type=int, default=700, help="of the day on the pit's page; 0 leaves it out"
    )
    asked.add_argument("--speed", default="3", help="of the demo: 3 is about five views a second")
    told = asked.parse_args()
    found = {
        "slowed": told.slowed,
        "entry_to_dom": entry_to_dom_ms(told.seconds, told.slowed, told.speed),
        "tap_to_paint": tap_to_paint_ms(TAPS, told.slowed),
        "entry_to_dom_beside_the_pit": entry_to_dom_ms(told.seconds, told.slowed, told.speed, beside=True),
        "tap_to_paint_beside_the_pit": tap_to_paint_ms(TAPS, told.slowed, beside=True),
        "load": os.getloadavg()[0],
    }
    if told.rounds:
        found["day"] = day_ms(told.rounds, told.slowed)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
