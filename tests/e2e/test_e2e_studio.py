"""The tester's screen in Chromium: a round that held is found without a mouse, in five languages."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from controller.replay.files.feed_files import expect_beside
from tests.e2e.axe_kit import violations
from tests.replay.recorded_kit import two_rounds
from tests.studio.studio_kit import TOKEN, StudioServer

FEEDS = sorted((Path(__file__).parents[1] / "feeds" / "table").glob("*.feed.jsonl"))[:12]
LATE = "actions_after_the_settlement_are_too_late.feed.jsonl"


def by_other_rules_and_options(page: Page) -> None:
    """Every round by a house's rules and an option: refused for one that there is not, then compared."""
    form = page.locator(".studio-otherwise form").nth(1)
    form.locator("[data-options] summary").click()
    form.get_by_label("Ask for the decision").fill("many")
    form.locator("[type=submit]").click()
    expect(page.locator(".studio-otherwise [role=alert]")).to_contain_text("ask_hit_from")
    form.get_by_label("Ask for the decision").fill("")
    form.get_by_label("21 stands by itself").select_option("no")
    form.locator("select").first.select_option("fr")
    form.locator("[type=submit]").click()


def by_difference(page: Page) -> None:
    """From one difference to the next and back by key and by button; the time line marks each."""
    expect(page.locator(".studio-timeline path.differs")).to_have_attribute("d", re.compile("M"))
    counted = page.locator("[data-difference]")
    expect(counted).not_to_have_attribute("data-difference", "0")
    last = int(counted.inner_text().split("/")[1])
    assert last > 1
    page.locator("[data-found] li button[aria-current]").first.focus()
    page.keyboard.press("Home")
    expect(counted).to_have_attribute("data-difference", "0")
    for key, number in (("x", 1), ("x", 2), ("Shift+X", 1), ("Shift+X", last), ("x", 1)):
        page.keyboard.press(key)
        expect(counted).to_have_attribute("data-difference", str(number))
    page.get_by_role("button", name="Next difference").click()
    expect(counted).to_have_attribute("data-difference", "2")
    page.get_by_role("button", name="Difference before").click()
    expect(counted).to_have_attribute("data-difference", "1")


def accepted(page: Page, case: Path) -> None:
    """A new baseline: refused without a reason, kept with it."""
    page.get_by_role("button", name="See what would change").click()
    expect(page.locator("[data-baseline] tbody tr").first).to_be_visible()
    reason = page.locator("[data-reason]")
    for words, told in (("", "Say why"), ("Fees changed", "expected anew")):
        reason.fill(words)
        reason.press("Enter")
        expect(page.locator("p[role=status]", has_text=told)).to_be_visible()
    assert "Fees changed" in expect_beside(case).read_text()


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
        page.locator(".studio-otherwise form select").nth(0).select_option(value="rules decks")
        value = page.get_by_label("New value")
        expect(value).to_have_attribute("placeholder", "6")
        value.fill("0")
        page.keyboard.press("Enter")
        expect(page.locator(".studio-otherwise [role=alert]")).to_contain_text("decks")
        value.fill("4")
        page.keyboard.press("Enter")
        expect(page.locator("[data-found] tbody tr")).not_to_have_count(0)
        by_other_rules_and_options(page)
        expect(page.locator("[data-found] tbody tr")).to_have_count(0)
        expect(page.locator("[data-found] li button").first).to_be_visible()
        assert violations(page) == []
        by_difference(page)
        accepted(page, case)
        page.get_by_placeholder("late_card").fill("too_late")
        page.keyboard.press("Enter")
        expect(page.get_by_text("too_late.feed.jsonl:")).to_be_visible()
        assert (tmp_path / "too_late.expect.jsonl").exists()
        page.locator("[data-found] li button:enabled").first.focus()
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
