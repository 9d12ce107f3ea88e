"""Every page walked by the keyboard alone, in the longest languages and in the conditions of weak eyes.

One table and one browser for all cases; what every state of a page says is test_e2e_every_state.py's.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, DealerSeated, Decision, End, Paid, Reveal
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.sign_in_kit import deal_at
from tests.people_kit import PINS

pytestmark = pytest.mark.long


class Condition(NamedTuple):
    """How a page is looked at; `asked` are options of the browser's context."""

    width: int
    height: int
    asked: dict[str, Any]


CONDITIONS: Final = {
    "tablet": Condition(1280, 800, {}),
    "zoomed 200 %": Condition(640, 400, {"device_scale_factor": 2}),
    "forced colours, reduced motion": Condition(
        1280, 800, {"forced_colors": "active", "reduced_motion": "reduce"}
    ),
}
CASES: Final = (
    ("it", "tablet"),
    ("nl", "tablet"),
    ("it", "zoomed 200 %"),
    ("nl", "forced colours, reduced motion"),
)
PAGES: Final = (
    "/",
    "/pit",
    "/pit/rounds",
    "/pit/rounds/2",
    "/pit/record?group=all",
    "/pit/books",
    "/pit/figures",
    "/pit/report",
)
STOPS_MAX: Final = 250
"""More than a page has, the record's rows with their links among them."""

CUT: Final = """() => {
  const said = (node) => `${node.tagName}.${node.getAttribute("class") ?? ""}: ${
    node.textContent.trim().slice(0, 60)}`;
  const clips = (node) => getComputedStyle(node).display !== "contents"
    && getComputedStyle(node).overflowX !== "visible";
  const cut = (node) => {
    const text = document.createRange();
    text.selectNodeContents(node);
    const at = text.getBoundingClientRect();
    let place = node;
    while (place !== document.body && !clips(place)) place = place.parentElement;
    const within = place.getBoundingClientRect();
    // What scrolls is not cut.
    if (["auto", "scroll"].includes(getComputedStyle(place).overflowX)) return false;
    return at.width > 0 && (at.right > within.right + 2 || at.left < within.left - 2);
  };
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !node.closest(".hidden-text, option, defs")
    && [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  return [...document.querySelectorAll("body *")].filter((node) => shown(node) && cut(node)).map(said);
}"""
"""Texts that reach beyond the place which clips them."""

FOCUSED: Final = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const at = node.getBoundingClientRect();
  const inside = (value, most) => Math.min(Math.max(value, 0), most - 1);
  const upon = document.elementFromPoint(
    inside(at.x + at.width / 2, innerWidth), inside(at.y + at.height / 2, innerHeight));
  const { outlineStyle, outlineWidth, stroke, strokeWidth } = getComputedStyle(node);
  const ring = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  // A circle of the felt is drawn around.
  const drawn = node.matches(".tap") && stroke !== "none" && parseFloat(strokeWidth) >= 2;
  const seen = at.bottom > 0 && at.right > 0 && at.top < innerHeight && at.left < innerWidth
    && upon && (node.contains(upon) || upon.contains(node));
  const name = `${node.tagName}.${node.getAttribute("class") ?? ""} ${node.name ?? ""} ${
    node.textContent.trim().slice(0, 30)}`;
  return [name, ring || drawn ? "" : `no ring: ${name}`, seen ? "" : `out of sight: ${name}`];
}"""
"""What has the focus, and what is wrong with how that shows."""

MOVES: Final = """() => document.getAnimations().filter((one) => one.playState === "running")
  .map((one) => `${one.effect?.target?.outerHTML.slice(0, 60)}`)"""
CODE: Final = re.compile(
    r"\b[A-Z]{2,}_[A-Z_]{2,}\b|\{\w+\}|\b(?:ui|did|alert|hold|key|line|note)\.[A-Za-z_]{2,}"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two settled rounds, and one that a wrong payout holds."""
    with Served(tmp_path_factory.mktemp("walk"), enforced=True) as running:
        running.say(DealerSeated("D-17", "in"))
        for paid in (2000, 2000, 3000):
            running.say(Bet(1, 0, 1000), Bet(3, 0, 1000), Close())
            running.deal("10h", "9d", "10c", "9c", "10d", "8s")
            running.say(Decision(1, 1, "stand"), Decision(3, 1, "stand"), Reveal())
            running.say(Paid(1, 0, 2000), Paid(3, 0, paid))
            if paid == 2000:
                running.say(End())
        yield running


def walk(page: Page) -> list[str]:
    """Press Tab until it leaves the page; gives what is wrong at any stop of it."""
    found: list[str] = []
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        focused: list[str] | None = page.evaluate(FOCUSED)
        if focused is None:
            return found
        found += filter(None, focused[1:])
    return [*found, f"no Tab leaves the page; the last stop: {focused}"]


@pytest.mark.parametrize(("language", "condition"), CASES)
def test_the_pages_by_keyboard_alone(
    chromium: Browser, served: Served, language: str, condition: str
) -> None:
    width, height, asked = CONDITIONS[condition]
    context = chromium.new_context(viewport={"width": width, "height": height}, locale=language, **asked)
    page = context.new_page()
    page.goto(f"{served.url}/pit")
    expect(page.locator("input[name='actor']")).to_be_focused()
    page.keyboard.type("S-02")
    page.keyboard.press("Tab")
    page.keyboard.type(PINS["S-02"])
    page.keyboard.press("Enter")
    expect(page.locator(".floor")).to_be_visible()
    deal_at(page, served)
    wrong = []
    for path in PAGES:
        page.goto(served.url + path)
        expect(page.locator("main, .app").first).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", language)
        # The report and the replay are written by processes of their own.
        expect(page.locator(".loading")).to_have_count(0, timeout=120_000)
        found = [*found_in_the_end(page, WIDER), *found_in_the_end(page, CUT)]
        found += CODE.findall(page.locator("body").inner_text())
        found += page.evaluate(MOVES) if "reduced_motion" in asked else []
        wrong += [f"{path}: {one}" for one in (*found, *walk(page))]
    context.close()
    assert wrong == []
