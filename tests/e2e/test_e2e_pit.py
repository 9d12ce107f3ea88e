"""The pit at the same page: signing in, correcting a card, lifting a hold, voiding."""

from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, Reveal
from controller.i18n import LANGUAGES
from tests.e2e.sign_in_kit import Monitor, deal_at, pit_at


def settled_round(served: Served) -> None:
    """Box 1 has 19 and wins against 18."""
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"), Reveal())
    served.deal("2d")


def test_a_card_is_corrected_and_the_totals_change(page: Page, served: Served) -> None:
    settled_round(served)
    pit_at(page)
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("WIN 19")
    page.locator("[data-card='1']").click()
    page.locator(".dialog [data-rank='7']").click()
    row = page.locator("[data-preview='1.1']")
    expect(row).to_contain_text("WIN 19")
    expect(row).to_contain_text("16")
    expect(page.locator("[data-money='1.0']")).to_contain_text("\N{MINUS SIGN}20")
    apply = page.locator(".dialog [data-key='APPLY']")
    expect(apply).to_be_disabled()
    page.locator("[data-reason='MISREAD']").click()
    assert served.now.state.boxes[0].hands[0].total == 19, "nothing is sent before Apply"
    apply.click()
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator("[data-hand='1.1'] .pill")).to_contain_text("16")
    assert served.now.state.boxes[0].hands[0].total == 16


def test_the_dealer_waits_while_the_pit_corrects(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "5d", "10s")
    pit_at(page)
    assert page.context.browser
    dealer = page.context.browser.new_page()
    deal_at(dealer, served)
    dealer.goto(served.url)
    expect(dealer.locator("[data-key='STAND']")).to_be_enabled()
    page.locator("[data-card='1']").click()
    expect(dealer.locator(".instruction-bar h1[aria-live]")).to_have_text("PIT IS CORRECTING BOX 1")
    expect(dealer.locator("[data-key='STAND']")).to_have_count(0)
    # Another thing of the round lets it go on, and so does Cancel.
    page.locator(".dialog [data-box='1'] .tap").click()
    expect(dealer.locator("[data-key='STAND']")).to_be_enabled()
    page.locator(".dialog [data-card='1']").click()
    expect(dealer.locator("[data-key='STAND']")).to_have_count(0)
    page.locator("[data-key='CANCEL']").click()
    expect(dealer.locator("[data-key='STAND']")).to_be_enabled()
    dealer.close()


def test_a_card_too_many_is_struck_and_the_dispute_ends(page: Page, served: Served) -> None:
    settled_round(served)
    served.deal("9h")
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("STOP")
    pit_at(page)
    expect(page.locator(".alerts li.critical")).to_have_count(1)
    page.locator("[data-fault='6']").click()
    page.locator(".dialog [data-rank='none']").click()
    page.locator(".dialog [data-reason='burn']").click()
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.STAND")


def test_a_hold_is_lifted_by_the_pit(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    page.locator("[data-key='CALL_PIT']").click(delay=800)
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.STOP")
    pit_at(page)
    page.locator("[data-key='RESUME']").click()
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.DEAL_BOX")


def test_a_round_is_void_with_a_reason(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "5d", "10s")
    pit_at(page)
    page.locator("[data-key='VOID']").click()
    expect(page.locator(".dialog [data-key='APPLY']")).to_be_disabled()
    page.locator("[data-reason='CARD_EXPOSED']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.PUSH")
    assert served.now.state.settlement.status == "voided"


def test_cards_are_entered_by_hand_where_the_shoe_is_silent(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    pit_at(page)
    page.locator("[data-key='BY_HAND']").click()
    for rank in ("9", "6", "8", "down"):
        before = served.now.seq
        page.locator(f".sheet [data-rank='{rank}']").click()
        served.until(lambda: served.now.seq > before)  # noqa: B023 - awaited within the turn
        # A press on the table as it was before is refused, and says so.
        expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("17")
    expect(page.locator("[data-hidden]")).to_have_count(1)


def test_a_card_at_the_wrong_box_is_moved(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "9c", "6c", "5d", "4d", "Qs")
    served.say(CardSeen("5", "h", to="box", box=5))
    pit_at(page)
    page.locator("[data-fault='7']").click()
    page.locator(".dialog [data-rank='none']").click()
    page.locator(".dialog [data-reason='to-1.1']").click()
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("20")


def test_a_card_is_moved_to_the_second_hand_of_a_split_box(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("8h", "9c", "6c", "8d", "4d", "Qs")
    served.say(Decision(1, 1, "split"))
    served.deal("2h")
    served.say(Decision(1, 1, "stand"))
    served.deal("3h")
    served.say(CardSeen("5", "h", to="box", box=5))
    pit_at(page)
    page.locator("[data-fault='9']").click()
    page.locator(".dialog [data-rank='none']").click()
    page.locator(".dialog [data-reason='to-1.2']").click()
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator("[data-hand='1.2'] .pill")).to_have_text("16")
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("10")


def test_no_amount_of_a_correction_is_cut_on_a_small_tablet(served: Served, monitor: Monitor) -> None:
    """Money before and after stands beside the felt: every figure is whole in every language."""
    settled_round(served)
    pit = monitor(served)
    pit.set_viewport_size({"width": 1024, "height": 768})
    for language in LANGUAGES:
        pit.locator("select.language").select_option(language)
        pit.locator("[data-key='PUT_RIGHT']").click()
        pit.locator(".full [data-card='1']").click()
        pit.locator(".full [data-rank='7']").click()
        expect(pit.locator(".full [data-money='1.0']")).to_be_visible()
        cut = pit.locator(".correct-side > div").first.evaluate(
            """(side) => [...side.querySelectorAll("td, th")].filter((cell) =>
              cell.getBoundingClientRect().right > side.getBoundingClientRect().right + 1)
              .map((cell) => cell.textContent)"""
        )
        assert cut == [], language
        pit.keyboard.press("Escape")


def test_a_page_that_connects_is_quiet_before_it_is_not_live(served: Served, monitor: Monitor) -> None:
    """No stop's colour before the first state is late."""
    pit = monitor(served)
    pit.route_web_socket("**/*", lambda _socket: None)
    pit.goto(served.url + "/pit")
    bar = pit.locator(".not-live .instruction-bar")
    expect(bar).to_have_text("connecting to the table\N{HORIZONTAL ELLIPSIS}")
    look = "node => getComputedStyle(node).backgroundImage"
    quiet: str = bar.evaluate(look)
    expect(bar.locator("h1")).to_have_text("NOT LIVE \N{EN DASH} WAIT")
    assert (quiet, "gradient" in bar.evaluate(look)) == ("none", True)
