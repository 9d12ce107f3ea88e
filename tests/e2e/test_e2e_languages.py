"""Five languages and a longer one: nothing is cut off, and the line stays readable from afar."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal
from controller.i18n import LANGUAGES, catalogue
from controller.irregularities import HOLD_KINDS
from controller.runtime.api import Mode
from tests.e2e.fit_kit import CUT, cut_in_the_end
from tests.e2e.sign_in_kit import pit_at

pytestmark = pytest.mark.night

STAKES = ((1, 2500), (2, 1000), (3, 1500), (4, 5000), (6, 1200), (7, 10000))
DEAL = ("10s", "9h", "As", "8d", "Ah", "5s", "6c", "7d", "9c", "Kh", "8s", "6s", "6h")


def bets(served: Served) -> None:
    served.say(*(Bet(box, 0, stake) for box, stake in STAKES), Bet(4, 1, 1000))


def deal(served: Served) -> None:
    served.say(Close())
    served.deal(*DEAL)


def turn(served: Served) -> None:
    served.deal("10d")
    served.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"))


def owed(served: Served) -> None:
    served.say(Decision(4, 1, "split"))


def hand_b(served: Served) -> None:
    served.deal("10h")
    served.say(Decision(4, 1, "stand"))
    served.deal("3c")


def unread(served: Served) -> None:
    served.say(Decision(4, 2, "stand"))
    served.deal("?")


def reveal(served: Served) -> None:
    pad = served.state()["prompts"][0]["pad"]["rank_obs"]
    served.observe("correct", **{key: value for key, value in pad.items() if key != "obs"}, rank="9")
    served.say(Decision(6, 1, "stand"), Decision(7, 1, "stand"))


def draw(served: Served) -> None:
    served.say(Reveal())


def stand(served: Served) -> None:
    served.deal("Ad")


def handle(served: Served) -> None:
    """Done at the first box that waits."""
    for act in served.state()["prompts"][-1]["bar"]["keys"][0]["acts"]:
        assert served.command(act)[0] == 200


def dispute(served: Served) -> None:
    served.deal("5d")


def stop(served: Served) -> None:
    served.command({"do": "freeze", "note": "BOX 3"})


STORY: tuple[Callable[[Served], None], ...] = (
    bets, deal, turn, owed, hand_b, unread, reveal, draw, stand, *([handle] * 6), dispute, stop,
)  # fmt: skip


SIZES = ((1280, 800), (1024, 768), (1920, 1080), (800, 1280), (390, 844), (640, 400))
"""Two tablets across, a monitor, a tablet upright, a phone, and 1280 x 800 at 200 % zoom."""


def switch(page: Page, language: str) -> None:
    page.locator(f"[data-language='{language}']").click()
    expect(page.locator("html")).to_have_attribute("lang", language)


LOOK = """async (language) => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const cut = CUT;
  document.querySelector(`[data-language='${language}']`).click();
  let found = ["the language does not change"];
  for (let turn = 0; turn < 600 && found.length > 0; turn++) {
    await pause(turn < 20 ? 5 : 50);
    if (document.documentElement.lang === language) found = cut();
  }
  return found;
}""".replace("CUT", CUT)
"""Changes the language and looks until nothing is cut, all of it within the page."""


def look(page: Page, language: str) -> None:
    """Look for anything that is cut in a language."""
    assert page.evaluate(LOOK, language) == [], (language, page.viewport_size)


OWN_SIZE = """() => [["--t-line", "h1"], ["--t-detail", ".instruction-side strong"],
    ["--t-main", ".main .key-label"], ["--t-key", ".key:not(.main) .key-label"],
    ["--t-note", ".key-text small"]]
  .flatMap(([step, name]) => [...document.querySelectorAll(`.app ${name}`)].filter((node) => {
    const style = getComputedStyle(node);
    return node.checkVisibility() && style.fontSize !== style.getPropertyValue(step);
  }).map((node) => `${step} ${node.textContent}`))"""
"""Texts of the line and its keys that have not the size of what they are."""


@pytest.mark.parametrize("size", SIZES)
def test_no_text_is_cut_in_any_state(page: Page, served: Served, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for happen in (lambda _: None, *STORY):
        happen(served)
        expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
        for language in LANGUAGES:
            look(page, language)
            assert page.evaluate(OWN_SIZE) == [], (language, size)


PLURAL = re.compile(r"\{\w+, plural,.*? other \{(.*?)\}\}")
"""A choice by number and, of its forms, the one that is read most; what is not read makes no text longer."""

TWO_LINES = {"line.PAY_2", "line.PAY_3", "line.SHUFFLE_DISCARDS"}
"""What has two orders or several sums."""

WRITTEN = {
    "box": "7", "letter": "b", "total": "6/16", "count": "12", "decks": "6",
    "amount": "250,00", "amount_2": "125,00", "amount_3": "125,00", "by": "demo-pit",
}  # fmt: skip
"""What fills a headline at most, as far as one table's stakes go."""

LINES_TAKEN = """(lines) => {
  const bar = document.querySelector(".app .instruction-bar");
  const line = bar.querySelector("h1");
  const text = document.createRange();
  return lines.map(([code, tone, words]) => {
    Object.assign(bar.dataset, { line: code, tone });
    line.firstChild.data = words;
    text.selectNodeContents(line);
    return new Set([...text.getClientRects()].map((at) => Math.round(at.top))).size;
  });
}"""
"""How many lines each headline takes, written where the headline stands."""


