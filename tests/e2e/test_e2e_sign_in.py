"""The screen before anybody is known: touch, keyboard and card, one act of the pit, two people."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, ShoeLoaded
from controller.i18n import LANGUAGES, catalogue
from controller.people.access import AccessSettings
from controller.people.person import FixedBook, PeopleChange
from controller.policy import SecondPerson
from tests.e2e.axe_kit import violations
from tests.people_kit import BOOK, CARD, PINS


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table with a reader of staff cards, at which two people void a round; box 1 has 19 against a 7.

    D-18 has never had another PIN.
    """
    house = SecondPerson(void_round=True)
    settings = AccessSettings(card_prefix=";")
    known = BOOK.register()
    old = PeopleChange(
        number=1, at_utc_us=0, by="console:root", change="added", id="D-18", name="D-18", role="dealer"
    )
    book = FixedBook(*known.people.values(), card_salt=known.card_salt, changes=(old,))
    with Served(tmp_path, enforced=True, second=house, access_settings=settings, book=book) as running:
        running.say(ShoeLoaded(6), Bet(1, 0, 1000), Close())
        running.deal("10h", "7c", "9d", "10s")
        yield running


@pytest.fixture
def tablet(chromium: Browser, served: Served) -> Iterator[Page]:
    """A tablet at which nobody has signed in."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB", has_touch=True)
    page.goto(served.url)
    expect(page.locator(".sign-in")).to_be_visible()
    yield page
    page.close()


def signed_in(page: Page, person: str) -> None:
    expect(page.locator(".who")).to_have_text(person)
    expect(page.locator(".instruction-bar")).to_be_visible()


def reads_well(page: Page) -> None:
    assert page.evaluate("document.querySelector('.sign-in').scrollWidth <= innerWidth")
    assert violations(page) == []


def test_a_dealer_signs_in_by_touch_in_every_language_and_out_again(tablet: Page, served: Served) -> None:
    assert tablet.locator(".instruction-bar").count() == 0, "nobody sees the table before he is known"
    for language in LANGUAGES:
        tablet.locator(f"[data-language='{language}']").click()
        expect(tablet.locator("h1")).to_have_text(catalogue(language)["ui.sign_in_title"])
        reads_well(tablet)
        # Whoever has had his PIN for a quarter is asked, and goes on.
        tablet.locator("input[name='actor']").fill("D-18")
        tablet.locator("input[name='pin']").fill(PINS["D-18"])
        tablet.keyboard.press("Enter")
        expect(tablet.locator("[data-key='PIN_OLD']")).to_be_focused()
        expect(tablet.get_by_role("alert")).to_have_text(catalogue(language)["ui.pin_old"])
        reads_well(tablet)
        tablet.keyboard.press("Enter")
        signed_in(tablet, "D-18")
        tablet.locator("[data-top='sign-out']").click()
        expect(tablet.locator(".sign-in")).to_be_visible()
    tablet.locator("[data-language='en']").click()
    tablet.locator("input[name='actor']").fill("D-17")
    tablet.locator("input[name='pin']").click()
    for digit in "2703":
        tablet.locator(f"[data-pin='{digit}']").click()
    tablet.locator("form button[type='submit']").click()
    expect(tablet.get_by_role("alert")).to_contain_text("PIN is wrong; 2 tries left")
    for digit in PINS["D-17"]:
        tablet.locator(f"[data-pin='{digit}']").click()
    tablet.locator("form button[type='submit']").click()
    signed_in(tablet, "D-17")
    tablet.locator("[data-top='sign-out']").click()
    expect(tablet.locator(".sign-in")).to_be_visible()
    assert served.access.sessions.dealers == ()


def hold_to_reader(page: Page, card: str) -> None:
    """What the reader types, as fast as a reader does: key by key the test would be slower than a hand."""
    page.evaluate(
        """keys => keys.forEach(key => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))""",
        [";", *card, "Enter"],
    )


def test_a_card_is_one_gesture_and_its_digits_bet_on_no_box(tablet: Page, served: Served) -> None:
    hold_to_reader(tablet, CARD)
    signed_in(tablet, "D-17")
    before = served.now.seq
    hold_to_reader(tablet, "000000")
    served.until(lambda: served.now.seq > before)
    expect(tablet.locator(".who")).to_have_text("D-17")
    assert served.now.state.current is not None, "Enter of the reader is not the main key"


def test_by_keyboard_a_pit_user_acts_once_at_the_dealers_tablet(tablet: Page, served: Served) -> None:
    expect(tablet.locator("input[name='actor']")).to_be_focused()
    tablet.keyboard.type("D-17")
    tablet.keyboard.press("Tab")
    tablet.keyboard.type(PINS["D-17"])
    tablet.keyboard.press("Enter")
    signed_in(tablet, "D-17")
    served.command({"do": "freeze", "note": "x"})
    tablet.locator("[data-top='pit']").focus()
    tablet.keyboard.press("Enter")
    tablet.keyboard.type("S-02")
    tablet.keyboard.press("Tab")
    tablet.keyboard.type(PINS["S-02"])
    assert violations(tablet) == []
    tablet.keyboard.press("Enter")
    signed_in(tablet, "S-02")
    tablet.locator("[data-key='RESUME']").focus()
    tablet.keyboard.press("Enter")
    signed_in(tablet, "D-17")
    assert served.now.holds == ()
    assert {one.person_id for one in served.access.sessions.dealers} == {"D-17"}


def test_two_people_void_a_round_at_one_screen(tablet: Page, served: Served) -> None:
    tablet.locator("input[name='actor']").fill("S-02")
    tablet.locator("input[name='pin']").fill(PINS["S-02"])
    tablet.locator("form button[type='submit']").click()
    signed_in(tablet, "S-02")
    tablet.locator("[data-key='VOID']").click()
    tablet.locator("[data-reason='OTHER']").click()
    tablet.locator(".dialog [data-key='APPLY']").click()
    second = tablet.locator(".second-signs")
    expect(second).to_be_visible()
    assert violations(tablet) == []
    second.locator("input[name='actor']").fill("S-03")
    second.locator("input[name='pin']").fill(PINS["S-03"])
    second.locator("button[type='submit']").click()
    expect(tablet.locator(".second-signed")).to_have_text("S-03 signs with you")
    tablet.locator(".dialog [data-key='APPLY']").click()
    expect(tablet.locator(".dialog")).to_have_count(0)
    assert served.now.state.settlement.status == "voided"


def test_surveillance_sees_the_table_and_presses_nothing(tablet: Page, served: Served) -> None:
    tablet.locator("input[name='actor']").fill("E-01")
    tablet.locator("input[name='pin']").fill(PINS["E-01"])
    tablet.locator("form button[type='submit']").click()
    signed_in(tablet, "E-01")
    before = served.now.seq
    tablet.keyboard.press("Enter")
    time.sleep(0.3)
    assert served.now.seq == before
