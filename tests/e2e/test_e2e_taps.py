"""How many taps a round takes at the dealer's screen, and that each of them counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.test_e2e_dealer import line

STAKES: Final = {1: 1000, 2: 2500, 3: 500, 4: 3000, 5: 1000, 6: 5000, 7: 500}
"""Seven mixed bets, in minor units: 10, 25, 5, 30, 10, 50, 5."""

CARDS: Final = (
    *("10s", "9h", "Ks", "8d", "Qh", "7s", "9c", "6c"),
    *("8h", "10d", "9s", "Jd", "7h", "Kd", "8c", "10c"),
)
"""Seven hands that stand on 17 or more, and 6 and 10 of the dealer's."""

FRESH_TAPS_MAX: Final = 24
REPEATED_TAPS_MAX: Final = 6


class Finger:
    """Taps, and counts them; a slide is one, too."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.taps = 0

    def tap(self, selector: str) -> None:
        self.taps += 1
        self._page.locator(selector).tap()

    def key(self, name: str) -> None:
        """A key of the bar, once it rests no more."""
        until_at_rest(self._page)
        self.tap(f"[data-key='{name}']")

    def chip(self, value: str, *boxes: int) -> None:
        """Take a chip in hand, lay it on these boxes and put it back."""
        for selector in (f"[data-chip='{value}']", *(f"[data-box='{box}'] .tap" for box in boxes)):
            self.tap(selector)

    def slide(self, value: str, boxes: tuple[int, ...]) -> None:
        """Slide a chip along these boxes."""
        self.taps += 1
        mouse = self._page.mouse
        mouse.move(*middle(self._page, f"[data-chip='{value}']"))
        mouse.down()
        for box in boxes:
            # As close together as a finger's: the way from box 1 to 3 passes close by box 2.
            mouse.move(*middle(self._page, f"[data-box='{box}'] .tap"), steps=30)
        mouse.up()


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def counted(page: Page, most: int) -> Iterator[Finger]:
    finger = Finger(page)
    yield finger
    assert finger.taps <= most, finger.taps


def staked(served: Served) -> dict[int, int]:
    return {box.box: stake for box in served.now.state.boxes for _, stake in box.bets}


def until_staked(page: Page, served: Served, stakes: dict[int, int]) -> None:
    for _ in range(400):
        if staked(served) == stakes:
            return
        page.wait_for_timeout(50)
    assert staked(served) == stakes


def deal_and_settle(page: Page, served: Served, finger: Finger) -> None:
    """Cards, all hands stand, the dealer turns, draws and pays: the taps that every round takes."""
    line(page, "DEAL - BOX 1")
    served.deal(*CARDS)
    line(page, "BOX 1 - 18")
    finger.key("ALL_STAND")
    line(page, "TURN THE CARD")
    finger.key("TURNED")
    line(page, "DRAW - 16")
    served.deal("5h")
    line(page, "STAND - 21")
    finger.key("NEXT")
    line(page, "TAKE BOX 7: 5.00")
    finger.key("ALL_DONE")
    line(page, "CLEAR THE TABLE")
    assert sorted(served.now.pay.handled) == list(STAKES)


def test_a_fresh_and_a_repeated_round_take_few_taps(page: Page, served: Served) -> None:
    with counted(page, FRESH_TAPS_MAX) as finger:
        finger.slide("5.00", (1, 3, 4, 5, 7))
        finger.chip("5.00", 1, 5)
        finger.tap("[data-chip='5.00']")
        finger.chip("25.00", 2, 4, 6, 6)
        until_staked(page, served, STAKES)
        finger.key("CLOSE")
        deal_and_settle(page, served, finger)
    with counted(page, REPEATED_TAPS_MAX) as finger:
        finger.key("REPEAT")
        until_staked(page, served, STAKES)
        finger.key("CLOSE")
        deal_and_settle(page, served, finger)


def test_thirteen_taps_at_a_fifth_of_a_second_are_thirteen_chips(page: Page, served: Served) -> None:
    page.locator("[data-box='3'] .tap").tap()
    chip = middle(page, "[data-chip='5.00']")
    for _ in range(13):
        page.touchscreen.tap(*chip)
        page.wait_for_timeout(200)
    until_staked(page, served, {3: 6500})
    stack = page.locator("[data-box='3'] [data-chips]")
    expect(stack).to_have_attribute("data-chips", "13x5.00")


def test_thirteen_taps_on_circles_are_thirteen_chips(page: Page, served: Served) -> None:
    page.locator("[data-chip='5.00']").tap()
    circles = [middle(page, f"[data-box='{box}'] .tap") for box in STAKES]
    for number in range(13):
        page.touchscreen.tap(*circles[number % 7])
        page.wait_for_timeout(100)
    until_staked(page, served, {box: 1000 if box < 7 else 500 for box in STAKES})


def test_several_boxes_are_insured_one_right_after_the_other(page: Page, served: Served) -> None:
    served.say(*(Bet(box, 0, 1000) for box in (1, 2, 3, 4)), Close())
    served.deal("10h", "9d", "8s", "7c", "Ac", "9c", "9s", "8h", "Qd", "Kd")
    line(page, "INSURANCE?")
    until_at_rest(page)
    for box in (1, 2, 4):
        page.touchscreen.tap(*middle(page, f"[data-key='INSURE_{box}_0']"))
    for box in (1, 2, 4):
        expect(page.locator(f"[data-key='INSURE_{box}_0']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-key='INSURE_3_0']")).to_have_attribute("aria-pressed", "false")


def test_a_tap_that_does_nothing_says_why(page: Page, served: Served) -> None:
    page.locator("[data-key='CLEAR']").tap()
    expect(page.locator(".toast")).to_have_text("Tap a box first.")
    for off, why in (("REPEAT", "no bets last round"), ("CLOSE", "no bets yet")):
        page.touchscreen.tap(*middle(page, f"[data-key='{off}']"))
        expect(page.locator(".toast")).to_have_text(why)
    page.locator("[data-box='2'] .tap").tap()
    page.locator("[data-chip='5.00']").tap()
    until_staked(page, served, {2: 500})
    until_at_rest(page)
    page.locator("[data-key='CLOSE']").tap()
    line(page, "DEAL - BOX 2")
    page.locator("[data-box='5'] .tap").tap()
    expect(page.locator(".toast")).to_contain_text("does nothing now")
