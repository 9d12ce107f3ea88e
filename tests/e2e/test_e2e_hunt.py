"""Planted faults hunted in Chromium without a truth file, as who sees the screen for the first time does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.planted_faults.journal import journal_with
from tests.planted_faults.ordinary import with_ordinary_events
from tests.planted_faults.planting import AS_IT_IS, HOUSE, MISREAD_P, planted, wrong_rules
from tests.planted_faults.plants import dealt, written
from tests.studio.studio_kit import TOKEN, StudioServer

ROUNDS = 36
PLANTED = 20
"""Which round of the shift has the fault, counted from 0."""

LOOKED_AT = 5
"""Nobody looks at more places than so many before they think of something else."""


class Hunt(NamedTuple):
    """A shift with a fault; `line` is the one that shows it, None in a file that no line tells of it."""

    path: Path
    line: int | None


def line_with(path: Path, **fields: object) -> int:
    """The number of the feed's first line that has these fields, as the screen counts."""
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if fields.items() <= json.loads(line).items())


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Hunt]:
    """A shift with each of the faults."""
    folder = tmp_path_factory.mktemp("faults")
    shift = with_ordinary_events(dealt(HOUSE, ROUNDS), 17, PLANTED)
    misread = planted(shift, "misread card", PLANTED, folder).rename(folder / "misread.feed.jsonl")
    payout = planted(shift, "wrong payout", PLANTED, folder).rename(folder / "payout.feed.jsonl")
    rules = wrong_rules(shift, folder).rename(folder / "rules.feed.jsonl")
    as_it_is, _ = written(shift, AS_IT_IS, PLANTED, folder)
    slow = journal_with(as_it_is, folder / "slow.journal", "slow disk", shift.rounds[PLANTED].start + 5)
    return {
        "misread": Hunt(misread, line_with(misread, p=MISREAD_P)),
        "payout": Hunt(payout, line_with(payout, obs="paid", amount=123400)),
        "rules": Hunt(rules, None),
        "slow": Hunt(slow, None),
    }


@pytest.fixture
def opened(chromium: Browser, request: pytest.FixtureRequest, faults: dict[str, Hunt]) -> Iterator[Page]:
    """The screen with one of the shifts and nothing beside it."""
    with StudioServer([faults[request.param].path]) as server:
        page = chromium.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB", has_touch=True)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.port}/?token={TOKEN}")
        expect(page.locator("main")).to_be_visible()
        page.keyboard.press("Home")
        expect(page.locator("main")).to_have_attribute("data-shown", "0")
        yield page
        page.close()
        assert wrong == []


def found(page: Page) -> Locator:
    """The places of the list that the shown step is one of."""
    return page.locator(".studio-findings button[aria-current]")


def pressed_until(page: Page, key: str, words: str) -> None:
    """Press a key from one place to the next until the screen says this of the place it has come to."""
    main = page.locator("main")
    for _ in range(LOOKED_AT):
        before = main.get_attribute("data-step") or ""
        page.keyboard.press(key)
        expect(main).not_to_have_attribute("data-step", before)
        expect(main).to_have_attribute("data-shown", main.get_attribute("data-step") or "")
        if any(words in said for said in (*found(page).all_inner_texts(), entry(page).inner_text())):
            return
    raise AssertionError(f"the first {LOOKED_AT} places do not say: {words}")


def entry(page: Page) -> Locator:
    """The line that is shown and what followed from it."""
    return page.locator(".studio-entry")


def shows_line(page: Page, line: int | None) -> None:
    """The round with the fault, and the line, are what is on the screen."""
    expect(page.locator(".studio-keys b")).to_have_text(f"Round {PLANTED + 1}")
    if line is not None:
        expect(entry(page).locator("h2").first).to_have_text(f"The line {line}")


@pytest.mark.parametrize("opened", ["misread"], indirect=True)
def test_a_misread_card_is_hunted_by_keys(opened: Page, faults: dict[str, Hunt]) -> None:
    pressed_until(opened, "n", "least certain reads: 97.00 %")
    shows_line(opened, faults["misread"].line)


@pytest.mark.parametrize("opened", ["payout"], indirect=True)
def test_a_wrong_payout_is_hunted_by_taps(opened: Page, faults: dict[str, Hunt]) -> None:
    causes = opened.locator(".studio-findings > ol > li")
    expect(causes.first).to_be_visible()
    # The round is never over: the payout is folded into that cause.
    wrong = [number for number, said in enumerate(causes.all_text_contents()) if "1,234" in said]
    assert wrong[0] < LOOKED_AT
    causes.nth(wrong[0]).locator("summary").tap()
    causes.nth(wrong[0]).locator("button", has_text="1,234").tap()
    expect(found(opened).filter(has_text="1,234")).to_have_count(1)
    shows_line(opened, faults["payout"].line)
    expect(entry(opened).locator("dd", has_text="1,234.00")).to_be_visible()


@pytest.mark.parametrize("opened", ["slow"], indirect=True)
def test_a_slow_disk_is_hunted_by_the_key_of_holds(opened: Page) -> None:
    pressed_until(opened, "h", "disk")
    shows_line(opened, None)
    expect(entry(opened)).to_contain_text("disk")


@pytest.mark.parametrize("opened", ["rules"], indirect=True)
def test_a_wrong_field_of_the_rules_is_the_first_place(opened: Page) -> None:
    expect(opened.locator(".studio-findings button").first).to_contain_text("1:1 here; the house has 3:2")
