"""How quickly the tester's screen seeks and steps in Chromium: `python -m tools.studio_times`.

In a shift of eight hours, from the slider or the key until the page has drawn that step: the server's part,
the way to it and the drawing all together.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from tools.page_times import FLAGS, figures
from tools.planted_faults.ordinary import with_ordinary_events
from tools.planted_faults.planting import AS_IT_IS, HOUSE
from tools.planted_faults.plants import dealt, written

TIMES: Final = 200
OPEN_MS: Final = 120_000

DRAWN: Final = """([act, to]) => new Promise((drawn) => {
  const main = document.querySelector("main");
  const slider = document.querySelector(".studio-timeline input");
  const from = performance.now();
  const seen = new MutationObserver(() => {
    if (main.dataset.shown !== String(to)) return;
    seen.disconnect();
    requestAnimationFrame(() => drawn(performance.now() - from));
  });
  seen.observe(main, { attributes: true, attributeFilter: ["data-shown"] });
  if (act === "seek") {
    slider.value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  } else dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
})"""
"""From the act until the frame after the step is there begins to be painted."""


@contextmanager
def opened(feed: Path) -> Iterator[tuple[Page, float]]:
    """The screen over a feed in Chromium, and the seconds until its first step was drawn."""
    command = [str(Path(sys.executable).with_name("stand17")), "studio", str(feed), "--table"]
    begun = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run, sync_playwright() as playwright:
        try:
            assert run.stdout
            address = next(found[0] for said in run.stdout if (found := re.search(r"http://\S+", said)))
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
            page.goto(address)
            page.wait_for_selector("main[data-shown='0']", timeout=OPEN_MS)
            yield page, perf_counter() - begun
            browser.close()
        finally:
            run.terminate()


def seek_and_step_ms(page: Page, times: int) -> dict[str, Any]:
    """Seek to so many steps by chance, each followed by one step on."""
    last = int(page.locator(".studio-timeline input").get_attribute("max") or 0)
    places = Random(1).sample(range(1, last), times)
    seeks: list[float] = []
    steps: list[float] = []
    for place in places:
        seeks.append(page.evaluate(DRAWN, ["seek", place]))
        steps.append(page.evaluate(DRAWN, ["step", place + 1]))
    return {"steps_of_file": last + 1, "seek": figures(seeks), "step": figures(steps)}


def main() -> None:
    """Measure and print the figures as JSON."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rounds", type=int, default=480)
    asked.add_argument("--times", type=int, default=TIMES)
    told = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shift = with_ordinary_events(dealt(HOUSE, told.rounds), 17, 0)
        feed, _ = written(shift, AS_IT_IS, 0, Path(folder))
        with opened(feed) as (page, open_s):
            found = {"open_s": round(open_s, 1), **seek_and_step_ms(page, told.times)}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
