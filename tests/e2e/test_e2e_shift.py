"""A pit's evening on its own page: freeze, a wrong payout of an hour ago, a stop ruled on from afar."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from web_kit import Served

from controller.acts.catalogue import (
    Bet,
    Close,
    Correct,
    DealerSeated,
    Decision,
    End,
    HoldsLifted,
    Paid,
    Reveal,
)
from controller.recording.recording_reader import RecordedPictures
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import CUT_IN_ALERT, WIDER, found_in_the_end
from tests.e2e.floors_kit import below_the_floors
from tests.e2e.sign_in_kit import Monitor
from tests.e2e.test_e2e_small_screens import keep_picture
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


def line_of(dealer: Page) -> Callable[[str], None]:
    """Waits for a line on the dealer's tablet."""
    bar = dealer.locator(".instruction-bar")
    return lambda line: expect(bar).to_have_attribute("data-line", line)


def freezes_and_releases(pit: Page, dealer_has: Callable[[str], None]) -> None:
    pit.locator("[data-key='FREEZE']").click()
    # The dealer reads who has frozen the table, and the pit gets no alert of its own act.
    dealer_has("line.FROZEN_BY")
    expect(pit.locator(".live .line")).to_have_text("FROZEN BY S-02 \N{EN DASH} WAIT")
    expect(pit.locator(".alerts-box article")).to_have_count(0)
    pit.locator("[data-key='RELEASE']").click()
    expect(pit.locator(".dialog h2")).to_have_text("Frozen by the pit")
    expect(pit.locator(".dialog .choices label").first).to_have_text("Looked at: all is well")
    pit.locator("[data-reason='CHECKED']").click()
    pit.locator(".dialog [data-key='APPLY']").click()
    dealer_has("line.DEAL_BOX")
    # The dialog gives the focus back as it goes: what is typed before that lands on no field.
    expect(pit.locator("[data-key='FREEZE']")).to_be_focused()


def writes_to_the_dealer(pit: Page, dealer: Page) -> None:
    pit.locator("input[name='message']").fill("Check box 3")
    pit.keyboard.press("Enter")
    expect(pit.locator("[data-waits]")).to_contain_text("Check box 3")
    expect(dealer.locator(".instruction-detail")).to_contain_text("Check box 3")
    # A key that has just come rests for a moment (shared/keys.tsx), and nobody reads a line faster.
    dealer.wait_for_timeout(500)
    dealer.locator("[data-key='MESSAGE_SEEN']").click()
    expect(pit.locator("[data-waits]")).to_have_count(0)
    assert violations(pit) == []


def finds_the_payout(pit: Page) -> None:
    """An hour later it is found by its amount, and proved by the picture of the moment."""
    expect(pit.locator("[data-payout]").first).to_have_attribute("data-payout", "1.3.0")
    pit.locator("[data-filter='differences']").click()
    expect(pit.locator("[data-payout]")).to_have_count(1)
    assert pit.url.endswith("?ledger=differences")
    pit.locator("[data-link='rounds']").click()
    pit.locator("input[name='find']").fill("box 3 30.00")
    expect(pit.locator("[data-round]")).to_have_count(1)
    assert "find=box+3+30.00" in pit.url
    assert violations(pit) == []
    pit.locator("[data-round='1'] a").click()
    expect(pit.locator("[data-money='3.0']")).to_contain_text("! +10.00")
    # It starts at the first card of this round.
    expect(pit.locator(".player [data-step]")).to_be_visible(timeout=120_000)
    expect(pit.locator(".round-left [data-card]")).to_have_count(1)
    expect(pit.locator(".did .here")).to_contain_text("10♥ to box 1, total 10.")
    picture = pit.locator(".pictures img")
    assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 160
    assert violations(pit) == []


def puts_it_right(pit: Page) -> None:
    pit.locator("[data-key='PUT_RIGHT']").click()
    expect(pit.locator("input[name='amount']")).to_have_value("20.00")
    pit.locator("[data-reason='DEALER_ERROR']").click()
    pit.locator(".dialog [data-key='APPLY']").click()
    corrected = pit.locator("[data-correction]")
    for said in ("Box 3, paid", "S-02", "Dealer error"):
        expect(corrected).to_contain_text(said)
    expect(pit.locator("[data-money='3.0'] s")).to_have_text("+20.00")
    pit.locator("[data-link='record']").click()
    record = pit.locator(".deeds")
    expect(record).to_contain_text("S-02 corrected what was handed back in round 1 to box 3: 20.00 in all.")
    expect(record).not_to_contain_text("{")
    # Rulings are chosen, each with what it changed for the house, and who has signed.
    expect(pit.locator("[data-group='rulings']")).to_have_attribute("aria-pressed", "true")
    expect(pit.locator("[data-group='rulings'] b")).to_have_text("1")
    expect(record.locator("[data-entry]").first).to_contain_text("+10.00S-02")
    pit.locator("[data-group='stops']").click()
    # Nobody called the pit: it stopped the table itself.
    expect(record).to_contain_text("S-02 froze the table.")
    expect(record).not_to_contain_text("the pit is called")
    pit.locator("[data-group='all']").click()
    expect(record).to_contain_text("9♣ to box 1, total 19.")
    expect(record).to_contain_text("8♠ to the dealer.")
    expect(record).not_to_contain_text("PIT_LOOKS")
    pit.locator("input[name='find']").fill("total 19")
    expect(record.locator("[data-entry]").first).to_contain_text("total 19")
    expect(record).not_to_contain_text("to the dealer.")
    # What nobody has entered is looked for to the beginning of the journal.
    pit.locator("input[name='find']").fill("no such words")
    expect(record.locator("[data-reads], [data-entry]")).to_have_count(0)
    pit.locator("input[name='find']").fill("")
    pit.locator("[data-span='hour']").click()
    assert "time=hour" in pit.url
    expect(record.locator("[data-entry]").first).to_be_visible()
    keep_picture(pit, "pit.record")
    assert violations(pit) == []


