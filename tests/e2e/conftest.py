"""One real Chromium for all page tests; every test gets a table and a fresh page of its own."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from web_kit import Served

from tests.e2e.sign_in_kit import Monitor, deal_at, pit_on

FEATURES_OFF = (
    # The browser draws its address bar's lists as pages: a second and a third renderer for every page opened.
    # With these two off a page costs 0.5 s of processor time, before 1.4 s (Chromium 156).
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # Of several such lists Chromium takes the last, so what Playwright switches off is named once more.
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
)
BROWSERS = ("chromium-headless-shell", "chromium")
"""The first that is there: one without windows takes half of the processor time (Chromium 156)."""
FLAGS = (
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pages of one context share a process, which `blank` keeps alive: a page costs 0.35 s, before 0.47 s.
    "--renderer-process-limit=1",
)
# How long a page may take to show what is expected: what is fast enough is measured, not tested.
expect.set_options(timeout=30_000)

LISTENS = """() => new Promise((drawn) =>
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(drawn, 50)))))"""
"""Until the page has been drawn: only then it listens to keys, which a cold browser can take a second for."""

BUILT = Path(__file__).parents[2] / "controller" / "web" / "static" / "index.html"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder opens pages."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker("browser")


def is_fault(said: ConsoleMessage) -> bool:
    """A script's error; a refusal, or a server that is away for a moment, is no fault of the page."""
    refused = "409 (Conflict)" in said.text
    away = "net::ERR_CONNECTION_REFUSED" in said.text or said.text.startswith("WebSocket connection to")
    return said.type == "error" and not refused and not away


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium with an empty profile.

    Once for this folder, not for the session: Playwright keeps its event loop running as long as it is
    open, and other tests of the same worker start their own.
    """
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path, "chromium is missing: apt-get install chromium-headless-shell"
    assert BUILT.exists(), "the page is not built: npm ci && npm run build in controller/web/frontend"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def tablet(chromium: Browser) -> BrowserContext:
    """A browser of its own as the dealer's tablet has it; nothing moves in it, for a tenth of its time."""
    return chromium.new_context(
        viewport={"width": 1280, "height": 800}, locale="en-GB", has_touch=True, reduced_motion="reduce"
    )


@pytest.fixture(scope="package")
def one_tablet(chromium: Browser) -> BrowserContext:
    """Kept for all tests: a page in it costs a fifth less processor time than one in a new browser."""
    return tablet(chromium)


@pytest.fixture(scope="package")
def one_monitor(chromium: Browser) -> BrowserContext:
    """The pit's, kept for all tests as the tablet is."""
    return chromium.new_context(
        viewport={"width": 1920, "height": 1080}, locale="en-GB", reduced_motion="reduce"
    )


def blank(context: BrowserContext, served: Served) -> Page:
    """A new page without what an earlier test has left at the same port."""
    if not context.pages:
        # Stays open, so that the process of the pages and what it has compiled stay, too.
        context.new_page().goto(f"{served.url}/static/icon.svg")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": served.url, "storageTypes": "all"})
    session.detach()
    return page


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A table under the rules of the Spielbank: no peek, hole card, back bets."""
    with Served(tmp_path) as running:
        yield running


@pytest.fixture
def chromium_page(chromium: Browser, one_tablet: BrowserContext) -> Iterator[Callable[[Served], Page]]:
    """Opens the dealer's tablet, each further one of a test in a browser of its own.

    A script error or a request to anywhere else fails the test.
    """
    faults: list[str] = []
    opened: list[Page] = []

    def open_page(served: Served) -> Page:
        page = blank(tablet(chromium) if opened else one_tablet, served)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if is_fault(said) else None)
        page.on("request", lambda asked: faults.append(asked.url) if served.host not in asked.url else None)
        deal_at(page, served)
        page.goto(served.url)
        page.wait_for_selector(".instruction-bar")
        page.evaluate(LISTENS)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        page.close()
        if page.context is not one_tablet:
            page.context.close()
    one_tablet.clear_cookies()
    assert faults == []


@pytest.fixture
def page(chromium_page: Callable[[Served], Page], served: Served) -> Iterator[Page]:
    """The dealer's tablet at the table of this test; closed before the table is."""
    page = chromium_page(served)
    yield page
    page.close()


@pytest.fixture
def monitor(one_monitor: BrowserContext) -> Iterator[Monitor]:
    """Opens a place of the pit's page, a pit user signed in; the test names its table before it."""
    opened: list[Page] = []

    def open_page(served: Served, path: str = "/pit", person: str = "S-02") -> Page:
        opened.append(blank(one_monitor, served))
        pit_on(opened[-1], served.url + path, person)
        return opened[-1]

    yield open_page
    for page in opened:
        page.unroute_all(behavior="ignoreErrors")
        page.close()
    one_monitor.clear_cookies()
