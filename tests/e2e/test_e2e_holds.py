"""Every hold with its rule and its ways out, on the dealer's screen and the pit's: nothing of it is cut.

The views are drawn by the real builder from a dealt round and the house's profile; only the socket is the
test's, so that forty holds need no forty tables. `make screenshots` keeps pictures in five languages.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from view_kit import after, cards, snapshot, table
from web_kit import Served

from controller.acts.catalogue import Bet, Close
from controller.i18n import HOLE, LANGUAGES, PLURAL, catalogue
from controller.irregularities import FAULT_CODES
from controller.policy.holds import ruling_for
from controller.rules import load_file
from controller.runtime.api import HoldView, Params
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.view import TableView
from controller.screens.views import ViewBuilder
from tests.e2e.fit_kit import cut_in_the_end, found_in_the_end
from tests.e2e.sign_in_kit import deal_at, pit_at
from tests.e2e.test_e2e_languages import switch

SHOTS: Final = os.environ.get("SCREENSHOTS")
"""Where pictures are kept, if anywhere."""

ASKED: Final = (
    "DECISION_UNCLEAR",
    "INSURANCE_UNCLEAR",
    "HOLE_CARD_UNREAD",
    "DEVICE_LOST",
    "CAMERA_DISAGREES",
    "FROZEN",
    "REST_CARD_EXTRA",
    "REST_CARD_UNREAD",
)
"""Holds on which no house rules."""

PROFILE: Final = load_file("spielbank", Path()).irregularities
HELD: Final = (*FAULT_CODES, *ASKED)
ANSWERED: Final = frozenset(("DECISION_UNCLEAR", "INSURANCE_UNCLEAR", "HOLE_CARD_UNREAD", "CARD_UNREAD"))
"""Questions: the dealer's line asks them, and the keys are the answers."""

VALUES: Final[dict[str, int | str]] = {
    "name": "camera-2", "note": "BOX 3", "rank": "10", "suit": "d", "seen": "10d", "known": "10h 9c Kd",
    "missing": "10h 10d", "extra": "Kc Kd", "stake": 2500, "paid": 150000, "expected": 225000,
}  # fmt: skip
"""What fills the texts of a hold, where it is no small number."""


def hold(code: str) -> HoldView:
    """A hold as a Spielbank's profile has it, about the second card of box 2."""
    english = catalogue("en")
    text = english.get(f"hold.{code}") or english.get(f"alert.{code}", "")
    holes = dict.fromkeys(HOLE.findall(PLURAL.sub(r"{\1}\2", text)))
    params: Params = tuple((name, VALUES.get(name, 7)) for name in holes)
    if code in ("CAMERA_DISAGREES", "FROZEN"):
        return HoldView(code, params, 1_700_000_000_000_000, "dealer:D-17")
    ruling = ruling_for(PROFILE, code)
    return HoldView(
        code, params, 1_700_000_000_000_000, "system:table", None, *ruling, round=1, card=4, box=2
    )


def view(number: int, *codes: str) -> TableView:
    """A dealt round that waits for the holds of these codes."""
    state = after(table(), Bet(1, 0, 1000), Bet(2, 0, 2500), Close(), *cards("10", "9", "6", "5", "8", "K"))
    holds = tuple(hold(code) for code in codes)
    return ViewBuilder(ScreenSettings()).build(
        snapshot(state, holds=holds)._replace(seq=number), ScreenState(lambda: 0.0)
    )


