"""The tester's screen in Chromium: a round that held is found without a mouse, in five languages."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from controller.replay.table_file import expect_beside
from tests.e2e.axe_kit import violations
from tests.replay.recorded_kit import two_rounds
from tests.studio.studio_kit import TOKEN, StudioServer

FEEDS = sorted((Path(__file__).parents[1] / "feeds" / "table").glob("*.feed.jsonl"))[:12]
LATE = "actions_after_the_settlement_are_too_late.feed.jsonl"


def accepted(page: Page, case: Path) -> None:
    """A new baseline: refused without a reason, kept with it."""
    page.locator("[data-case='accept'] summary").click()
    expect(page.locator("[data-baseline] tbody tr").first).to_be_visible()
    reason = page.locator("[data-reason]")
    for words, told in (("", "Say why"), ("Fees changed", "updated")):
        reason.fill(words)
        reason.press("Enter")
        expect(page.locator("p[role=status]", has_text=told)).to_be_visible()
    assert "Fees changed" in expect_beside(case).read_text()


def is_in_sight(page: Page, selector: str) -> bool:
    """Whether a person sees it without scrolling."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    assert box
    assert size
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def finds_a_line(page: Page) -> None:
    """By words of its sentence; the line is then shown."""
    field = page.locator(".studio-search input")
    field.fill("round 1 box 1")
    found = page.locator("[data-found] button")
    expect(found.first).to_contain_text("Box 1", ignore_case=True)
    every = int(page.locator("[data-found]").get_attribute("data-found") or 0)
    found.first.click()
    expect(found.first).to_have_attribute("aria-current", "step")
    field.fill("round 1 no such words")
    expect(page.locator("[data-found='0'] [role=status]")).to_have_text("0 lines found")
    field.fill("")
    assert every > 0


def recorded(folder: Path) -> Path:
    """A recording of two rounds, made in another thread: the browser's loop runs in this one."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(two_rounds, folder).result()


def what_was_seen(page: Page, recording: Path) -> None:
    """A recording shows the bytes of the shoe beside what its driver told of them."""
    files = page.locator("header select")
    files.select_option(label=recording.name)
    number = files.evaluate("one => one.value")
    files.evaluate("one => one.blur()")
    told = page.evaluate("number => fetch(`/api/studio/${number}`).then(one => one.json())", number)
    # It begins at the first card: before it nothing lies on the table.
    first = [step["what"] for step in told["steps"]].index("card")
    expect(page.locator("main")).to_have_attribute("data-step", str(first))
    expect(page.locator("[data-moment]")).to_contain_text(":")
    page.wait_for_url(re.compile(rf"file={recording.name}&step={first}"))
    # By whom, once; a card is found by the letters of its rank and suit.
    assert page.locator(".studio-entry dt", has_text="By").count() == 1
    card = page.locator("[data-says]").inner_text()
    field = page.locator(".studio-search input")
    field.fill(card.split()[-1].rstrip(".").translate(str.maketrans("♠♥♦♣", "shdc")))
    expect(page.locator("[data-found] button").first).to_contain_text(card)
    field.fill("")
    received = page.locator("[data-received=shoe]")
    expect(received.first.locator("p").first).to_contain_text("rank")
    assert violations(page) == []


def test_the_place_to_look_at_is_found_by_keyboard_alone(chromium: Browser, tmp_path: Path) -> None:
    case = Path(shutil.copy(next(feed for feed in FEEDS if feed.name == LATE), tmp_path))
    expect_beside(case).write_text('{"round": 1, "status": "voided"}\n')
    recording = recorded(tmp_path)
    with StudioServer([*(feed for feed in FEEDS if feed.name != LATE), case, recording], tmp_path) as server:
        page = chromium.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.port}/?token={TOKEN}")
        shown = page.locator("main")
        expect(shown).to_be_visible()
        page.locator("header select").select_option(label=LATE)
        expect(page.locator(".studio-findings button").first).to_be_visible()
        page.locator("header select").evaluate("one => one.blur()")
        page.keyboard.press("n")
        expect(page.locator(".studio-findings [aria-current]").first).to_be_visible()
        found = page.locator(".studio-findings [aria-current]").first.inner_text()
        page.wait_for_function(
            "said => [...document.querySelectorAll('.studio-entry p')].some(p => said.includes(p.innerText))",
            arg=found,
        )
        assert violations(page) == []
        finds_a_line(page)
        page.set_viewport_size({"width": 1280, "height": 800})
        assert is_in_sight(page, ".studio-findings ol")
        accepted(page, case)
        assert is_in_sight(page, "[data-reason]")
        assert is_in_sight(page, "[data-case='keep'] summary")
        page.locator("[data-case='keep'] summary").click()
        page.get_by_placeholder("late_card").fill("too_late")
        page.keyboard.press("Enter")
        expect(page.get_by_text("too_late.feed.jsonl:")).to_be_visible()
        assert (tmp_path / "too_late.expect.jsonl").exists()
        page.locator(".studio-findings button").first.focus()
        page.keyboard.press("Home")
        expect(shown).to_have_attribute("data-shown", "0")
        page.keyboard.press("ArrowRight")
        expect(shown).to_have_attribute("data-shown", "1")
        what_was_seen(page, recording)
        for language in ("nl", "de", "fr", "it", "en"):
            page.locator(f"[data-language={language}]").click()
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert "studio." not in page.locator("body").inner_text()
        page.close()
        assert faults == []
