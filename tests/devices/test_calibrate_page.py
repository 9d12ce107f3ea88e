"""A bumped camera at a real table's page: the hold, the pit's key, and the table that goes on."""

import asyncio
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drivers.simulated import PtyShoe
from tests.devices.bumped_film import section, shown
from tests.devices.test_cameras import Film
from tests.devices.test_devices_page import in_chromium
from tests.drivers.camera.camera_server import http_camera
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_in_the_end
from tests.e2e.sign_in_kit import pit_at
from tests.main.live_kit import Live, play
from tests.runtime.runtime_kit import OPENING
from vision.calibration import latest_layout

pytestmark = pytest.mark.browser


def photograph(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/calibrate-{name}.png")


def test_the_pit_calibrates_a_bumped_camera_by_its_key_and_goes_on(tmp_path: Path) -> None:
    shoe, film = PtyShoe(), Film(shown())

    def look(page: Page) -> None:
        bar = page.locator(".app > .instruction-bar")
        expect(bar).to_have_attribute("data-line", "line.DEAL_BOX")
        film.pictures = shown(bumped=True)
        expect(bar).to_have_attribute("data-line", "line.STOP")
        expect(page.locator(".instruction-detail")).to_contain_text("Camera above was bumped")
        expect(page.locator(".instruction-detail")).not_to_contain_text("answers again")
        assert cut_in_the_end(page) == []
        photograph(page, "held")
        pit_at(page)
        expect(page.locator(".alerts")).to_contain_text("Camera above was bumped")
        page.locator("[data-key='DEVICES']").click()
        key = page.locator("[data-panel='above'] [data-order='calibrate']")
        expect(key).to_be_disabled()
        page.locator("[data-reason='BUMPED']").click()
        expect(page.locator("[data-panel='above'] .bad")).to_have_count(1)
        photograph(page, "key")
        assert violations(page) == []
        assert cut_in_the_end(page) == []
        key.click()
        expect(page.locator("[data-answer]")).to_contain_text("S-02, Calibrate again: done")
        expect(key).to_have_count(0)
        expect(page.locator("[data-panel='above']")).to_contain_text("live")
        photograph(page, "done")
        page.locator("[data-key='CLOSE_PANEL']").click()
        expect(page.locator(".alerts")).to_contain_text("Camera above was calibrated again")
        expect(bar).to_have_attribute("data-line", "line.STOP")
        expect(page.locator(".instruction-detail")).to_contain_text("above answers again")
        photograph(page, "back")
        page.locator("[data-key='RESUME']").click()
        expect(bar).to_have_attribute("data-line", "line.DEAL_BOX")
        photograph(page, "goes-on")

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("above") == "live", 30)
        await live.say(*OPENING)
        await asyncio.to_thread(in_chromium, live.page, look)
        assert live.holds == []

    try:
        with http_camera(film) as address:
            play(tmp_path, story, {"port": shoe.port}, camera=[section(tmp_path, address)])
    finally:
        shoe.close()
    assert latest_layout(tmp_path / "layout.toml").path.name == "layout.anew-1.toml"
