"""The demo's four doors, as a newcomer goes through them: the program as it is started, in Chromium."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.i18n import LANGUAGES, catalogue
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_in_the_end
from tests.forked_process import Forked

pytestmark = pytest.mark.long


@pytest.fixture
def demo() -> Iterator[str]:
    """The address of a running demo."""
    asked = ("demo", "--headless", "--port", "0", "--speed", "8")
    with Forked(*asked) as running:
        found = None
        while found is None:
            line = running.stdout.readline()
            assert line, "the demo has ended"
            found = re.search(r"http://[^ ]+/", line)
        yield found[0]
        running.terminate()


def test_a_newcomer_looks_rules_replays_and_deals(chromium: Browser, demo: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(demo)
    expect(page.locator("[data-door]")).to_have_count(4)
    fits(page)
    page.locator("[data-door='break']").click()
    expect(page.locator("[data-fault]")).to_have_count(8)
    page.keyboard.press("Escape")
    page.locator("[data-top='doors']").click()
    # A round has to have ended before it can be replayed; the wrong payout holds the next one.
    expect(page.locator("[data-door='replay']")).to_be_enabled(timeout=120_000)
    page.locator("[data-door='pit']").click()
    # The pit's own page, signed in, with something to answer that no simulated pit takes away.
    page.wait_for_url("**/pit**")
    waits = page.get_by_role("region", name="Alerts").get_by_role("button", name="Wrong payout")
    expect(waits).to_be_visible(timeout=120_000)
    assert violations(page) == []
    page.goto(demo)
    page.locator("[data-top='doors']").click()
    replay = page.locator("[data-door='replay']")
    expect(replay).to_be_enabled()
    replay.click()
    page.wait_for_selector("main[data-step]")
    expect(page.locator("footer b")).not_to_have_text(re.compile(r"\b0$"))
    page.keyboard.press("ArrowRight")
    page.get_by_role("link", name="Back to the table").click()
    page.wait_for_selector(".instruction-bar")
    expect(page.locator("[data-door]")).to_have_count(0)
    page.locator("[data-top='doors']").click()
    page.locator("[data-door='deal']").click()
    expect(page.locator("[data-top='autoplay']")).to_contain_text("You play")
    expect(page.locator("[data-top='draw']")).to_be_visible()
    assert violations(page) == []
    assert faults == []
    page.close()


def fits(page: Page) -> None:
    """No door is cut in any language, and axe finds nothing."""
    assert violations(page) == []
    for language in LANGUAGES[::-1]:
        page.locator(f"[data-language='{language}']").dispatch_event("click")
        expect(page.locator("[data-door='pit']")).to_contain_text(catalogue(language)["ui.door_pit"])
        assert cut_in_the_end(page) == [], language
