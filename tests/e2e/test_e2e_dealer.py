"""The dealer's page in a real browser, on the real table."""

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, CardSeen, Close
from tests import people_kit
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import deal_at

STAKES = ((1, 2500), (2, 1000), (3, 1500), (4, 5000), (6, 1200), (7, 10000))
DEAL = ("10s", "9h", "As", "8d", "Ah", "5s", "6c", "7d", "9c", "Kh", "8s", "6s", "6h", "10d")


def press(page: Page, key: str) -> None:
    until_at_rest(page)
    page.keyboard.press(key)


def line(page: Page, text: str) -> None:
    """The instruction line, written here with a plain hyphen for its dash.

    NOT LIVE, which may lie over it for a moment on a busy machine, has a heading of its own.
    """
    expect(page.locator(".instruction-bar h1[aria-live]")).to_have_text(text.replace(" - ", " \N{EN DASH} "))


def tap_box(page: Page, box: int) -> None:
    page.locator(f"[data-box='{box}'] .tap").tap()


def tap_key(page: Page, key: str) -> None:
    until_at_rest(page)
    page.locator(f"[data-key='{key}']").tap()


def deal_full_table(served: Served) -> None:
    served.say(*(Bet(box, 0, stake) for box, stake in STAKES), Close())
    served.deal(*DEAL)


def test_a_dealt_table_is_shown(page: Page, served: Served) -> None:
    deal_full_table(served)
    line(page, "BOX 1 - 17")
    expect(page.locator("[data-hand='3.1'] .pill")).to_have_text("BJ")
    expect(page.locator("[data-hand='6.1'] .pill")).to_have_text("7/17")
    expect(page.locator("[data-dealer] .pill")).to_have_text("6")
    expect(page.locator("[data-box='5'] .empty-number")).to_have_text("5")
    expect(page.locator("[data-hand]")).to_have_count(6)
    boxes = [page.locator(f"[data-box='{box}']").bounding_box() for box in range(1, 8)]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts)


def test_a_full_round_by_touch(page: Page, served: Served) -> None:
    line(page, "PLACE BETS")
    tap_box(page, 3)
    for _ in range(3):
        page.locator("[data-chip='5.00']").tap()
        page.wait_for_timeout(50)
    expect(page.locator("[data-box='3'] .pill.stake")).to_have_text("15")
    tap_box(page, 5)
    page.locator("[data-chip='25.00']").tap()
    expect(page.locator("[data-box='5'] .pill.stake")).to_have_text("25")
    tap_key(page, "CLOSE")
    line(page, "DEAL - BOX 3")
    served.deal("As", "8d", "6c", "Kh", "8s", "10d")
    line(page, "BOX 5 - 16")
    tap_key(page, "SPLIT")
    line(page, "CARD - BOX 5A")
    served.deal("10h")
    line(page, "BOX 5A - 18")
    tap_key(page, "STAND")
    line(page, "CARD - BOX 5B")
    served.deal("3c")
    line(page, "BOX 5B - 11")
    tap_key(page, "DOUBLE")
    line(page, "CARD - BOX 5B")
    served.deal("9d")
    line(page, "TURN THE CARD")
    tap_key(page, "TURNED")
    line(page, "DRAW - 16")
    served.deal("Ad")
    line(page, "STAND - 17")
    tap_key(page, "NEXT")
    line(page, "PAY BOX 5: 75.00")
    tap_key(page, "DONE")
    line(page, "PAY BOX 3: 22.50")
    expect(page.locator(".instruction-chip")).to_have_count(2)
    expect(page.locator(".instruction-chips")).to_contain_text("4 \N{MULTIPLICATION SIGN} 5")
    expect(page.locator(".instruction-chips")).to_contain_text("1 \N{MULTIPLICATION SIGN} 2.50")
    tap_key(page, "DONE")
    line(page, "CLEAR THE TABLE")
    assert served.now.pay.handled == (5, 3)
    assert served.now.state.settlement.paid == ((3, 0, 3750), (5, 0, 15000))
    tap_key(page, "CLEAR_TABLE")
    line(page, "PLACE BETS")
    tap_key(page, "REPEAT")
    expect(page.locator("[data-box='5'] .pill.stake")).to_have_text("25")


def test_a_full_round_by_keys(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(7, 0, 500))
    expect(page.locator("[data-box='7'] .pill.stake")).to_have_text("5")
    press(page, "Enter")
    line(page, "DEAL - BOX 1")
    served.deal("5h", "10c", "Kd", "6d", "9s", "7c")
    line(page, "BOX 1 - 11")
    press(page, "d")
    line(page, "CARD - BOX 1")
    served.deal("10d")
    line(page, "BOX 7 - 19")
    press(page, "s")
    line(page, "TURN THE CARD")
    press(page, "Enter")
    line(page, "STAND - 17")
    press(page, "Enter")
    line(page, "PAY BOX 7: 5.00")
    press(page, "Enter")
    line(page, "PAY BOX 1: 20.00")
    press(page, "Enter")
    line(page, "CLEAR THE TABLE")
    press(page, "Enter")
    line(page, "PLACE BETS")
    press(page, "r")
    expect(page.locator("[data-box='1'] .pill.stake")).to_have_text("10")


