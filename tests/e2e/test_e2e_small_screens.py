"""A tablet held upright, a phone, and 200 % zoom: the headline whole, Call pit within reach, nothing cut."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision
from controller.i18n import LANGUAGES
from tests.e2e.fit_kit import cut_in_the_end, found_in_the_end
from tests.e2e.floors_kit import below_the_floors
from tests.e2e.sign_in_kit import pit_at
from tests.e2e.test_e2e_languages import (
    bets,
    deal,
    draw,
    hand_b,
    look,
    owed,
    reveal,
    stand,
    stop,
    turn,
    unread,
)

pytestmark = pytest.mark.long

SHOTS: Final = os.environ.get("SCREENSHOTS")
"""Where pictures are kept, if anywhere."""

LARGE: Final = ((1024, 768), (1280, 800), (1920, 1080))
"""Tablets held across and a monitor: what is cut there the tests of languages see, pictures are kept here."""

SIZES: Final = ((800, 1280), (390, 844), (640, 400), *(LARGE if SHOTS else ()))
"""The third one is a page of 1280 x 800 at 200 % zoom."""

ALSO: Final = {"insurance": ((1024, 768),), "settled": ((1280, 800),)}
"""Where a state is at its fullest: most keys on the smallest tablet, longest results beside each other."""

FLOORS_BY_DAY: Final = ("turn", "stop")
"""States that the run of the day measures; test_e2e_every_state.py has all of them, and the pit's page."""

PANELS: Final = ("DEVICES", "PUT_RIGHT")
"""Keys of the pit that open something over the table."""


def insurance(served: Served) -> None:
    served.say(*(Bet(box, 0, 1000) for box in range(1, 8)), Bet(4, 1, 1000), Close())
    served.deal(
        "8s", "9h", "8d", "8c", "8s", "8h", "8d", "Ac", "8s", "9h", "8d", "8c", "8s", "8h", "8d", "9c"
    )


SPLITS: Final[tuple[tuple[Literal["split", "stand"], str], ...]] = (
    ("split", "8h"),
    ("split", "2c"),
    ("stand", "3d"),
    ("stand", "4s"),
)
"""What a pair of eights does to become three hands, and the card that follows each time."""


def nine_hands(served: Served) -> None:
    """Three hands on each of three neighbouring boxes, the last one to act."""
    served.say(*(Bet(box, 0, 1000) for box in (3, 4, 5)), Close())
    served.deal("8s", "8h", "8d", "6c", "8c", "8d", "8s", "9c")
    for box in (3, 4, 5):
        for choice, card in SPLITS:
            served.say(Decision(*acting(served), choice))
            served.deal(card)
        if box < 5:
            served.say(Decision(*acting(served), "stand"))


def acting(served: Served) -> tuple[int, int]:
    """Box and hand that act now."""
    at = served.now.state.current
    assert at is not None
    return at[0].box, at[1].number


STATES: Final[dict[str, tuple[Callable[[Served], None], ...]]] = {
    "bets": (bets,),
    "turn": (bets, deal, turn),
    "unread": (bets, deal, turn, owed, hand_b, unread),
    "settled": (bets, deal, turn, owed, hand_b, unread, reveal, draw, stand),
    "insurance": (insurance,),
    "nine_hands": (nine_hands,),
    "stop": (bets, deal, stop),
}
ROUNDS: Final = (("bets", "turn", "unread", "settled"), ("insurance",), ("nine_hands",), ("stop",))
"""The states by the round that they are of, each at its own page."""