def headlines(language: str) -> list[tuple[str, str, str]]:
    """Code, tone and words of everything that the line may say in a language."""
    texts = catalogue(language)
    codes = {*HOLD_KINDS, *(key[5:] for key in texts if key.startswith("hold."))} - {"FROZEN_BY_PIT"}
    named = [texts[key] for key in sorted(f"fault_name.{code}" for code in codes) if key in texts]
    stops = [("line.STOP", "stop", texts["line.STOP"].replace("{fault}", name)) for name in named]
    plain = [key for key in texts if key.startswith("line.") and key not in ("line.STOP", "line.NOT_LIVE")]
    return stops + [(key, "stop" if key == "line.FROZEN_BY" else "act", filled(texts[key])) for key in plain]


def filled(text: str) -> str:
    counted = PLURAL.sub(lambda one: one[1].replace("#", "6"), text)
    return re.sub(r"\{(\w+)\}", lambda hole: WRITTEN[hole[1]], counted)


def test_every_headline_fits_at_its_size_in_every_language(page: Page, served: Served) -> None:
    """One line; two on a phone, on a small page for the name of a stop, and for what gives two orders."""
    for happen in (bets, deal, stop):
        happen(served)
    expect(page.locator(".instruction-bar")).to_have_attribute("data-tone", "stop")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            lines = headlines(language)
            taken = page.evaluate(LINES_TAKEN, lines)
            long = {one for one, lines_taken in zip(lines, taken, strict=True) if lines_taken > 1}
            assert max(taken) <= 2, (language, width, lines[taken.index(max(taken))])
            if width > 800:
                assert {code for code, _, _ in long} <= TWO_LINES, (language, width, long)


def test_texts_that_are_two_fifths_longer_still_fit(page: Page, served: Served) -> None:
    def longer(route: Route) -> None:
        texts = {
            key: text + "\N{LATIN SMALL LETTER O WITH STROKE}" * (len(PLURAL.sub(r"\1", text)) * 2 // 5)
            for key, text in catalogue("en").items()
        }
        route.fulfill(body=json.dumps(texts), content_type="application/json")

    page.route("**/api/catalogue/nl*", longer)
    page.locator("[data-language='nl']").click()
    for happen in STORY:
        happen(served)
        expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
        assert cut_in_the_end(page) == []


INK = """() => {
  const line = document.querySelector(".instruction-bar h1");
  const style = getComputedStyle(line);
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const ink = pen.measureText(line.textContent);
  const text = document.createRange();
  text.selectNodeContents(line);
  const baseline = text.getBoundingClientRect().top + ink.fontBoundingBoxAscent;
  const band = line.closest(".instruction-bar").getBoundingClientRect();
  const detail = document.querySelector(".instruction-detail p").getBoundingClientRect();
  return { above: baseline - ink.actualBoundingBoxAscent - band.top,
    below: band.bottom - detail.bottom };
}"""
"""Pixels between the ink of the line and the band's upper edge, and under the detail."""


@pytest.mark.parametrize("mode", ["live", "simulation"])
def test_no_accent_over_a_capital_is_cut(
    chromium_page: Callable[..., Page], tmp_path: Path, mode: Mode
) -> None:
    """The worst case: under the strip that a simulation adds."""
    texts = {**catalogue("de"), "line.PLACE_BETS": "ÄÖÜÉÈÀÂÇ"}
    with Served(tmp_path, mode=mode) as served:
        page = chromium_page(served)
        page.route("**/api/catalogue/de", lambda route: route.fulfill(json=texts))
        switch(page, "de")
        for width, height in SIZES[:2]:
            page.set_viewport_size({"width": width, "height": height})
            ink = page.evaluate(INK)
            assert min(ink["above"], ink["below"]) >= 0, ink


def test_dialogs_of_the_pit_fit_in_every_language(page: Page, served: Served) -> None:
    bets(served)
    deal(served)
    pit_at(page)
    for language in LANGUAGES:
        look(page, language)
        page.locator("[data-card='1']").click()
        page.locator(".dialog [data-rank='7']").click()
        expect(page.locator("[data-preview='1.1']")).to_be_visible()
        assert cut_in_the_end(page) == []
        page.locator(".dialog-keys .plain").first.click()
        page.locator("[data-key='VOID']").click()
        assert cut_in_the_end(page) == []
        page.locator(".dialog-keys .plain").first.click()


def test_money_is_written_as_the_language_writes_it(page: Page, served: Served) -> None:
    served.say(Bet(1, 0, 1500), Close())
    served.deal("As", "6d", "Kh", "10h")
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.PAY")
    for language, amount in (("en", "22.50"), ("de", "22,50"), ("fr", "22,50")):
        page.locator(f"[data-language='{language}']").click()
        expect(page.locator(".instruction-bar h1[aria-live]")).to_contain_text(amount)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_simulation_says_so_and_cannot_hide_it(
    chromium_page: Callable[..., Page], tmp_path: Path, language: str
) -> None:
    with Served(tmp_path, mode="simulation") as served:
        page = chromium_page(served)
        page.locator(f"[data-language='{language}']").click()
        strip = page.locator(".simulation")
        page.set_viewport_size({"width": 1024, "height": 768})
        assert strip.evaluate("one => one.scrollWidth <= one.clientWidth"), "nothing of it is out of sight"
        for key in strip.locator("button").all():
            assert (key.bounding_box() or {"height": 0})["height"] >= 44
        expect(strip).to_contain_text(catalogue(language)["ui.simulation"])
        assert cut_in_the_end(page) == []
        keys = strip.locator("button").evaluate_all("keys => keys.map((key) => key.dataset.top)")
        assert keys == ["training", "autoplay"], "none of them hides it"