def test_a_pedal_presses_the_main_key_whatever_a_finger_touched_last(page: Page, served: Served) -> None:
    tap_box(page, 2)
    page.locator("[data-chip='5.00']").tap()
    expect(page.locator("[data-box='2'] .pill.stake")).to_have_text("5")
    page.locator("[data-language='de']").tap()
    page.locator("[data-language='en']").tap()
    press(page, "Enter")
    line(page, "DEAL - BOX 2")
    assert served.now.state.boxes[0].bets == ((0, 500),)


def test_insurance_is_toggled_for_each_box(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 800), Close())
    served.deal("10h", "9d", "Ac", "9c", "9s", "Kd")
    line(page, "INSURANCE?")
    press(page, "2")
    expect(page.locator("[data-key='INSURE_2_0']")).to_have_attribute("aria-pressed", "true")
    press(page, "Enter")
    line(page, "BOX 1 - 19")
    assert served.now.state.boxes[1].insurance == ((0, 400),)


def test_the_rank_of_an_unread_card_is_tapped(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d", "?")
    line(page, "WHICH CARD?")
    expect(page.locator("[data-hand='1.1'] .pill")).to_have_text("9+?")
    until_at_rest(page)
    page.locator("[data-rank='8']").tap()
    line(page, "BOX 1 - 17")
    served.deal("?")
    line(page, "WHICH CARD?")
    press(page, "2")
    line(page, "BOX 1 - 19")


def test_a_face_down_card_that_nobody_read_is_named_when_it_is_turned(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d")
    served.say(CardSeen(None, face="down"))
    line(page, "BOX 1 - 19")
    press(page, "Enter")
    line(page, "TURN THE CARD")
    press(page, "Enter")
    expect(page.locator(".toast")).to_contain_text("tap its rank")
    press(page, "k")
    line(page, "DRAW - 16")


PRESSED_AGAIN_AT_ONCE = """() => {
  const enter = () => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  const line = document.querySelector(".instruction-bar");
  const seen = new MutationObserver(() => { seen.disconnect(); enter(); });
  seen.observe(line, { attributes: true, childList: true, characterData: true, subtree: true });
  enter();
}"""
"""Enter, and Enter again as soon as the line has changed: a press of the test itself might come late."""


def test_a_key_that_has_just_changed_rests(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "9d", "6c", "9c", "9s", "Kd")
    line(page, "BOX 1 - 19")
    until_at_rest(page)
    page.evaluate(PRESSED_AGAIN_AT_ONCE)
    line(page, "BOX 2 - 18")
    until_at_rest(page)
    assert served.now.expected.get("box") == 2
    press(page, "Enter")
    line(page, "TURN THE CARD")


def test_call_pit_needs_a_long_press_and_stops_the_table(page: Page, served: Served) -> None:
    deal_full_table(served)
    line(page, "BOX 1 - 17")
    key = page.locator("[data-key='CALL_PIT']")
    key.click()
    page.wait_for_timeout(200)
    line(page, "BOX 1 - 17")
    key.click(delay=800)
    line(page, "STOP - Pit called")
    expect(page.locator("[data-key='VOID']")).to_be_disabled()


def test_the_face_down_card_is_never_in_the_page(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "Qd")
    line(page, "BOX 1 - 9")
    expect(page.locator("[data-hidden]")).to_have_count(1)
    drawn = page.locator(".rank").all_text_contents()
    assert sorted(drawn) == ["4", "5", "6"]
    held = page.evaluate("document.documentElement.outerHTML")
    assert ">Q<" not in held
    press(page, "Enter")
    line(page, "TURN THE CARD")
    press(page, "Enter")
    expect(page.locator("[data-dealer] .rank")).to_have_text(["6", "Q"])


def test_a_silent_server_is_shown_and_the_table_comes_back(page: Page, served: Served) -> None:
    deal_full_table(served)
    line(page, "BOX 1 - 17")
    served.freeze(6)
    expect(page.locator(".not-live")).to_be_visible()
    expect(page.locator(".not-live h1")).to_contain_text("NOT LIVE")
    expect(page.locator("[data-key='STAND']")).to_be_disabled()
    expect(page.locator(".not-live")).to_be_hidden()
    press(page, "s")
    line(page, "BOX 2 - 18")


def test_a_restart_in_the_middle_of_a_hand_brings_the_same_table_back(page: Page, served: Served) -> None:
    deal_full_table(served)
    line(page, "BOX 1 - 17")
    drawn = page.locator(".rank").all_text_contents()
    served.restart()
    page.locator("input[name='actor']").fill(people_kit.DEALER)
    page.locator("input[name='pin']").fill(people_kit.PINS[people_kit.DEALER])
    page.get_by_role("button", name="Sign in").click()
    line(page, "STOP - Restarted")
    expect(page.locator(".not-live")).to_be_hidden()
    assert page.locator(".rank").all_text_contents() == drawn
    press(page, "r")
    line(page, "BOX 1 - 17")


def test_a_second_screen_follows_the_first(page: Page, served: Served) -> None:
    assert page.context.browser
    other = page.context.browser.new_page()
    deal_at(other, served)
    other.goto(served.url)
    served.say(Bet(1, 0, 1000))
    for screen in (page, other):
        expect(screen.locator("[data-box='1'] .pill.stake")).to_have_text("10")
    other.close()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
def test_what_a_dealer_taps_is_large_enough(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    least = 72 if size[0] == 1280 else 60
    for selector in (".tap", ".rail-chip", ".bar .key"):
        for box in (node.bounding_box() for node in page.locator(selector).all()):
            assert box is not None
            assert min(box["width"], box["height"]) >= least, selector
