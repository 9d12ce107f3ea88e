"""What is heard at the dealer's and the pit's screen, and that each sound is switched and remembered."""

from typing import Final

from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, DeviceSeen
from controller.i18n import LANGUAGES
from controller.ports import Report
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_in_the_end
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import pit_at

PULSES: Final = (440, 440, 440)
STOP_AGAIN_MS: Final = 4500
"""Longer than the time after which the pulses come again."""

LISTEN: Final = """() => {
  window.heard = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    heard.push(this.frequency.value);
    return start.apply(this, when);
  };
}"""
"""Writes down the pitch of every tone that the browser is made to play."""


def heard(page: Page, *pitches: int) -> None:
    """Wait until exactly these tones have been played since the last look."""
    told: list[float] = []
    for _ in range(400):
        told = page.evaluate("window.heard")
        if len(told) >= len(pitches):
            break
        page.wait_for_timeout(50)
    assert told == list(pitches)
    page.evaluate("window.heard = []")


def switch_on(page: Page, *sounds: str) -> None:
    page.locator("[data-top='screen']").click()
    for sound in sounds:
        page.locator(f"[data-sound='{sound}']").click()
        expect(page.locator(f"[data-sound='{sound}']")).to_have_attribute("aria-checked", "true")
    page.locator("[data-key='CLOSE_PANEL']").click()


def looks_are_chosen(page: Page) -> None:
    """Darker, four colours, larger, mirrored: each changes what is seen, and stays on the device."""
    asked = {
        "dim": "getComputedStyle(document.documentElement).getPropertyValue('--bg1')",
        "suits": "getComputedStyle(document.querySelector('.rank.suit-c')).fill",
        "large": "document.querySelector('.pill').getBoundingClientRect().height",
        "left": "document.querySelector('[data-key=CALL_PIT]').getBoundingClientRect().x < 200",
    }
    for look, what in asked.items():
        before = page.evaluate(what)
        page.locator(f"[data-look='{look}']").click()
        assert page.evaluate(what) != before, look
    for look in asked:
        expect(page.locator(f"[data-look='{look}']")).to_have_attribute("aria-checked", "true")
    assert page.evaluate("localStorage.getItem('stand17.looks')") == "dim suits large left"
    page.locator("[data-key='KEYS']").click()
    expect(page.locator("[data-keys]")).to_contain_text("Call pit")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("[data-keys]")).to_contain_text("this list")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("[data-top='screen']").click()


def test_each_sound_is_switched_heard_and_remembered(page: Page, served: Served) -> None:
    page.evaluate(LISTEN)
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h")
    expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
    switch_on(page, "card")
    heard(page, 1200)  # none for the first card: the dealer's sounds are off until they are wanted
    served.deal("6c")
    heard(page, 1200)
    switch_on(page, "confirm", "stop")
    heard(page, 660, 880, *PULSES)
    served.deal("?")
    heard(page, 660, 880)
    until_at_rest(page)
    page.keyboard.press("9")
    heard(page, 1200)
    served.report(Report("shoe", 0, (DeviceSeen("shoe", "lost"),)))
    heard(page, *PULSES, *PULSES)
    page.keyboard.press("!")
    expect(page.locator("[data-key='CALL_PIT']")).to_be_disabled()
    page.wait_for_timeout(STOP_AGAIN_MS)
    assert page.evaluate("window.heard") == [], "the pit is on its way"
    page.reload()
    page.wait_for_selector(".instruction-bar")
    page.evaluate(LISTEN)
    page.locator("[data-top='screen']").click()
    expect(page.locator("[data-sound][aria-checked='true']")).to_have_count(5)
    looks_are_chosen(page)
    assert violations(page) == []
    for language in LANGUAGES:
        page.locator(f"[data-language='{language}']").dispatch_event("click")
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert cut_in_the_end(page) == [], language
    page.locator("[data-sound='warning']").click()
    page.locator("[data-key='CLOSE_PANEL']").click()
    pit_at(page)
    heard(page, 880, 660)
