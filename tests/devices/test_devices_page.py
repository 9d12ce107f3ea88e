"""The page of a table with real drivers: the pit has the shoe locked, and a press at a keypad is answered."""

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from drivers.simulated import PtyShoe
from tests import people_kit
from tests.drivers.far_ends.keypad import SimulatedKeypad
from tests.e2e.sign_in_kit import pit_at
from tests.main.live_kit import Live, play

pytestmark = pytest.mark.browser

SPLIT = 98


@contextmanager
def listening(shoe: PtyShoe) -> Iterator[list[str]]:
    """The shoe answers commands; gives what reached it."""
    taken, stop = list[str](), threading.Event()

    def listen() -> None:
        while not stop.is_set():
            taken.extend(shoe.answer(0.05))

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield taken
    finally:
        stop.set()
        thread.join()


def test_the_pit_locks_the_shoe_on_the_page_and_reads_its_answer(tmp_path: Path) -> None:
    shoe, pad = PtyShoe(), SimulatedKeypad(tmp_path / "pad")

    def look(page: Page) -> None:
        page.wait_for_selector("[data-device='pad']")
        pad.press(SPLIT)
        expect(page.locator(".toast.shown")).to_have_text("pad, Split: not now")
        pit_at(page)
        page.locator("[data-key='DEVICES']").click()
        lock = page.locator("[data-panel='shoe'] [data-order='lock']")
        expect(lock).to_be_disabled()
        expect(page.locator("[data-panel='pad'] [data-order]")).to_have_count(0)
        page.locator("[data-reason='CARD_STUCK']").click()
        lock.click()
        expect(page.locator("[data-answer]")).to_contain_text("S-02, Lock: done")
        page.locator("[data-key='CLOSE_PANEL']").click()
        expect(page.locator(".alerts")).to_contain_text("The shoe is locked")

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pad") == "live")
        await asyncio.to_thread(in_chromium, live.page, look)

    try:
        with listening(shoe) as taken:
            sections = [{"name": "pad", "port": str(tmp_path / "pad")}]
            play(tmp_path, story, {"port": shoe.port, "commands": True}, keypad=sections)
        assert taken == ["OPLK02"]
    finally:
        pad.unplug()
        shoe.close()


def in_chromium(address: str, look: Callable[[Page], None]) -> None:
    path = shutil.which("chromium")
    assert path, "chromium is missing: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.goto(address)
        page.locator("input[name='actor']").fill(people_kit.DEALER)
        page.locator("input[name='pin']").fill(people_kit.PINS[people_kit.DEALER])
        page.locator("form button[type='submit']").click()
        look(page)
        browser.close()
