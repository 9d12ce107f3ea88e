"""The camera's doubts on the page: an unread card with its picture, and a card that is read otherwise."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sight_kit import StageCamera, at
from web_kit import Served

from controller.acts.catalogue import Bet, Close
from controller.i18n import LANGUAGES, catalogue
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import CUT_IN_ALERT, WIDER, cut_in_the_end, found_in_the_end
from tests.e2e.keys_kit import until_at_rest
from tests.e2e.sign_in_kit import Monitor, pit_at
from tests.e2e.test_e2e_languages import SIZES, look

PLACES = """() => [...document.querySelectorAll('.rank-key')].map((key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  return [x, y, width, height].join(' ');
})"""


@pytest.fixture
def camera() -> StageCamera:
    return StageCamera()


@pytest.fixture
def served(tmp_path: Path, camera: StageCamera) -> Iterator[Served]:
    """Box 1 has 5 and 8, in the camera's sight; there is no hole card."""
    with Served(tmp_path, rules="fr", camera=camera) as running:
        running.say(Bet(1, 0, 1000), Close())
        running.deal("8h", "10s", "5c")
        camera.lay(at(1, "8h", 1), at(0, "10s"), at(1, "5c"))
        yield running


def fall_in_doubt(served: Served, camera: StageCamera) -> None:
    """The camera was certain of the eight and now reads a three."""
    served.until(lambda: len(served.spots(1)) == 2 and len(served.lying()) == 3)
    camera.misread("8h", "3d")
    served.deal("2c")
    camera.lay(at(1, "2c", 2)._replace(x=113))
    served.until(lambda: [hold.code for hold in served.now.holds] == ["CAMERA_UNSURE"])


def ask_the_pit(page: Page, served: Served, camera: StageCamera) -> None:
    """The question at the dealer's screen."""
    fall_in_doubt(served, camera)
    pit_at(page)
    expect(page.locator(".alerts li.critical")).to_have_count(1)
    page.locator("[data-doubt='0'] button").click()
    expect(page.locator(".dialog .picture img")).to_be_visible()


def test_the_picture_comes_without_moving_a_key_and_its_hint_is_only_a_hint(
    page: Page, served: Served, camera: StageCamera
) -> None:
    served.deal("?")
    expect(page.locator(".sheet .picture")).to_contain_text("look at the felt")
    until_at_rest(page)
    before = page.evaluate(PLACES)
    camera.lay(at(1, "3d", 2))
    expect(page.locator(".sheet .picture img")).to_be_visible()
    three = page.locator("[data-rank='3']")
    expect(three).to_contain_text("? 99 %")
    expect(three).to_have_attribute("aria-label", "3, 99 per cent: the camera's guess")
    expect(page.locator(".rank-key.first")).to_have_count(0)
    assert page.evaluate(PLACES) == before
    page.wait_for_function("document.querySelector('.picture img').naturalWidth > 100")
    assert served.now.expected.code == "WHICH_CARD", "a hint names nothing"
    page.locator("[data-rank='4']").tap()
    expect(page.locator(".sheet")).to_have_count(0)
    assert served.now.state.boxes[0].hands[0].total == 17, "the person decides, not the camera"


def test_the_pit_names_the_card_and_the_table_goes_on(
    page: Page, served: Served, camera: StageCamera
) -> None:
    ask_the_pit(page, served, camera)
    apply = page.locator(".dialog [data-key='APPLY']")
    expect(page.locator(".dialog [aria-pressed='true']")).to_have_count(0)
    page.locator("[data-reason='MISREAD']").click()
    expect(apply).to_be_disabled()
    page.locator("[data-choice='8h']").click()
    expect(page.locator(".dialog")).to_contain_text("stay as they are")
    page.locator("[data-choice='3d']").click()
    expect(page.locator("[data-preview='1.1']")).to_contain_text("3♦ 5")
    page.locator(".dialog [data-rank='9']").click()
    page.locator("[data-suit='h']").click()
    expect(page.locator("[data-preview='1.1']")).to_contain_text("16")
    assert served.now.state.boxes[0].hands[0].total == 15, "nothing is sent before Apply"
    page.locator("[data-choice='8h']").click()
    expect(apply).to_be_enabled()
    apply.click()
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator(".instruction-bar")).to_have_attribute("data-line", "line.PLAYER")
    assert served.now.holds == ()
    assert served.now.state.boxes[0].hands[0].total == 15
    expect(page.locator(".alerts li.critical")).to_contain_text("the camera read 8♥")