class Stage:
    """A page of a real server whose socket is the test's."""

    def __init__(self, page: Page, served: Served) -> None:
        self.page = page
        self._sockets: list[WebSocketRoute] = []
        self._seq = 10
        self._codes: tuple[str, ...] = ()
        page.route_web_socket("**/ws?changes=true", self._opened)
        deal_at(page, served)
        page.goto(served.url)
        page.wait_for_selector(".instruction-bar")
        # The first picture may come before the line on which the next ones are told.
        while not self._sockets:
            page.wait_for_timeout(20)

    def show(self, *codes: str) -> None:
        """Hold the table for these reasons, and wait until the page says so."""
        self._codes = codes
        self.again()

    def again(self) -> None:
        """Say the same again: a page that hears nothing for some seconds is not live."""
        self._seq += 1
        self._send("state", view(self._seq, *self._codes))
        expect(self.page.locator(f".app[data-seq='{self._seq}'][data-live='true']")).to_be_visible()

    def _opened(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.send(json.dumps({"type": "hello", "heartbeat_ms": 60_000}))
        self._send("snapshot", view(self._seq, *self._codes))

    def _send(self, kind: str, shown: TableView) -> None:
        said: dict[str, Any] = {"type": kind, "seq": shown.seq, "view": shown.model_dump(mode="json")}
        self._sockets[-1].send(json.dumps(said))


@pytest.fixture
def stage(chromium: Browser, tmp_path: Path) -> Iterator[Stage]:
    with Served(tmp_path) as served:
        page = chromium.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        yield Stage(page, served)
        page.close()


def longest(code: str) -> str:
    """The language in which this hold takes the most room."""
    return max(LANGUAGES, key=lambda language: len(told(code, language)))


def told(code: str, language: str) -> str:
    texts = catalogue(language)
    said = texts.get(f"hold.{code}") or texts.get(f"alert.{code}", "")
    return " ".join((said, *(texts[f"way.{way}"] for way in hold(code).ways)))


def languages(code: str) -> tuple[str, ...]:
    """All of them where pictures are kept to be looked at."""
    return LANGUAGES if SHOTS else (longest(code),)


OUTSIDE: Final = """() => {
  const band = document.querySelector(".instruction-bar").getBoundingClientRect();
  return [...document.querySelectorAll(".instruction-bar h1, .instruction-detail p")].filter((node) => {
    const at = node.getBoundingClientRect();
    return at.bottom > band.bottom + 1 || at.top < band.top - 1;
  }).map((node) => node.textContent);
}"""
"""Texts of the line that reach beyond it."""


def look(stage: Stage, screen: str, code: str, language: str) -> None:
    stage.again()
    assert cut_in_the_end(stage.page) == [], (screen, code, language)
    assert found_in_the_end(stage.page, OUTSIDE) == [], (screen, code, language)
    if SHOTS:
        stage.page.screenshot(path=Path(SHOTS) / f"hold.{screen}.{code}.{language}.png")


def test_the_dealer_reads_every_hold_with_its_rule_and_ways(stage: Stage) -> None:
    for code in HELD:
        stage.show(code)
        for language in languages(code):
            switch(stage.page, language)
            texts = catalogue(language)
            line = stage.page.locator("section.instruction-bar")
            for way in hold(code).ways if code not in ANSWERED else ():
                expect(line).to_contain_text(texts[f"way.{way}"])
            look(stage, "dealer", code, language)


def test_the_pit_reads_every_hold_with_its_rule_evidence_and_ways(stage: Stage) -> None:
    pit_at(stage.page)
    for code in HELD:
        stage.show(code)
        row = stage.page.locator(f"[data-hold='{code}']")
        for language in languages(code):
            switch(stage.page, language)
            if hold(code).ways:
                expect(row.locator("[data-way]")).to_have_count(len(hold(code).ways))
            if code in FAULT_CODES:
                rule = catalogue(language)["ui.rule"].partition(":")[0].strip()
                expect(row).to_contain_text(rule)
            look(stage, "pit", code, language)


def test_two_holds_at_once_are_both_told(stage: Stage) -> None:
    codes = ("ROUND_DISPUTED", "DEVICE_LOST")
    stage.show(*codes)
    for width, height in ((1280, 800), (1024, 768)):
        stage.page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            switch(stage.page, language)
            said = stage.page.locator(".instruction-detail p span")
            expect(said).to_have_count(3 + len(hold(codes[0]).ways))
            look(stage, f"two-{width}", codes[0], language)
