"""A shoe's day on the pages: loaded, burned, cut card, run out in a round, counted, out of play; limits."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, End, RestCounting, ShoeLoaded
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import pit_at

WIDE_KEYS = """() => [...document.querySelectorAll(".dialog button")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
"""Keys of the open dialog whose text does not fit."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A French table, which burns five cards of each shoe."""
    with Served(tmp_path, rules="fr", enforced=True) as running:
        yield running


def panel(page: Page) -> None:
    page.locator("[data-top='shoe']").click()
    expect(page.locator(".dialog [data-shoe]")).to_be_visible()


def press(page: Page, key: str) -> None:
    page.locator(f".dialog [data-key='{key}']").click()


def fits_in_five_languages(page: Page) -> None:
    """The open dialog is read in each language; nothing is cut."""
    for language in ("nl", "de", "fr", "it", "en"):
        page.evaluate(f"document.querySelector(\"[data-language='{language}']\").click()")
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert found_in_the_end(page, WIDE_KEYS) == [], language
        assert found_in_the_end(page, WIDER) == [], language


def test_a_shoes_day(page: Page, served: Served) -> None:
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("NEW SHOE")
    panel(page)
    expect(page.locator("[data-shoe='not_entered']")).to_be_visible()
    fits_in_five_languages(page)
    assert violations(page) == []
    press(page, "START_SHOE")
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("BURN")
    served.deal("2s", "3s", "4s", "5s", "6s")
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "9c")
    panel(page)
    expect(page.locator(".dialog [data-key='START_SHOE']")).to_be_disabled()
    press(page, "CUT_CARD")
    expect(page.locator(".penetration .cut")).to_be_visible()
    served.deal("9d")
    served.say(Decision(1, 1, "stand"))
    served.deal("8c")
    served.say(End())
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("NEW SHOE")
    pit_at(page)
    counted_and_voided(page, served)


def counted_and_voided(page: Page, served: Served) -> None:
    """The pit runs the rest through, sees what does not close, and takes the shoe out of play."""
    panel(page)
    press(page, "SHOE_REST")
    for card in ("As", "As", "Kd"):
        page.locator(f"[data-rest='{card}']").click()
    assert violations(page) == []
    fits_in_five_languages(page)
    press(page, "APPLY")
    expect(page.locator("[data-hold='SHOE_INCOMPLETE']")).to_contain_text("Missing: 300")
    panel(page)
    press(page, "COUNTED")
    expect(page.locator("[data-counted='true']")).to_contain_text("A♥ x6")
    page.keyboard.press("Escape")
    panel(page)
    press(page, "SHOE_VOID")
    page.locator("[data-reason='OTHER']").click()
    press(page, "APPLY")
    expect(page.locator(".hold-list")).to_have_count(0)
    panel(page)
    expect(page.locator("[data-shoe='void']")).to_be_visible()
    press(page, "START_SHOE")
    expect(page.locator(".dialog")).to_have_count(0)
    assert served.now.state.shoe.burn_due == 5


def test_limits_count_from_the_next_round_on(page: Page, served: Served) -> None:
    served.say(ShoeLoaded(6, 8))
    served.deal("2s", "3s", "4s", "5s", "6s")
    served.say(Bet(1, 0, 1000), Close())
    pit_at(page)
    panel(page)
    press(page, "LIMITS")
    page.locator("input[name='stake_min']").fill("10")
    page.locator("input[name='stake_max']").fill("500")
    page.locator("input[name='stake_step']").fill("5")
    press(page, "APPLY")
    expect(page.locator(".dialog")).to_have_count(0)
    assert served.now.state.book.rules.stake_max == 0
    served.deal("10h", "9c", "9d")
    assert served.now.state.shoe.seen == served.now.state.shoe.size
    page.locator("[data-top='pit']").click()
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("BOX 1")
    served.say(Decision(1, 1, "stand"))
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("SHUFFLE DISCARDS")
    until_at_rest(page)
    page.locator("[data-key='SHUFFLE']").click()
    expect(page.locator(".instruction-bar h1[aria-live]")).not_to_contain_text("SHUFFLE")
    served.deal("8c")
    served.say(End())
    rules = served.now.state.book.rules
    assert (rules.stake_min, rules.stake_max, rules.stake_step) == (1000, 50000, 500)


def test_a_card_of_the_rest_that_was_read_twice_is_taken_out_beside_its_hold(
    page: Page, served: Served
) -> None:
    """Two taps from the hold to the count that goes on."""
    served.say(ShoeLoaded(6))
    served.deal("2s", "3s", "4s", "5s", "6s")
    served.say(RestCounting("begin"))
    served.deal(*("9h",) * 7)
    pit_at(page)
    hold = page.locator("[data-hold='REST_CARD_EXTRA']")
    assert hold.locator("button").evaluate_all("(all) => all.map((one) => one.dataset.way)") == [None, "keep"]
    for language in ("nl", "de", "fr", "it", "en"):
        page.evaluate(f"document.querySelector(\"[data-language='{language}']\").click()")
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert found_in_the_end(page, WIDER) == [], language
    hold.locator("[data-key='REST_TWICE']").click()
    press(page, "REST_OUT_9h")
    expect(page.locator(".dialog")).to_have_count(0)
    expect(hold).to_have_count(0)
    assert served.now.rest == 6


@pytest.fixture
def small(chromium_page: Callable[[Served], Page], served: Served) -> Iterator[Page]:
    """A tablet held upright."""
    page = chromium_page(served)
    page.set_viewport_size({"width": 800, "height": 1280})
    yield page
    page.close()


def test_the_panel_fits_a_tablet_held_upright(small: Page) -> None:
    panel(small)
    fits_in_five_languages(small)
    press(small, "SHOE_REST")
    fits_in_five_languages(small)


def test_the_pit_enters_the_tables_money_at_the_dealers_screen(page: Page, served: Served) -> None:
    pit_at(page)
    panel(page)
    press(page, "MONEY")
    expect(page.locator(".dialog [data-money]")).to_have_count(8)
    expect(page.locator(".dialog [aria-pressed='true']")).to_have_count(0)
    page.locator(".dialog [data-money='fill']").click()
    expect(page.locator(".dialog .chip-count")).to_be_visible()
    expect(page.locator(".dialog [data-key='APPLY']")).to_be_disabled()
    assert violations(page) == []
    fits_in_five_languages(page)
    page.locator(".dialog [data-money='drop']").click()
    page.locator(".dialog [data-reason='drop'] input").check()
    page.locator(".dialog input[name='amount']").fill("25")
    press(page, "APPLY")
    expect(page.locator(".dialog")).to_have_count(0)
    # The dialog closes once the table has it on disk.
    assert any('"drop"' in line.body for line in served.call(served.lines()))
