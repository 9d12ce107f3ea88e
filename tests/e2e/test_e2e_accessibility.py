"""The main states of both screens before axe: nothing that a program can find is wrong."""

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, CardSeen, Close
from tests.e2e.axe_kit import violations
from tests.e2e.sign_in_kit import pit_at
from tests.e2e.test_e2e_dealer import line, press
from tests.e2e.test_e2e_languages import STORY
from tests.e2e.test_e2e_pit import settled_round

pytestmark = pytest.mark.long

LOOKS = 1200
"""Half a minute of looks at a page that is behind."""


def settle(page: Page, served: Served) -> None:
    """Wait until the page shows the newest entry."""
    for _ in range(LOOKS):
        # Both anew each time: what was tapped may be on its way to the table.
        if page.locator(".app").get_attribute("data-seq") == str(served.now.seq):
            return
        page.wait_for_timeout(25)
    raise AssertionError("the page does not show the newest entry")


def test_the_dealers_screen_through_a_round(page: Page, served: Served) -> None:
    page.emulate_media(reduced_motion="reduce")
    assert violations(page) == []
    page.locator("[data-box='3'] .tap").tap()
    page.locator("[data-chip='5.00']").tap()
    expect(page.locator("[data-key='CLOSE']")).to_be_enabled()
    settle(page, served)
    assert violations(page) == [], "a box is chosen"
    for happen in STORY:
        happen(served)
        settle(page, served)
        assert violations(page) == [], happen.__name__


def test_insurance(page: Page, served: Served) -> None:
    page.emulate_media(reduced_motion="reduce")
    served.say(Bet(1, 0, 1000), Bet(2, 0, 800), Close())
    served.deal("10h", "9d", "Ac", "9c", "9s", "Kd")
    settle(page, served)
    assert violations(page) == []


def test_a_refused_press_and_the_pad_that_it_opens(page: Page, served: Served) -> None:
    page.emulate_media(reduced_motion="reduce")
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d")
    served.say(CardSeen(None, face="down"))
    line(page, "BOX 1 - 19")
    press(page, "Enter")
    line(page, "TURN THE CARD")
    press(page, "Enter")
    expect(page.locator(".toast.shown")).to_contain_text("tap its rank")
    expect(page.locator(".sheet")).to_be_visible()
    assert violations(page) == []


def test_the_pits_bar_and_dialogs(page: Page, served: Served) -> None:
    page.emulate_media(reduced_motion="reduce")
    settled_round(served)
    page.locator("[data-top='pit']").click()
    assert violations(page) == [], "signing in"
    page.keyboard.press("Escape")
    pit_at(page)
    assert violations(page) == [], "nothing waits"
    for key in ("VOID", "DEVICES"):
        page.locator(f"[data-key='{key}']").click()
        assert violations(page) == [], key
        page.keyboard.press("Escape")
    page.locator("[data-key='BY_HAND']").click()
    assert violations(page) == [], "by hand"
    page.keyboard.press("Escape")
    page.locator("[data-card='1']").click()
    assert violations(page) == [], "a correction before a choice"
    page.locator(".dialog [data-rank='7']").click()
    expect(page.locator("[data-preview='1.1']")).to_be_visible()
    assert violations(page) == [], "a correction with its preview"
    served.deal("9h")
    expect(page.locator(".moved")).to_be_visible()
    expect(page.locator(".preview")).to_be_visible()
    assert violations(page) == [], "a table that has moved"
    page.keyboard.press("Escape")
    expect(page.locator(".alerts li.critical")).to_have_count(1)
    assert violations(page) == [], "an alert and a card apart"
