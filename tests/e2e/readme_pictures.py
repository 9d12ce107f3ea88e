"""Take the two pictures of README.md from a running demo: the dealer's screen in a round, and the pit's."""

import shutil
import sys
from typing import Final

import cv2
import numpy as np
from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from controller.people.access import PIN
from controller.people.person import DEMO
from controller.web.session import PIT_PAGE
from tests.e2e.page_times import demo
from tools.compile import ROOT

FOLDER: Final = ROOT / "docs/pictures"
SCREEN: Final = (1280, 800)
WIDTH_PX: Final = 960
"""Of the kept pictures: what a reader's column has room for."""

PIT: Final = f"{DEMO}manager"
PATIENCE_MS: Final = 120_000


def keep(page: Page, name: str) -> None:
    """Write what the page shows, smaller."""
    taken = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    size = (WIDTH_PX, WIDTH_PX * SCREEN[1] // SCREEN[0])
    small = cv2.resize(np.asarray(taken, np.uint8), size, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(FOLDER / name), small, [cv2.IMWRITE_WEBP_QUALITY, 85])


def take(page: Page) -> None:
    """Go to the dealer's screen where a guest decides."""
    page.locator("[data-door]").first.wait_for()
    page.keyboard.press("Escape")
    line = page.locator(".app > .instruction-bar")
    expect(line).to_have_attribute("data-line", "line.PLAYER", timeout=PATIENCE_MS)
    keep(page, "dealer.webp")


def take_pit(page: Page) -> None:
    """Sign in at the pit's own page, and wait for its floor."""
    page.locator("input[name='actor']").fill(PIT)
    page.locator("input[name='pin']").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.locator(".floor")).to_be_visible(timeout=PATIENCE_MS)
    page.evaluate("document.fonts.ready")
    keep(page, "pit.webp")


def main() -> None:
    """Take both; exits where there is no Chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("No Chromium here: run `make programs`.")
    FOLDER.mkdir(exist_ok=True)
    with demo() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        size: ViewportSize = {"width": SCREEN[0], "height": SCREEN[1]}
        page = browser.new_page(viewport=size, locale="en-GB")
        page.goto(address)
        take(page)
        pit = browser.new_page(viewport=size, locale="en-GB")
        pit.goto(f"{address.rstrip('/')}{PIT_PAGE}")
        take_pit(pit)
        browser.close()


if __name__ == "__main__":
    main()
