"""What the witnesses had when the table held, in the pit's dialog: it stays while felt and page change."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sight_kit import StageCamera, at
from web_kit import Served

from controller.acts.catalogue import Bet, Close
from controller.i18n import LANGUAGES, catalogue
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import cut_in_the_end
from tests.e2e.sign_in_kit import Monitor, pit_at
from tests.e2e.test_e2e_doubts import switch_over


@pytest.fixture
def camera() -> StageCamera:
    """It reads 8h at box 1."""
    seen = StageCamera()
    seen.lay(at(1, "8h"))
    return seen


@pytest.fixture
def served(tmp_path: Path, camera: StageCamera) -> Iterator[Served]:
    """The shoe has told 9h for box 1: the table holds."""
    with Served(tmp_path, rules="fr", camera=camera) as running:
        running.say(Bet(1, 0, 1000), Close())
        running.deal("9h")
        running.until(lambda: any(hold.code == "CAMERA_DISAGREES" for hold in running.now.holds))
        yield running


def open_alert(page: Page) -> None:
    page.locator(".alerts [data-alert]").click()
    crop = page.locator(".dialog [data-held-camera] img")
    expect(crop).to_be_visible()
    page.wait_for_function("document.querySelector('[data-held-camera] img').naturalWidth > 20")


def beside_the_stop_on_the_pit_s_page(served: Served, path: str | None, monitor: Monitor) -> None:
    """The same crop, with its money, and small enough that the keys below it are in sight."""
    pit = monitor(served)
    stop = pit.locator(".alert.stop")
    expect(stop).to_have_count(1)
    expect(stop).to_contain_text("10.00 at stake")
    crop = stop.locator(".proof img")
    src = crop.get_attribute("src")
    assert path
    assert (src or "").endswith(path)
    assert crop.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 20
    place = crop.bounding_box()
    assert place is not None
    assert place["height"] <= 120


def test_the_crop_of_the_moment_survives_the_felt_and_the_page(
    page: Page, served: Served, camera: StageCamera, monitor: Monitor
) -> None:
    pit_at(page)
    open_alert(page)
    path = page.locator("[data-held-camera] img").get_attribute("src")
    camera.stage.lays = []
    served.until(lambda: not any(one.in_sight for one in served.spots(1)))
    page.reload()
    page.wait_for_selector(".instruction-bar")
    pit_at(page)
    open_alert(page)
    assert page.locator("[data-held-camera] img").get_attribute("src") == path
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/evidence.png")
    assert violations(page) == []
    beside_the_stop_on_the_pit_s_page(served, path, monitor)
    for language in LANGUAGES:
        switch_over(page, language)
        expect(page.locator(".dialog h2")).to_have_text(catalogue(language)["ui.alert_title"])
        assert cut_in_the_end(page) == [], language


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800), (1024, 768)])
def test_the_usual_answers_of_a_stop_are_in_sight_on_a_smaller_screen(
    served: Served, size: tuple[int, int], monitor: Monitor
) -> None:
    pit = monitor(served)
    pit.set_viewport_size({"width": size[0], "height": size[1]})
    stop = pit.locator(".alert.stop")
    expect(stop.locator(".proof img")).to_be_attached()
    bar = pit.locator(".sheet-bar").bounding_box()
    assert bar is not None
    for answer in (*stop.locator(".both button").all(), *stop.locator("[data-way]").all()[:4]):
        expect(answer).to_be_in_viewport(ratio=1)
        place = answer.bounding_box()
        assert place is not None
        assert place["y"] + place["height"] <= bar["y"], "the bar lies over an answer"


def test_a_card_is_corrected_from_its_alert_in_four_taps(served: Served, monitor: Monitor) -> None:
    pit = monitor(served)
    stop = pit.locator(".alert.stop")
    stop.locator("[data-way='correct']").click()
    stop.locator("[data-rank='5']").click()
    stop.locator("[data-reason='MISREAD']").click()
    stop.locator("[data-key='APPLY']").click()
    expect(stop).to_have_count(0)
    assert served.now.state.boxes[0].hands[0].total == 5
