"""The money of a table on the pit's page: a short form for each movement, voids, closing as one row."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, End, FloatCounted, HoldsLifted, Paid, Reveal
from tests import people_kit
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.sign_in_kit import Monitor
from tests.e2e.test_e2e_shift import STEPS
from tests.e2e.test_e2e_small_screens import keep_picture

FILL_STEPS_MAX: Final = 6
"""Presses and fields of a fill from the table on, but for the second person's id, PIN and key."""

SIGNATURE: Final = 5
"""Two fields that are pressed and filled, and the key."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table with its house's profile."""
    with Served(tmp_path, enforced=True) as running:
        yield running


SAME_COLOUR: Final = "line => getComputedStyle(line).color === getComputedStyle(line).backgroundColor"
"""axe leaves a text in the colour of its ground undecided."""


def second_signs(pit: Page, person: str = "S-03") -> None:
    for name, typed in (("actor", person), ("pin", people_kit.PINS[person])):
        pit.locator(f".money-form input[name='{name}']").click()
        pit.locator(f".money-form input[name='{name}']").fill(typed)
    pit.locator(".second-signs [type='submit']").click()
    expect(pit.locator(".second-signed")).to_contain_text(person)


def record(pit: Page) -> None:
    pit.locator(".money-form [data-key='APPLY']").click()
    expect(pit.locator(".money-form")).to_have_count(0)


def fills(pit: Page) -> None:
    pit.locator("[data-link='books']").click()
    # Nothing is open or chosen beforehand.
    expect(pit.locator(".money-keys [aria-pressed='true'], .money-form")).to_have_count(0)
    pit.locator("[data-money='fill']").click()
    pit.locator("input[name='slip']").fill("F-0412")
    pit.locator("input[name='chips-2500']").fill("20")
    expect(pit.locator(".money-form .sum")).to_contain_text("10,000.00 → 10,500.00")
    expect(pit.locator(".money-form [data-key='APPLY']")).to_be_disabled()
    assert violations(pit) == []
    keep_picture(pit, "pit.books")
    second_signs(pit)
    record(pit)


def voids(pit: Page) -> None:
    """A drop that was entered wrongly takes two people, too; its row stays, struck through."""
    pit.locator("[data-money='drop']").click()
    pit.locator("[data-reason='drop']").click()
    pit.locator(".money-form input[name='amount']").fill("38")
    record(pit)
    row = pit.locator("[data-movement]", has_text="Drop").first
    expect(row).to_contain_text("38.00")
    row.locator("[data-key='VOID_SLIP']").click()
    pit.locator(".money-form [data-reason='OTHER']").click()
    expect(pit.locator(".money-form [data-key='APPLY']")).to_be_disabled()
    second_signs(pit)
    record(pit)
    expect(pit.locator("[data-void='struck']")).to_contain_text("38.00")
    expect(pit.locator("[data-void='voids']")).to_contain_text("S-02, S-03")


def closes(pit: Page, served: Served) -> None:
    """Count, difference with the round to look at, accepted with a reason, and the table closes."""
    pit.locator("[data-closing='count'] [data-step]").click()
    # Nothing is counted before a number is typed, and the second person's form leaves the field its focus.
    expect(pit.locator(".money-form [data-key='APPLY']")).to_be_disabled()
    field = pit.locator("input[name='chips-50000']")
    field.press_sequentially("21")
    expect(field).to_be_focused()
    expect(pit.locator(".money-form .sum")).to_contain_text("10,500.00")
    second_signs(pit)
    record(pit)
    difference = pit.locator("[data-closing='difference']")
    expect(difference).to_contain_text("! +")
    expect(difference.locator("[data-link='explained-1']")).to_be_visible()
    assert violations(pit) == []
    keep_picture(pit, "pit.books.closing")
    difference.locator("[data-step='accept']").click()
    difference.locator("[data-reason='CHECKED']").click()
    expect(difference).to_have_attribute("data-done", "true")
    pit.locator("[data-closing='sign'] [data-step]").click()
    pit.locator("[data-reason='day_closed']").click()
    record(pit)
    assert any('"closed"' in line.body for line in served.call(served.lines()))


def test_the_money_of_a_table_is_entered_voided_and_closed(served: Served, monitor: Monitor) -> None:
    served.say(FloatCounted("open", 1_000_000, by="pit:S-02", second="pit:S-03"))
    pit = monitor(served)
    pit.evaluate(STEPS)
    fills(pit)
    steps = pit.evaluate("window.steps") - SIGNATURE
    print(f"fill: {steps} steps")  # noqa: T201
    assert steps <= FILL_STEPS_MAX
    expect(pit.locator("[data-movement]").first).to_contain_text("F-0412")
    expect(pit.locator("[data-float]")).to_have_text("10,500.00")
    voids(pit)
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    served.deal("10h", "9c", "9d", "10d", "Kc", "8c")
    served.say(*(Decision(box, 1, "stand") for box in (1, 2)), Reveal(), Paid(1, 0, 3000), Paid(2, 0, 2000))
    # A stop is read on this page, too: no line in the colour of its ground.
    expect(pit.locator(".page-head")).to_have_attribute("data-tone", "stop")
    assert pit.locator(".page-head .line").evaluate(SAME_COLOUR) is False
    served.say(HoldsLifted("S-03", "OTHER"), End())
    closes(pit, served)
    for width, height in ((1920, 1080), (1280, 800), (1024, 768)):
        pit.set_viewport_size({"width": width, "height": height})
        for language in ("en", "nl", "de", "fr", "it"):
            pit.locator("select.language").select_option(language)
            assert found_in_the_end(pit, WIDER) == [], (width, language)
