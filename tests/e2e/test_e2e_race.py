"""Two pit users at one table: nobody rules on a table that he has not looked at."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal
from tests.e2e.sign_in_kit import pit_at

Rulings = list[dict[str, Any]]


@pytest.fixture
def pits(chromium_page: Callable[[Served], Page], served: Served) -> tuple[Page, Page]:
    """Two screens, S-02 and S-03, at a round in which box 1 wins with 19 against 18."""
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"), Reveal())
    served.deal("2d")
    first, second = chromium_page(served), chromium_page(served)
    pit_at(first, "S-02")
    pit_at(second, "S-03")
    return first, second


def rulings_of(page: Page) -> Rulings:
    """Every fact that this page sends from now on."""
    sent: Rulings = []

    def note(request: Request) -> None:
        body = request.post_data_json if request.url.endswith("/api/commands") else None
        if body and body["act"]["do"] == "observe":
            sent.append(body)

    page.on("request", note)
    return sent


def choose(page: Page, rank: str) -> None:
    page.locator("[data-card='1']").click()
    page.locator(f".dialog [data-rank='{rank}']").click()
    page.locator("[data-reason='MISREAD']").click()
    expect(apply_key(page)).to_be_enabled()


def apply_key(page: Page) -> Any:
    return page.locator(".dialog [data-key='APPLY']")


def test_the_second_of_two_corrections_is_asked_again(pits: tuple[Page, Page], served: Served) -> None:
    first, second = pits
    choose(first, "7")
    choose(second, "8")
    sent = rulings_of(second)
    apply_key(first).click()
    expect(second.locator(".moved [data-moved='1.1']")).to_contain_text("WIN 19 → 7 9 LOSE 16")
    expect(apply_key(second)).to_be_disabled()
    apply_key(second).click(force=True)
    assert served.now.state.boxes[0].hands[0].total == 16
    assert sent == [], "nothing is sent before he has confirmed"
    expect(second.locator("[data-preview='1.1']")).to_contain_text("16")
    confirmed = served.now.seq
    again = second.locator("[data-key='SIGN_AGAIN']")
    expect(again).to_contain_text("S-03")
    again.click()
    expect(second.locator(".moved")).to_have_count(0)
    apply_key(second).click()
    expect(second.locator(".dialog")).to_have_count(0)
    assert [body["expected_seq"] for body in sent] == [confirmed]
    assert served.now.state.boxes[0].hands[0].total == 17


def test_a_table_that_moves_before_anything_is_chosen_is_said_too(pits: tuple[Page, Page]) -> None:
    first, second = pits
    second.locator("[data-card='1']").click()
    choose(first, "7")
    apply_key(first).click()
    expect(second.locator(".moved")).to_be_visible()
    second.locator(".dialog [data-rank='8']").click()
    second.locator("[data-reason='MISREAD']").click()
    expect(second.locator("[data-preview='1.1']")).to_be_visible()
    expect(apply_key(second)).to_be_disabled()
    second.locator("[data-key='SIGN_AGAIN']").click()
    expect(apply_key(second)).to_be_enabled()


def test_a_round_is_not_void_on_a_table_that_nobody_has_seen(pits: tuple[Page, Page], served: Served) -> None:
    first, second = pits
    second.locator("[data-key='VOID']").click()
    second.locator("[data-reason='OTHER']").click()
    expect(apply_key(second)).to_be_enabled()
    choose(first, "7")
    apply_key(first).click()
    expect(second.locator(".moved")).to_be_visible()
    expect(apply_key(second)).to_be_disabled()
    second.locator("[data-key='SIGN_AGAIN']").click()
    apply_key(second).click()
    expect(second.locator(".dialog")).to_have_count(0)
    assert served.now.state.settlement.status == "voided"
