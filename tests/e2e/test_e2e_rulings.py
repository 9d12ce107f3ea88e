"""The pit rules on the page: a hold's ways out, a mis-tapped stand, a wrong payout; the dealer's Undo."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, End, Paid, Reveal, ShoeLoaded
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import pit_at

SIZES_OF_KEYS = """() => new Set([...document.querySelectorAll(".pit-bar .key-text")]
  .map((key) => getComputedStyle(key).fontSize)).size"""
CUT_KEYS = """() => [...document.querySelectorAll(".pit-bar .key-text")]
  .filter((key) => key.scrollWidth > key.clientWidth + 1 || key.scrollHeight > key.clientHeight + 1)
  .map((key) => key.textContent)"""


OUT_OF_SIGHT = """() => [".beside-target", ".decision-keys", ".preview", "[data-said]", "[data-key='APPLY']"]
  .filter((part) => {
    const shown = document.querySelector(`.dialog ${part}`);
    const box = shown.getBoundingClientRect();
    const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.bottom > innerHeight || !shown.contains(middle);
  })"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table that enforces its house's profile."""
    with Served(tmp_path, enforced=True) as running:
        yield running


def dealt(served: Served) -> None:
    """Box 1 has 15, box 2 has 19; the dealer shows a 6, a ten lies face down."""
    served.say(ShoeLoaded(6), Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "10c", "6c", "5d", "9d", "Qs")


def test_a_hold_is_ruled_by_the_way_that_the_house_takes_first(page: Page, served: Served) -> None:
    served.say(ShoeLoaded(6), Bet(1, 0, 1000), Close())
    served.deal("10h", "7c", "9d", "10s")
    served.say(Decision(1, 1, "stand"), Reveal())
    served.deal("5s")
    pit_at(page)
    hold = page.locator("[data-hold='DEALER_DREW_ON_17']")
    expect(hold).to_contain_text("Rule: ")
    ways = hold.locator("[data-way]")
    offered = list(served.now.holds[0].ways)
    expect(ways).to_have_count(len(offered))
    assert [way.get_attribute("data-way") for way in ways.all()] == offered
    assert violations(page) == []
    ways.first.click()
    expect(page.locator(".dialog [data-reason='burn'] input")).to_be_checked()
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".hold-list")).to_have_count(0)
    assert served.now.holds == ()


def test_a_mistapped_stand_is_mended_after_the_next_card_in_four_taps(page: Page, served: Served) -> None:
    dealt(served)
    served.say(Decision(1, 1, "stand"))
    served.deal("2d")
    pit_at(page)
    page.locator("[data-total='1.1']").click()
    page.locator("[data-reason='never']").click()
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    assert [hand.total for box in served.now.state.boxes for hand in box.hands] == [17, 19]


def test_undo_takes_a_mistapped_stand_back_before_the_next_card(page: Page, served: Served) -> None:
    dealt(served)
    expect(page.locator("[data-key='STAND']")).to_be_enabled()
    until_at_rest(page)
    page.locator("[data-key='STAND']").click()
    expect(page.locator("[data-key='UNDO']")).to_contain_text("Stand, box 1")
    until_at_rest(page)
    page.keyboard.press("Backspace")
    expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text("BOX 1")
    expect(page.locator("[data-key='UNDO']")).to_be_disabled()


def test_a_payout_of_the_closed_round_is_put_right(page: Page, served: Served) -> None:
    dealt(served)
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
    served.deal("2h")
    served.say(Paid(1, 0, 0), Paid(2, 0, 2000), End())
    pit_at(page)
    page.locator("[data-key='PUT_RIGHT']").click()
    page.locator(".dialog [data-round='1']").click()
    # A press on the result of a settled hand asks what was paid.
    page.locator(".dialog [data-total='2.1']").click()
    page.locator("input[name='amount']").fill("15")
    expect(page.locator("[data-money='2.0']")).to_contain_text("+10.00+5.00\N{MINUS SIGN}5.00")
    assert violations(page) == []
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator("[data-hold='WRONG_PAYOUT']")).to_have_count(1)
    page.locator("[data-hold='WRONG_PAYOUT'] [data-way='paid']").click()
    expect(page.locator("input[name='amount']")).to_have_value("20.00")
    page.locator("[data-reason='DEALER_ERROR']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".hold-list")).to_have_count(0)


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800)])
def test_hold_and_dialog_fit_in_every_language(
    chromium_page: Callable[[Served], Page], served: Served, size: tuple[int, int]
) -> None:
    served.say(ShoeLoaded(6), Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "10c", "7c", "5d", "9d", "Qs")
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
    served.deal("5s")
    page = chromium_page(served)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    pit_at(page)
    for language in ("en", "nl", "de", "fr", "it"):
        page.locator(f"[data-language='{language}']").click()
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert found_in_the_end(page, WIDER) == [], language
        assert page.evaluate(SIZES_OF_KEYS) == 1, "the keys of a row have one size"
        assert found_in_the_end(page, CUT_KEYS) == [], language
        page.locator("[data-total='1.1']").click()
        expect(page.locator(".dialog [data-reason='never']")).to_be_visible()
        assert found_in_the_end(page, WIDER) == [], language
        page.keyboard.press("Escape")
    page.close()


