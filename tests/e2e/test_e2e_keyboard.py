"""Both screens without a finger or a mouse: every press below is one of the keyboard's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close
from tests.e2e.axe_kit import violations
from tests.e2e.test_e2e_dealer import press
from tests.e2e.test_e2e_pit import settled_round
from tests.forked_process import Forked
from tests.people_kit import PINS

pytestmark = pytest.mark.long

TABS_MAX: Final = 60
"""More stops than either screen has."""


def focused(page: Page, selector: str) -> bool:
    held: bool = page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector)
    return held


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(TABS_MAX):
        if focused(page, selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def line(page: Page) -> str:
    return page.locator(".app > .instruction-bar").get_attribute("data-line") or ""


@contextmanager
def manual_demo() -> Iterator[str]:
    """Run the demo that deals by itself and leaves everything else to the page; gives its address."""
    asked = ("demo", "--headless", "--manual", "--port", "0", "--speed", "0", "--seed", "17")
    with Forked(*asked) as demo:
        try:
            yield next(found[0] for said in demo.stdout if (found := re.search(r"http://\S+/", said)))
        finally:
            demo.terminate()


def pass_the_doors(page: Page) -> None:
    """Leave the demo's first page as it is: the table behind it waits for bets."""
    expect(page.locator("[data-door]")).to_have_count(4)
    press(page, "Escape")
    expect(page.locator("[data-door]")).to_have_count(0)


ANSWERS: Final = {
    "line.INSURANCE": "Enter",
    "line.PLAYER": "s",
    "line.REVEAL": "Enter",
    "line.STAND": "Enter",
    "line.DEALER_BUST": "Enter",
    "line.DEALER_BLACKJACK": "Enter",
    "line.PAY": "Enter",
    "line.TAKE": "Enter",
    "line.PUSH": "Enter",
    "line.SETTLED": "Enter",
}
"""What the dealer presses at each line that waits for a key."""


def test_a_round_of_the_manual_demo(chromium: Browser) -> None:
    """Bets, insurance, a hit, a card that the page draws; the same bets again, the dealer, and money."""
    with manual_demo() as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.goto(address)
        bar = page.locator(".app > .instruction-bar")
        expect(bar).to_have_attribute("data-line", "line.PLACE_BETS", timeout=60_000)
        pass_the_doors(page)
        press(page, "3")
        tab_to(page, "[data-chip='5.00']")
        for _ in range(3):
            page.keyboard.press("Space")
        expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("15")
        tab_to(page, "[data-key='CLOSE']")
        press(page, "Enter")
        # The shoe of this seed gives 13 against an ace.
        expect(bar).to_have_attribute("data-line", "line.INSURANCE", timeout=30_000)
        press(page, "Enter")
        expect(bar).to_have_attribute("data-line", "line.PLAYER", timeout=30_000)
        expect(page.locator("[data-key='HIT']")).to_be_visible(timeout=30_000)
        cards = page.locator("[data-hand='3.1'] .card")
        expect(cards).to_have_count(2)
        press(page, "h")
        expect(cards).to_have_count(3, timeout=30_000)
        expect(page.locator("[data-top='draw']")).to_be_enabled()
        press(page, "w")
        expect(cards).to_have_count(4, timeout=30_000)
        play_on(page)
        press(page, "r")
        expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("15")
        press(page, "Enter")
        told = play_on(page)
        assert {"line.PLAYER", "line.SETTLED"} <= set(told)
        assert {"line.PAY", "line.TAKE", "line.PUSH"} & set(told)
        page.close()


def shown(page: Page) -> tuple[str, str | None]:
    """Change with every answer: the line, and the journal entry that it was drawn after."""
    return line(page), page.locator(".app").get_attribute("data-seq")


def play_on(page: Page) -> list[str]:
    """Answer each line until bets are open again; gives the lines that were answered."""
    told: list[str] = []
    for _ in range(900):
        now = line(page)
        if told and now == "line.PLACE_BETS":
            return told
        if now in ANSWERS:
            told.append(now)
            before = shown(page)
            press(page, ANSWERS[now])
            # Pressed again before the answer is there, the key would be one of the next line.
            for _ in range(100):
                if shown(page) != before:
                    break
                page.wait_for_timeout(50)
        page.wait_for_timeout(100)
    raise AssertionError(told)


def sign_in(page: Page) -> None:
    tab_to(page, "[data-top='pit']")
    page.keyboard.press("Enter")
    expect(page.locator(".dialog input[name='actor']")).to_be_focused()
    page.keyboard.type("S-02")
    page.keyboard.press("Tab")
    page.keyboard.type(PINS["S-02"])
    tab_to(page, "[data-key='SIGN_IN_pit']")
    page.keyboard.press("Enter")
    expect(page.locator(".who")).to_have_text("S-02")


def test_the_pit_corrects_a_card(page: Page, served: Served) -> None:
    settled_round(served)
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("WIN 19")
    sign_in(page)
    tab_to(page, "[data-card='1']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_focused()
    expect(page.get_by_role("dialog")).to_have_accessible_name("Correct round 1")
    expect(page.get_by_role("region", name="Box 1, card 1, 10 of Hearts")).to_be_visible()
    tab_to(page, ".dialog [data-rank='7']")
    page.keyboard.press("Space")
    expect(page.locator("[data-preview='1.1']")).to_contain_text("16")
    tab_to(page, ".dialog [data-reason='MISREAD'] input")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Dealer error")).to_be_checked()
    tab_to(page, ".dialog [data-key='APPLY']")
    assert served.now.state.boxes[0].hands[0].total == 19, "nothing is sent before Apply"
    page.keyboard.press("Enter")
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator("[data-card='1']")).to_be_focused()
    assert served.now.state.boxes[0].hands[0].total == 16


