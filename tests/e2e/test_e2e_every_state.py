"""Every state of both pages and the studio in six sizes and five languages: floors, axe, pictures.

`make screenshots` keeps a picture of each. The run of the day looks at two states of the dealer's page
(test_e2e_small_screens.py); this is the night's.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from web_kit import Served

from controller.acts.catalogue import End
from controller.i18n import LANGUAGES
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.floors_kit import below_the_floors
from tests.e2e.sign_in_kit import Monitor
from tests.e2e.test_e2e_languages import switch
from tests.e2e.test_e2e_shift import play
from tests.e2e.test_e2e_small_screens import STATES, keep_picture
from tests.studio.studio_kit import TOKEN, StudioServer

pytestmark = pytest.mark.night

SIZES: Final = ((1280, 800), (1024, 768), (1920, 1080), (800, 1280), (390, 844), (640, 400))
"""Two tablets across, a monitor, a tablet upright, a phone, and 1280 x 800 at 200 % zoom."""

DESK: Final[ViewportSize] = {"width": 1440, "height": 900}
"""Where the felt of an opened round is as narrow as it gets beside its money."""

RECORDED: Final = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"
FEED: Final = "actions_after_the_settlement_are_too_late.feed.jsonl"


def every_look(page: Page, change: Callable[[str], None]) -> Iterator[str]:
    """Show the page in each language at each size; yields size and language for a picture's name."""
    for language in LANGUAGES:
        change(language)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            yield f"{width}.{language}"


def look(page: Page, name: str, change: Callable[[str], None]) -> list[str]:
    """What is wrong with a state anywhere; axe looks at each language once, it is slow."""
    page.emulate_media(reduced_motion="reduce")
    found = []
    for shown in every_look(page, change):
        wrong = [*below_the_floors(page), *found_in_the_end(page, WIDER)]
        if shown.startswith("1024."):
            wrong += violations(page)
        found += [f"{name} {shown}: {one}" for one in wrong]
        keep_picture(page, f"{name}.{shown}")
    return found


@pytest.mark.parametrize("state", STATES)
def test_the_dealers_page(page: Page, served: Served, state: str) -> None:
    for happen in STATES[state]:
        happen(served)
    expect(page.locator(".app")).to_have_attribute("data-seq", str(served.now.seq))
    assert look(page, f"dealer.{state}", lambda language: switch(page, language)) == []


def chosen_on_the_floor(pit: Page) -> Callable[[str], None]:
    """Changes the language of the pit's page, which has a list for it."""

    def change(language: str) -> None:
        pit.locator("select.language").select_option(language)
        expect(pit.locator("html")).to_have_attribute("lang", language)
        # The report is written anew in each language, by a process that plays the shift again.
        expect(pit.locator(".loading")).to_have_count(0, timeout=120_000)

    return change


@pytest.mark.parametrize("state", STATES)
def test_the_pits_page(served: Served, state: str, monitor: Monitor) -> None:
    for happen in STATES[state]:
        happen(served)
    pit = monitor(served)
    expect(pit.locator(".floor")).to_have_attribute("data-seq", str(served.now.seq))
    assert look(pit, f"pit.{state}", chosen_on_the_floor(pit)) == []


PLACES: Final = ("rounds", "rounds/2", "record", "figures", "report", "tables/{recorded}")


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Served]:
    """A round that is paid right and one that a wrong payout holds, beside a table that was recorded."""
    with Served(tmp_path, enforced=True, beside=(RECORDED,)) as running:
        play(running, paid=2000)
        running.say(End())
        play(running, paid=3000)
        yield running


def test_each_place_of_the_pits_page(floor: Served, monitor: Monitor) -> None:
    pit = monitor(floor)
    expect(pit.locator("[data-tile]")).to_have_count(2, timeout=120_000)
    recorded = pit.locator("[data-tile]").nth(1).get_attribute("data-tile")
    wrong = look(pit, "pit.two_tables", chosen_on_the_floor(pit))
    for place in PLACES:
        pit.goto(f"{floor.url}/pit/{place.format(recorded=recorded)}")
        # A process of its own plays a round again first.
        there = "svg.table, .phone-table" if place == "rounds/2" else "main"
        expect(pit.locator(there).first).to_be_visible(timeout=120_000)
        wrong += look(pit, f"pit.{place.partition('/{')[0].replace('/', '-')}", chosen_on_the_floor(pit))
    pit.set_viewport_size(DESK)
    pit.goto(f"{floor.url}/pit/rounds/2")
    expect(pit.locator("svg.table")).to_be_visible()
    wrong += below_the_floors(pit)
    assert wrong == []


def test_the_studio(chromium: Browser, tmp_path: Path) -> None:
    feed = next((Path(__file__).parents[1] / "feeds" / "table").glob(FEED))
    with StudioServer([feed], tmp_path) as server:
        page = chromium.new_page(locale="en-GB")
        page.goto(f"http://127.0.0.1:{server.port}/?token={TOKEN}")
        expect(page.locator("main")).to_be_visible()
        assert look(page, "studio", lambda language: switch(page, language)) == []
        page.close()
