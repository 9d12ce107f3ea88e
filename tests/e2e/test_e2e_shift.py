"""The pit's shift: a wrong payout of an earlier round is found, proved and put right; charts, alerts."""

import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.domain.observations import Bet, Close, Decision, DeviceSeen, End, Paid, Reveal
from controller.domain.table_events import DealerSeated, HoldsLifted
from controller.i18n import LANGUAGES, catalogue
from controller.ports import Report
from controller.recording.past_pictures import RecordedPictures
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_after_fitting
from tests.e2e.sign_in_kit import pit_at
from tests.recording.recording_kit import pictures_of_a_minute


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table with its house's profile: a wrong payout holds."""
    _, jpeg = cv2.imencode(".jpg", np.full((90, 160, 3), (60, 110, 30), np.uint8))
    recorded = pictures_of_a_minute(
        tmp_path / "recorded", "left", time.time_ns() // 1000 - 10**6, jpeg.tobytes()
    )
    with Served(tmp_path, enforced=True, past=RecordedPictures(recorded, ("left",))) as running:
        yield running


def play(served: Served, *, paid: int) -> None:
    """Boxes 1 and 3 win against 18 with 19; box 3 is handed back what is said."""
    served.say(Bet(1, 0, 1000), Bet(3, 0, 1000), Close())
    served.deal("10h", "10c", "10d", "9c", "9s", "8s")
    served.say(*(Decision(box, 1, "stand") for box in (1, 3)), Reveal(), Paid(1, 0, 2000), Paid(3, 0, paid))


def in_every_language(page: Page, text: str) -> None:
    for language in LANGUAGES[::-1]:
        page.locator(f"[data-language='{language}']").dispatch_event("click")
        expect(page.locator(".dialog h2")).to_have_text(catalogue(language)[text])
        assert cut_after_fitting(page) == [], language


def test_a_payout_that_was_wrong_rounds_ago_is_found_proved_and_put_right(page: Page, served: Served) -> None:
    served.say(DealerSeated("D-17", "in"))
    play(served, paid=3000)
    served.say(HoldsLifted("S-03", "OTHER"), End())
    for _ in range(2):
        play(served, paid=2000)
        served.say(End())
    pit_at(page)
    page.locator("[data-key='SHIFT']").click()
    row = page.locator(".ledger [data-payout]").first
    expect(row).to_have_attribute("data-payout", "1.3.0")
    expect(row).to_contain_text("+10")
    expect(page.locator("[data-total='shift']")).to_contain_text("1 of 6 differ")
    row.locator("[data-show-pictures]").click()
    picture = page.locator("[data-pictures='1'] img")
    expect(picture).to_be_visible()
    assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 160
    assert violations(page) == []
    page.locator("[data-key='CLOSE_PICTURES']").click()
    expect(page.locator("[data-pictures]")).to_have_count(0)
    page.locator("[data-page='charts']").click()
    expect(page.locator("[data-chart='win'] canvas")).to_be_visible()
    expect(page.locator("[data-chart='win'] figcaption")).to_contain_text("-60")
    in_every_language(page, "ui.shift_title")
    page.locator("[data-page='audit']").click()
    page.locator("input[name='round']").fill("1")
    page.keyboard.press("Enter")
    page.locator("select[name='kind']").select_option("fact")
    expect(page.locator("[data-entry] code").filter(has_text='"paid"')).to_have_count(2)
    assert violations(page) == []
    page.locator("[data-page='payouts']").click()
    page.locator("[data-put-right='1.3.0']").click()
    expect(page.locator("input[name='amount']")).to_have_value("20.00")
    assert violations(page) == []
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    page.locator("[data-key='SHIFT']").click()
    expect(page.locator("[data-payout='1.3.0']")).to_contain_text("S-02")
    expect(page.locator("[data-total='shift']")).to_contain_text("0 of 6 differ")
    page.locator("[data-key='CLOSE_PANEL']").click()
    served.report(Report("shoe", 0, (DeviceSeen("shoe", "lost"),)))
    alert = page.locator(".alerts [data-alert]")
    alert.click()
    expect(page.locator("[data-evidence='shoe']")).to_be_visible()
    expect(page.locator(".dialog [data-key='APPLY']")).to_be_disabled()
    in_every_language(page, "ui.alert_title")
    assert violations(page) == []
    page.locator(".dialog [data-way='keep'], .dialog [data-key='GO_ON']").click()
    expect(page.locator(".hold-list")).to_have_count(0)