def finds_patterns_of_all_days(pit: Page) -> None:
    pit.locator("[data-link='figures']").click()
    expect(pit.locator("[data-pattern='rota'] th", has_text="D-17")).to_have_count(1)
    days = pit.locator("[data-pattern='days']")
    days.locator("button").click()
    expect(days).to_contain_text("BJ 04; days: 1", timeout=120_000)
    # Below those of the shift, which are the same.
    expect(pit.locator("[data-pattern='boxes']")).to_have_count(2)
    assert violations(pit) == []


def reads_the_report(pit: Page) -> None:
    """It has the corrected payout as it was and is, and is taken along on paper."""
    pit.locator("[data-link='report']").click()
    expect(pit.locator(".report tr", has_text="D-17")).to_contain_text("-70.00", timeout=120_000)
    (differs,) = pit.locator(".report tr", has_text="S-02").filter(has_text="+20.00").all()
    assert differs.locator("td").all_inner_texts()[1:] == [
        "3",
        "+10.00",
        "+20.00",
        "+10.00",
        "0.00",
        "Pit S-02",
    ]
    assert violations(pit) == []
    keep_picture(pit, "pit.report")
    with pit.expect_download(timeout=120_000) as paper:
        pit.locator("[data-export='pdf']").click()
    assert paper.value.path().read_bytes().startswith(b"%PDF")


def has_an_address(pit: Page, alert: str) -> None:
    """A press on its name writes it and brings the ways out into sight, on a phone, too."""
    pit.set_viewport_size({"width": 390, "height": 844})
    pit.locator(f"{alert} .alert-name").click()
    expect(pit.locator(f"{alert}.wanted [data-way]").first).to_be_in_viewport()
    assert "?alert=" in pit.url
    pit.set_viewport_size({"width": 1920, "height": 1080})


def rules_on_a_stop(pit: Page, served: Served) -> None:
    pit.locator("[data-link='tables']").click()
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"), Reveal())
    served.deal("2d", "9h")
    stop = pit.locator(".alert.stop")
    expect(stop).to_have_count(1)
    has_an_address(pit, "[data-hold='DEALER_DREW_ON_17']")
    # The answers are equal: none is chosen beforehand, and nothing can be signed yet.
    expect(stop.locator("[data-way][aria-pressed='false']")).not_to_have_count(0)
    expect(stop.locator("[data-way][aria-pressed='true'], [data-key='APPLY']")).to_have_count(0)
    stop.locator("[data-way='burn']").click()
    sign = stop.locator("[data-key='APPLY']")
    expect(sign).to_have_text("Sign ruling")
    expect(sign).to_be_disabled()
    expect(pit.locator(".dialog")).to_have_count(0)
    # Hands and money before and after stand beside the answer, in the stop.
    expect(stop.locator("[data-preview='1.1']")).to_be_visible()
    assert violations(pit) == []
    assert found_in_the_end(pit, CUT_IN_ALERT) == []
    keep_picture(pit, "pit.ruling")
    stop.locator("[data-reason='DEALER_ERROR']").click()
    sign.click()
    expect(stop).to_have_count(0)


FOUND: Final = (
    ("6s", (2,)),
    ("box 1", (2,)),
    ("Box 3", (3,)),
    ("20.00", (2,)),
    ("2", (2,)),
    ("round 3", (3,)),
    ("misread", (3, 2)),
    ("misread box 1 20.00", (2,)),
    ("S-09", ()),
)
"""What is typed into the record's one field, and the rounds of the rulings found, the newest first."""


def lies_above_the_foot(keys: Locator, foot: Locator) -> None:
    """The keys of the chosen entry are scrolled into sight, whole and beside no other text."""
    keys.scroll_into_view_if_needed()
    shown, below = keys.bounding_box(), foot.bounding_box()
    assert shown
    assert below
    assert shown["y"] + shown["height"] <= below["y"] + 1