def test_a_card_of_an_earlier_round_is_put_right(page: Page, served: Served) -> None:
    """Round 1 is reached by its number; box 2 had 20 in truth, and gets what it was not paid."""
    served.say(ShoeLoaded(6))
    for _ in range(3):
        served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        served.deal("10h", "10c", "10d", "9d", "9s", "Qs")
        served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal(), End())
    pit_at(page)
    page.locator("[data-key='PUT_RIGHT']").click()
    for number in (3, 2, 1):
        page.locator(f".dialog [data-round='{number}']").click()
    page.locator(".dialog [data-hand='2.1'] [data-card='5']").click()
    page.locator(".dialog [data-rank='A']").click()
    page.locator(".dialog [data-suit='c']").click()
    page.locator("[data-reason='MISREAD']").click()
    expect(page.locator("[data-said]")).to_have_text("9♠ → A♣, Box 2")
    expect(page.locator("[data-money='2.0']")).to_contain_text("\N{MINUS SIGN}10.00+15.00+25.00")
    expect(page.locator("[data-house='ui.house_shift']")).to_contain_text("\N{MINUS SIGN}25.00")
    # All in sight, and nothing over a key.
    assert found_in_the_end(page, OUT_OF_SIGHT) == []
    assert violations(page) == []
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    first = next(iter(served.now.state.book.past)).book.number
    assert first == 3, "a snapshot carries the last round only"
    state, facts = served.state(), json.loads(served.get("/api/facts?round=1"))
    assert facts["first_round"] == 1
    assert [row["round"] for row in facts["rounds"]] == [4, 3, 1]
    due = [seat["due"] for box in facts["rounds"][2]["boxes"] for seat in box["seats"]]
    assert due == ["0.00", "25.00"]
    assert state["round"] == 4


def test_several_corrections_of_a_round_have_one_reason_and_one_apply(page: Page, served: Served) -> None:
    """Two cards and a stake: one line each, the money of all, and a line that is taken off again."""
    served.say(ShoeLoaded(6), Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "10c", "10d", "9d", "9s", "8s")
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal(), End())
    pit_at(page)
    page.locator("[data-key='PUT_RIGHT']").click()
    page.locator(".dialog [data-round='1']").click()
    for hand, card, rank in (("1.1", 4, "5"), ("2.1", 5, "6")):
        page.locator(f".dialog [data-hand='{hand}'] [data-card='{card}']").click()
        page.locator(f".dialog [data-rank='{rank}']").click()
    page.locator(".dialog [data-box='2'] .tap").click()
    page.locator(".dialog input[name='amount']").fill("20")
    said = page.locator(".dialog [data-said]")
    expect(said).to_have_text(
        [
            "9\u2666 \u2192 5\u2666, Box 1\u2715",
            "9\u2660 \u2192 6\u2660, Box 2\u2715",
            "Box 2: Stake \u2192 20.00",
        ]
    )
    # Before, after and change of each bettor, as all three of them together make it.
    expect(page.locator("[data-money='1.0']")).to_contain_text("+10.00\N{MINUS SIGN}10.00\N{MINUS SIGN}20.00")
    expect(page.locator("[data-money='2.0']")).to_contain_text("+10.00\N{MINUS SIGN}20.00\N{MINUS SIGN}30.00")
    expect(page.locator("[data-house='ui.house_round']")).to_contain_text("\N{MINUS SIGN}20.00+30.00+50.00")
    assert found_in_the_end(page, OUT_OF_SIGHT) == []
    assert violations(page) == []
    said.nth(1).locator("button").click()
    expect(page.locator("[data-house='ui.house_round']")).to_contain_text("\N{MINUS SIGN}20.00")
    expect(said).to_have_count(2)
    before = served.now.seq
    page.locator("[data-reason='MISREAD']").click()
    page.locator(".dialog [data-key='APPLY']").click()
    expect(page.locator(".dialog")).to_have_count(0)
    facts = json.loads(served.get("/api/facts?round=1"))["rounds"][-1]
    assert [seat["stake"] for box in facts["boxes"] for seat in box["seats"]] == ["10.00", "20.00"]
    assert [
        card["rank"] for box in facts["laid"]["boxes"] for hand in box["hands"] for card in hand["cards"]
    ] == [
        *("10", "5"),
        *("10", "9"),
    ]
    assert served.now.seq > before


def test_the_pit_moves_the_chips_of_a_round_that_was_paid_or_only_records_it(
    page: Page, served: Served
) -> None:
    """Neither is chosen beforehand; with the chips the payout is entered, without them it differs."""
    for number, choice, win, differs in ((1, "move", "0.00", 0), (2, "stay", "-20.00", 1)):
        served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        served.deal("10h", "10c", "10d", "9d", "9s", "8s")
        served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal(), Paid(1, 0, 2000))
        served.say(Paid(2, 0, 2000), End())
        if number == 1:
            pit_at(page)
        page.locator("[data-key='PUT_RIGHT']").click()
        page.locator(f".dialog [data-round='{number}']").click()
        page.locator(".dialog [data-hand='1.1'] [data-card='4']").click()
        page.locator(".dialog [data-rank='5']").click()
        page.locator("[data-reason='MISREAD']").click()
        apply = page.locator(".dialog [data-key='APPLY']")
        expect(page.locator("[data-reason='move']")).to_have_text("collect 20.00")
        expect(page.locator("[data-reason='stay']")).to_have_text("record only")
        expect(apply).to_be_disabled()
        page.locator(f"[data-reason='{choice}']").click()
        expect(apply).to_have_text(f"Apply: 5\u2666{', collect 20.00' if choice == 'move' else ''}")
        assert violations(page) == []
        apply.click()
        expect(page.locator(".dialog")).to_have_count(0)
        served.sign_in("S-02")
        (tile,) = json.loads(served.get("/api/tables"))
        assert tile["win"]["money"] == win, choice
        assert json.loads(served.get("/api/ledger"))["differences"] == differs, choice
