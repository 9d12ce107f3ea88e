"""The page of labels in Chromium: a drawn picture labelled by keys alone, and another one by taps."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe_kit import violations
from tests.studio.labelled_kit import draw, labelling, rows
from tests.studio.studio_kit import TOKEN, LocalServer

CARDS = (("A", "s"), ("10", "h"))


def opened(chromium: Browser, server: LocalServer, faults: list[str]) -> Page:
    """The page, once its first picture is read."""
    page = chromium.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB", has_touch=True)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"http://127.0.0.1:{server.port}/?token={TOKEN}")
    expect(page.get_by_role("application")).to_be_visible()
    return page


def read_first(page: Page) -> None:
    """Until nothing is left to be read: only then the list keeps its order."""
    expect(page.locator("header span", has_text="still to be read")).to_have_count(0)


def mine(page: Page) -> list[str]:
    """The names beside the outlines that a person has drawn."""
    return page.locator(".label-picture .mine text").all_text_contents()


def corner_by_keys(page: Page, keys: str) -> None:
    """Move the crosshair, and set a corner there."""
    for key in keys.split():
        page.keyboard.press(key)
    page.keyboard.press("Enter")


def test_a_picture_is_labelled_without_a_mouse_in_five_languages(chromium: Browser, tmp_path: Path) -> None:
    draw(tmp_path / "night.jpg", *CARDS)
    faults: list[str] = []
    with labelling(tmp_path) as server:
        page = opened(chromium, server, faults)
        assert violations(page) == []
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('role')") == "application":
                break
        for keys in (
            "",
            "ArrowRight ArrowRight",
            "ArrowDown ArrowDown ArrowDown",
            "ArrowLeft Shift+ArrowLeft",
        ):
            corner_by_keys(page, keys)
        cards = page.locator("[data-card]")
        expect(cards).to_have_count(1)
        expect(cards.first).to_have_text("?")
        page.keyboard.press("Control+s")
        expect(page.locator("[role=status]")).to_contain_text("no rank yet")
        page.keyboard.press("0")
        page.keyboard.press("h")
        expect(cards.first).to_have_text("10 Hearts")
        assert violations(page) == []
        page.keyboard.press("Control+s")
        expect(page.locator("[role=status]")).to_contain_text("Saved: 1")
        expect(page.locator("main")).to_have_attribute("data-changed", "false")
        (row,) = rows(tmp_path)
        (card,) = row["cards"]
        assert (row["file"], card["rank"], card["suit"]) == ("night.jpg", "10", "h")
        assert card["quad"][0] == [960, 540]
        before = page.get_by_role("application").bounding_box()
        page.keyboard.press("z")
        expect(page.locator("[data-zoom='2']")).to_be_visible()
        after = page.get_by_role("application").bounding_box()
        assert before is not None
        assert after is not None
        assert after["width"] > 1.9 * before["width"]
        page.keyboard.press("Delete")
        expect(cards).to_have_count(0)
        page.keyboard.press("Control+s")
        expect(page.locator("[role=status]")).to_contain_text("Saved: 0")
        assert [
            one["was"] and len(one["was"]["cards"]) for one in rows(tmp_path, "labels.history.jsonl")
        ] == [
            None,
            1,
        ]
        for language in ("nl", "de", "fr", "it", "en"):
            page.locator(f"[data-language={language}]").click()
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert "label." not in page.locator("body").inner_text()
            assert violations(page) == []
        page.close()
    assert faults == []


def test_where_reader_and_label_differ_is_first_and_put_right_by_taps(
    chromium: Browser, tmp_path: Path
) -> None:
    draw(tmp_path / "a.jpg", *CARDS)
    draw(tmp_path / "b.jpg", ("K", "s"), ("9", "d"))
    whole = [0, 0, 1920, 1080]
    cards = [{"rank": "K", "suit": "s", "bbox": whole}, {"rank": "6", "suit": "d", "bbox": whole}]
    (tmp_path / "labels.jsonl").write_text(json.dumps({"file": "b.jpg", "cards": cards}) + "\n")
    faults: list[str] = []
    with labelling(tmp_path) as server:
        page = opened(chromium, server, faults)
        read_first(page)
        places = page.locator(".label-list button")
        expect(places.first).to_contain_text("b.jpg")
        expect(places.first).to_contain_text("Label and reader differ: 1")
        places.first.tap()
        expect(page.locator("[data-kind=other]")).to_have_text("Labelled 6d, the reader says 9d")
        page.locator("[data-card='1']").tap()
        page.locator("[data-rank='9']").tap()
        page.locator("[data-save]").tap()
        expect(page.locator("[data-kind=other]")).to_have_count(0)
        expect(page.locator(".label-list [data-state=agrees]")).to_contain_text("b.jpg")
        page.locator(".label-list [data-state=open]").tap()
        expect(page.locator("main")).to_have_attribute("data-picture", "0")
        drawing = page.get_by_role("application")
        expect(drawing.locator(".read text")).to_have_count(2)
        for place in ((100, 100), (200, 100), (200, 250), (100, 250)):
            drawing.click(position={"x": place[0], "y": place[1]})
        expect(drawing.locator(".mine polygon")).to_have_count(1)
        page.get_by_role("button", name="Remove this card").tap()
        page.get_by_role("button", name="Take over what the reader says: 2").tap()
        expect(drawing.locator(".mine text")).to_have_count(2)
        assert sorted(mine(page)) == ["10h", "As"]
        places.nth(0).tap()
        expect(page.locator("[role=status]")).to_contain_text("Not saved yet")
        page.get_by_role("button", name="Save the labels").tap()
        expect(page.locator(".label-list [data-state=agrees]")).to_have_count(2)
        page.close()
    assert faults == []
    assert {row["file"]: len(row["cards"]) for row in rows(tmp_path)} == {"a.jpg": 2, "b.jpg": 2}