def test_the_record_is_searched_in_one_field_and_shows_the_chosen_entry(
    served: Served, monitor: Monitor
) -> None:
    for _ in range(4):
        play(served, paid=2000)
        served.say(End())
    served.say(Correct(4, None, "6", "s", "kit", "MISREAD", round=2))
    served.say(Correct(5, None, "J", "s", "kit", "MISREAD", round=3))
    pit = monitor(served, path="/pit/record")
    rows = pit.locator("[data-entry]")
    expect(rows).to_have_count(2)
    for typed, rounds in FOUND:
        pit.locator("input[name='find']").fill(typed)
        expect(rows).to_have_count(len(rounds))
        assert [row.locator("a").inner_text() for row in rows.all()] == [str(one) for one in rounds], typed
    pit.locator("input[name='find']").fill("")
    expect(rows).to_have_count(2)
    # The newest is shown; an arrow goes to the next one, and its address names it.
    entry = pit.locator("[data-chosen]")
    expect(entry).to_contain_text("J\N{BLACK SPADE SUIT}, not 9\N{BLACK SPADE SUIT}, Box 3")
    pit.keyboard.press("ArrowDown")
    expect(entry).to_contain_text("6\N{BLACK SPADE SUIT}, not 9\N{BLACK CLUB SUIT}, Box 1")
    for said in (
        "House, this round",
        "\N{MINUS SIGN}20.00",
        "+20.00",
        "Misread by the reader",
        "Signed by kit",
    ):
        expect(entry).to_contain_text(said)
    expect(entry.locator(".pictures img")).to_be_visible()
    expect(pit.locator("[data-sum]")).to_have_text("Rows: 2 \N{MIDDLE DOT} sum of the column: +20.00")
    assert violations(pit) == []
    for width, height in ((1920, 1080), (1280, 800), (1024, 768), (390, 844)):
        pit.set_viewport_size({"width": width, "height": height})
        assert below_the_floors(pit) == [], width
        assert found_in_the_end(pit, WIDER) == [], width
        lies_above_the_foot(entry.locator(".round-keys"), pit.locator(".page-foot"))
        keep_picture(pit, f"pit.record.{width}")
    # A dialog over the list and a date have keys of their own.
    pit.set_viewport_size({"width": 1920, "height": 1080})
    pit.locator("[data-key='PUT_RIGHT']").click()
    expect(pit.locator(".dialog")).to_be_visible()
    pit.keyboard.press("ArrowUp")
    pit.keyboard.press("Enter")
    pit.keyboard.press("Escape")
    expect(pit.locator(".dialog")).to_have_count(0)
    pit.locator(".filters input").first.focus()
    pit.keyboard.press("ArrowUp")
    expect(entry).to_contain_text("6\N{BLACK SPADE SUIT}, not 9\N{BLACK CLUB SUIT}, Box 1")
    pit.locator("body").click(position={"x": 5, "y": 400})
    pit.reload()
    expect(entry).to_contain_text("6\N{BLACK SPADE SUIT}, not 9\N{BLACK CLUB SUIT}, Box 1")
    pit.keyboard.press("Enter")
    expect(pit.locator(".round-page h1")).to_have_text("Round 2")


STEPS: Final = """() => {
  window.steps = 0;
  const count = (event) => { if (event.isTrusted) window.steps++; };
  addEventListener("pointerdown", count, true);
  addEventListener("keydown", (event) => { if (event.key === "Enter") count(event); }, true);
  addEventListener("change", count, true);
}"""
"""Counts what a hand does at the page: presses, Enter, and fields that were filled."""

STEPS_MAX: Final = 30


def press_by_key(target: Locator) -> None:
    """Press what has the focus; fails where no Tab leads to it."""
    expect(target).to_be_visible()
    if choice := target.evaluate("node => node.matches('label, input')"):
        target = target.locator("input").or_(target.and_(target.page.locator("input"))).first
    target.focus()
    assert target.evaluate("node => document.activeElement === node && node.tabIndex >= 0")
    target.page.keyboard.press("Space" if choice else "Enter")


@pytest.mark.night
def test_a_pit_s_evening_by_keyboard_alone(
    page: Page, served: Served, monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Locator, "click", press_by_key)
    test_a_pit_s_evening(page, served, monitor)


def test_a_pit_s_evening(page: Page, served: Served, monitor: Monitor) -> None:
    dealer_has = line_of(page)
    served.say(DealerSeated("D-17", "in"))
    play(served, paid=3000)
    served.say(HoldsLifted("S-03", "OTHER"), End())
    for _ in range(2):
        play(served, paid=2000)
        served.say(End())
    served.say(Bet(1, 0, 1000), Close())
    pit = monitor(served)
    pit.evaluate(STEPS)
    began = time.monotonic()
    freezes_and_releases(pit, dealer_has)
    expect(page.locator(".who")).to_have_text("D-17")
    writes_to_the_dealer(pit, page)
    finds_the_payout(pit)
    puts_it_right(pit)
    # Nobody touches the dealer's tablet for it.
    rules_on_a_stop(pit, served)
    dealer_has("line.STAND")
    steps = pit.evaluate("window.steps")
    print(f"evening: {steps} steps, {time.monotonic() - began:.1f} s")  # noqa: T201
    assert 15 < steps <= STEPS_MAX
    finds_patterns_of_all_days(pit)
    reads_the_report(pit)