def every_look(page: Page, sizes: Iterable[tuple[int, int]] = SIZES) -> Iterator[str]:
    """Show the page at each size in each language; yields size and language for a picture's name."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            look(page, language)
            yield f"{width}.{language}"


def keep_picture(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


OUT_OF_SIGHT: Final = """() => [".instruction-bar h1", "[data-key='CALL_PIT'], .sheet .call"].filter(
  (name) => {
  const shown = [...document.querySelectorAll(name)].some((node) => {
    const at = node.getBoundingClientRect();
    const middle = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
    return at.left >= 0 && at.top >= 0 && at.right <= innerWidth && at.bottom <= innerHeight
      && (node.contains(middle) || middle?.contains(node));
  });
  return !shown;
})"""
"""What has to be seen whole, nothing over its middle, and is not."""


COVERED_LABELS: Final = """() => [...document.querySelectorAll(".table .pill text")].filter((text) => {
  const at = text.getBoundingClientRect();
  return [0.1, 0.5, 0.9].some((part) => {
    const upon = document.elementFromPoint(at.x + at.width * part, at.y + at.height / 2);
    const covers = upon?.closest(".card, .badge, .badge-number, .pill");
    return covers && covers !== text.closest(".pill");
  });
}).map((text) => text.textContent)"""
"""Totals, results and money of the felt that a card, a number or another label lies upon."""


@pytest.mark.parametrize("states", ROUNDS, ids="-".join)
def test_line_and_call_pit_are_whole_in_every_language(
    page: Page, served: Served, states: tuple[str, ...]
) -> None:
    told = 0
    for state in states:
        for happen in STATES[state][told:]:
            happen(served)
        told = len(STATES[state])
        expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
        for shown in every_look(page, (*ALSO.get(state, ()), *SIZES)):
            assert found_in_the_end(page, OUT_OF_SIGHT) == [], (state, shown)
            assert found_in_the_end(page, COVERED_LABELS) == [], (state, shown)
            if state in FLOORS_BY_DAY:
                assert below_the_floors(page) == [], (state, shown)
            keep_picture(page, f"small.{state}.{shown}")


BEYOND: Final = """(name) => {
  const edge = document.querySelector(name).getBoundingClientRect().right + 1;
  return [...document.querySelectorAll(`${name} :not(.toast)`)]
    .filter((node) => node.getBoundingClientRect().right > edge).map((node) => node.outerHTML.slice(0, 80));
}"""
"""What reaches beyond the right edge of something."""

NARROW: Final = """() => [...document.querySelectorAll(".alerts li span")]
  .filter((node) => node.getBoundingClientRect().width < 160).map((node) => node.textContent)"""
"""Alerts whose text has become a column of syllables."""


@pytest.mark.parametrize("state", STATES if SHOTS else ("unread",))
def test_the_pits_page_is_whole_at_every_size(page: Page, served: Served, state: str) -> None:
    for happen in STATES[state]:
        happen(served)
    pit_at(page)
    for shown in every_look(page):
        assert found_in_the_end(page, NARROW) == [], shown
        keep_picture(page, f"pit.{state}.{shown}")
        if state == "unread" and shown.endswith(LANGUAGES[-1]):
            open_panels(page, shown)


def open_panels(page: Page, shown: str) -> None:
    """Open each panel of the pit and look whether it is whole."""
    for panel in PANELS:
        page.locator(f"[data-key='{panel}']").first.click()
        expect(page.locator(".dialog h2")).to_be_visible()
        assert cut_in_the_end(page) == [], (panel, shown)
        assert found_in_the_end(page, BEYOND, ".dialog") == [], (panel, shown)
        keep_picture(page, f"pit.{panel}.{shown}")
        page.keyboard.press("Escape")
        expect(page.locator(".dialog")).to_have_count(0)


def test_a_phone_takes_bets(page: Page, served: Served) -> None:
    """From the strip with a chip in hand, and on the large circle of the box that is looked at."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("[data-chip='5.00']").tap()
    for box in (1, 4, 7):
        page.locator(f"[data-strip='{box}']").tap()
        expect(page.locator(f"[data-box='{box}'] .stake")).to_have_text("5")
    page.locator("[data-box='7'] .phone-circle").tap()
    expect(page.locator("[data-box='7'] .stake")).to_have_text("10")
    for box, stake in ((1, "5"), (4, "5"), (7, "10")):
        expect(page.locator(f"[data-strip='{box}'] .stake")).to_have_text(stake)
    bets = {box.box: box.bets for box in served.now.state.boxes if box.bets}
    assert bets == {1: ((0, 500),), 4: ((0, 500),), 7: ((0, 1000),)}