def test_escape_leaves_a_dialog_and_the_focus_returns(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "5d", "10s")
    sign_in(page)
    for opener in ("[data-key='VOID']", "[data-key='DEVICES']", "[data-card='1']"):
        tab_to(page, opener)
        page.keyboard.press("Enter")
        expect(page.locator("dialog:modal")).to_have_count(1)
        for _ in range(TABS_MAX):
            page.keyboard.press("Tab")
            assert focused(page, "body, dialog, dialog *"), "the focus stays in the dialog"
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.locator(opener)).to_be_focused()
    for _ in range(100):
        if served.state()["editing_by"] is None:
            break
        page.wait_for_timeout(50)
    assert served.state()["editing_by"] is None, "the dealer may go on"


def until_free(page: Page, served: Served, limit_ms: int) -> None:
    """Wait until nobody corrects a card any more."""
    for _ in range(limit_ms // 100):
        if served.state()["editing_by"] is None:
            return
        page.wait_for_timeout(100)
    raise AssertionError("the dealer still waits for the pit")


def test_a_page_reloaded_in_a_dialog_frees_the_table_within_five_seconds(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "5d", "10s")
    sign_in(page)
    tab_to(page, "[data-card='1']")
    page.keyboard.press("Enter")
    expect(page.locator("dialog:modal")).to_have_count(1)
    page.wait_for_timeout(6000)
    assert served.state()["editing_by"] == "S-02", "held as long as the dialog is open"
    page.reload()
    page.wait_for_selector(".instruction-bar")
    until_free(page, served, 5000)
    expect(page.locator(".app > .instruction-bar")).to_have_attribute("data-line", "line.PLAYER")


def test_a_whole_round_without_a_tab(page: Page, served: Served) -> None:
    press(page, "3")
    for key in "ghg":
        page.keyboard.press(key)
    expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("35")
    page.keyboard.press("Backspace")
    expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("30")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    for key in "57":
        page.keyboard.press(key)
    expect(page.locator("[data-box='7'] .pill.stake")).to_have_text("5")
    press(page, "t")
    for key in ("1", "2", "Enter", "Escape"):
        page.keyboard.press(key)
    expect(page.locator("[data-box='1'] .pill.stake")).to_have_text("12")
    press(page, "Enter")
    expect(page.locator(".instruction-bar h1[aria-live]")).to_have_text("DEAL \N{EN DASH} BOX 1")
    served.deal("10h", "9d", "8s", "7c", "6d", "9c", "Kd", "Qs", "7h", "10c")
    expect(page.locator(".instruction-bar h1[aria-live]")).to_have_text("BOX 1 \N{EN DASH} 19")
    for key, then in (
        ("s", "BOX 3 - 19"),
        ("7", "BOX 7 - 14"),
        ("z", "TURN THE CARD"),
        ("Enter", "DRAW - 16"),
    ):
        press(page, key)
        expect(page.locator(".instruction-bar h1[aria-live]")).to_have_text(
            then.replace(" - ", " \N{EN DASH} ")
        )
    served.deal("5h")
    expect(page.locator(".instruction-bar h1[aria-live]")).to_have_text("STAND \N{EN DASH} 21")
    press(page, "Enter")
    expect(page.locator(".app > .instruction-bar")).to_have_attribute("data-line", re.compile("TAKE|PAY"))
    press(page, "a")
    expect(page.locator(".app > .instruction-bar")).to_have_attribute("data-line", "line.SETTLED")
    press(page, "r")
    expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("30")


def test_enter_never_adds_a_chip(page: Page, served: Served) -> None:
    press(page, "3")
    page.keyboard.press("g")
    expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("5")
    tab_to(page, "[data-chip='25.00']")
    expect(page.locator("[data-key='CLOSE']")).to_be_enabled()
    press(page, "Enter")
    expect(page.locator(".app > .instruction-bar")).to_have_attribute("data-line", "line.DEAL_BOX")
    assert served.now.state.boxes[0].bets == ((0, 500),)


def test_enter_presses_the_main_key_though_a_pad_has_opened(page: Page, served: Served) -> None:
    """A pedal is pressed without a look: the pad's first key, the ace, must not have the focus."""
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d", "?")
    expect(page.locator(".sheet")).to_be_focused()
    before = served.now.seq
    press(page, "Enter")
    page.wait_for_timeout(300)
    assert served.now.seq == before
    press(page, "8")
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("17")


def test_not_live_lies_over_an_open_dialog(page: Page, served: Served) -> None:
    settled_round(served)
    sign_in(page)
    tab_to(page, "[data-key='VOID']")
    page.keyboard.press("Enter")
    expect(page.locator(".dialog")).to_be_visible()
    served.freeze(6)
    expect(page.locator(".not-live")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.elementFromPoint(640, 400).closest('dialog').matches('.not-live')")
    page.keyboard.press("Escape")
    expect(page.locator(".not-live")).to_be_visible()
    expect(page.locator(".not-live")).to_have_count(0)
    expect(page.locator(".dialog")).to_be_visible()
