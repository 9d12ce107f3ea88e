"""What was paid is typed, a stake that was counted otherwise is asked, the pit sees what nobody confirmed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, ChipReading, Decision, Reveal
from controller.i18n import LANGUAGES
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_in_the_end
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import Monitor, pit_at
from tests.e2e.test_e2e_dealer import line


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table whose house has every payout typed."""
    with Served(tmp_path, enforced=True, payouts="enter") as running:
        yield running


def press(page: Page, key: str) -> None:
    """A key of the bar, once it rests no more."""
    until_at_rest(page)
    page.locator(f"[data-key='{key}']").click()


def fits_in_every_language(page: Page, state: str) -> None:
    for language in LANGUAGES:
        page.locator(f"[data-language='{language}']").click()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert cut_in_the_end(page) == [], (state, language)
    page.locator("[data-language='en']").click()


def ledger_of_the_shift(served: Served, monitor: Monitor) -> None:
    """Both payouts on the pit's page, in every language."""
    pit = monitor(served)
    for language in LANGUAGES:
        pit.locator("select.language").select_option(language)
        expect(pit.locator("html")).to_have_attribute("lang", language)
        expect(pit.locator("[data-payout='1.2.0']")).to_be_visible()
        assert cut_in_the_end(pit) == [], language
    assert violations(pit) == []


def test_stakes_are_asked_payouts_typed_and_the_rest_is_told_to_the_pit(
    page: Page, served: Served, monitor: Monitor
) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000))
    served.count(*(ChipReading("stake", box, 0, 1000, 0.99) for box in (1, 3, 4, 5)))
    served.count(ChipReading("stake", 2, 0, 2500, 0.99))
    expect(page.locator(".instruction-detail")).to_contain_text("Box 2: entered 10")
    expect(page.locator(".instruction-detail")).to_contain_text("and 3 more")
    fits_in_every_language(page, "bets")
    served.count(*(ChipReading("stake", box, 0, 0, 0.99) for box in (3, 4, 5)))
    press(page, "CLOSE")
    line(page, "STAKE OF BOX 2?")
    fits_in_every_language(page, "stake")
    assert violations(page) == []
    press(page, "TAKE_COUNTED")
    line(page, "PLACE BETS")
    served.deal("10h", "10c", "9c", "9s", "9d", "8s")
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
    line(page, "STAND - 17")
    press(page, "NEXT")
    line(page, "PAY BOX 2: 25.00")
    expect(page.locator("[data-key='ALL_DONE']")).to_be_disabled()
    press(page, "GIVEN")
    pad = page.locator("dialog[data-amount='given']")
    expect(pad).to_contain_text("Box 2: amount paid?")
    fits_in_every_language(page, "given")
    assert violations(page) == []
    for digit in ("2", "5", "set"):
        pad.locator(f"[data-digit='{digit}']").click()
    line(page, "PAY BOX 1: 10.00")
    expect(pad).to_contain_text("Box 1: amount paid?")
    for digit in ("1", "2", "set"):
        pad.locator(f"[data-digit='{digit}']").click()
    line(page, "STOP - Wrong payout")
    pit_at(page)
    hold = page.locator("[data-hold='WRONG_PAYOUT']")
    expect(hold).to_contain_text("22")
    hold.locator("[data-way='paid']").click()
    expect(page.locator("input[name='amount']")).to_have_value("20.00")
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".hold-list")).to_have_count(0)
    ledger_of_the_shift(served, monitor)
    assert [one[2] for one in served.now.state.settlement.paid] == [2000, 5000]


def test_payouts_that_the_next_bet_confirmed_are_counted_for_the_pit_and_put_right(
    page: Page, served: Served
) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000))
    served.deal("10h", "10c", "9c", "9s", "9d", "8s")
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal(), Bet(1, 0, 1000))
    pit_at(page)
    row = page.locator("[data-unconfirmed='2']")
    expect(row).to_contain_text("Round 1, box 2")
    fits_in_every_language(page, "unconfirmed")
    assert violations(page) == []
    row.locator("button").click()
    expect(page.locator("input[name='amount']")).to_have_value("20.00")
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator("[data-unconfirmed='1']")).to_have_count(1)
