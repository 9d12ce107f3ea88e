"""Signing in at a page: the dealer before it opens, the pit at the dealer's tablet as people do it."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from web_kit import Served

from tests import people_kit

Monitor = Callable[..., Page]


def deal_at(page: Page, served: Served) -> None:
    """Sign D-17 in at the page's screen, without the sign-in screen."""
    name, _, token = served.sign_in(people_kit.DEALER).partition("=")
    page.context.add_cookies([{"name": name, "value": token, "url": served.url}])


def pit_at(page: Page, person: str = "S-02") -> None:
    """Sign a pit user in beside the dealer, to stay."""
    page.locator("[data-top='pit']").click()
    page.locator("input[name='actor']").fill(person)
    page.locator("input[name='pin']").fill(people_kit.PINS[person])
    page.locator("[data-key='SIGN_IN_pit']").click()
    expect(page.locator(".who")).to_have_text(person)


def pit_on(page: Page, url: str, person: str = "S-02") -> None:
    """Open a page of the pit and sign a pit user in there."""
    page.goto(url)
    page.locator("input[name='actor']").fill(person)
    page.locator("input[name='pin']").fill(people_kit.PINS[person])
    page.keyboard.press("Enter")
    expect(page.locator(".floor")).to_be_visible()