def test_a_card_that_was_wrong_everywhere_is_corrected_at_the_table_and_at_the_camera(
    served: Served, camera: StageCamera, monitor: Monitor
) -> None:
    """The pit answers on its own page, inside the stop, where both readings are equal answers."""
    fall_in_doubt(served, camera)
    pit = monitor(served)
    expect(pit.locator(".alerts-box article")).to_have_count(1)
    stop = pit.locator("[data-hold='CAMERA_UNSURE']")
    expect(stop.locator(".picture img")).to_be_visible()
    answers = [stop.locator(f"[data-choice='{card}']") for card in ("8h", "3d")]
    one, other = (answer.bounding_box() for answer in answers)
    assert one is not None
    assert other is not None
    assert {**one, "x": 0} == {**other, "x": 0}, "neither is proposed"
    sign = stop.locator("[data-key='APPLY']")
    expect(sign).to_have_count(0)
    answers[0].click()
    expect(stop).to_contain_text("stay as they are")
    stop.locator("[data-choice='other']").click()
    for rank in stop.locator(".rank-key").all():
        assert (rank.bounding_box() or {"width": 0})["width"] >= 44
    answers[1].click()
    expect(stop.locator("[data-preview='1.1']")).to_contain_text("10")
    expect(pit.locator(".dialog")).to_have_count(0)
    assert violations(pit) == []
    pit.set_viewport_size({"width": 390, "height": 844})
    for language in LANGUAGES:
        pit.locator("select.language").select_option(language)
        expect(sign).to_have_text(catalogue(language)["ui.sign_ruling"])
        assert found_in_the_end(pit, WIDER) == [], language
        assert found_in_the_end(pit, CUT_IN_ALERT) == [], language
    assert pit.evaluate("document.querySelector('#screen').scrollHeight <= innerHeight")
    expect(sign).to_be_disabled()
    stop.locator("[data-reason='MISREAD']").click()
    sign.click()
    expect(stop).to_have_count(0)
    assert served.now.holds == ()
    assert served.now.state.boxes[0].hands[0].total == 10
    served.until(lambda: "3d" in [str(spot.card) for spot in served.spots(1)], 10)


def test_whoever_answers_second_is_told_that_nobody_asks_any_more(
    page: Page, served: Served, camera: StageCamera
) -> None:
    ask_the_pit(page, served, camera)
    (row,) = served.state()["doubts"]
    done = served.command(
        {**row["name"], "card": "8h", "reason": "MISREAD"},
        role="pit",
        actor="S-03",
    )
    assert done[0] == 200
    page.locator("[data-choice='3d']").click()
    page.locator("[data-reason='MISREAD']").click()
    expect(page.locator(".dialog")).to_contain_text("no longer asks whether it is 8♥ or 3♦")
    expect(page.locator(".dialog [data-key='APPLY']")).to_be_disabled()


def test_axe_finds_nothing_wrong_with_the_question(page: Page, served: Served, camera: StageCamera) -> None:
    ask_the_pit(page, served, camera)
    assert violations(page) == []
    page.locator("[data-choice='3d']").click()
    expect(page.locator("[data-preview='1.1']")).to_be_visible()
    assert violations(page) == [], "with its preview"


def test_axe_finds_nothing_wrong_with_a_guess_and_its_picture(
    page: Page, served: Served, camera: StageCamera
) -> None:
    served.deal("?")
    camera.lay(at(1, "3d", 2))
    expect(page.locator(".sheet .picture img")).to_be_visible()
    expect(page.locator(".rank-key.guess")).to_have_count(1)
    assert violations(page) == []


def test_both_fit_in_every_language(page: Page, served: Served, camera: StageCamera) -> None:
    ask_the_pit(page, served, camera)
    page.locator("[data-choice='3d']").click()
    expect(page.locator("[data-preview='1.1']")).to_be_visible()
    for width, height in SIZES[:2]:
        page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            switch_over(page, language)
            expect(page.locator(".dialog h2")).to_have_text(catalogue(language)["ui.doubt_title"])
            assert cut_in_the_end(page) == [], language
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".dialog-keys .plain").first.click()
    page.locator("[data-top='pit']").click()
    served.command({"do": "resume", "without": []}, role="pit", actor="S-02")
    served.deal("?")
    camera.lay(at(1, "3d")._replace(x=54, y=154))
    expect(page.locator(".sheet .picture img")).to_be_visible()
    for width, height in SIZES[:2]:
        page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            look(page, language)


def switch_over(page: Page, language: str) -> None:
    """Switch behind the dialog's veil, as by the keyboard."""
    page.locator(f"[data-language='{language}']").dispatch_event("click")
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_a_table_without_cameras_keeps_its_pad(chromium_page: Callable[..., Page], tmp_path: Path) -> None:
    with Served(tmp_path, rules="fr") as blind:
        page = chromium_page(blind)
        blind.say(Bet(1, 0, 1000), Close())
        blind.deal("8h", "10s", "?")
        expect(page.locator(".sheet .rank-key")).to_have_count(13)
        expect(page.locator(".sheet .picture")).to_have_count(0)
