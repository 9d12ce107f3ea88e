"""What a page cuts off, covers or lets reach beyond its place, once it has had time to lay itself out."""

from typing import Any, Final

from playwright.sync_api import Page

CUT: Final = """() => {
  const clips = (node) => getComputedStyle(node).overflowY !== "visible";
  const scrolls = (node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowY);
  const cut = (node) => {
    const text = document.createRange();
    text.selectNodeContents(node);
    const [at, size] = [text.getBoundingClientRect(), parseFloat(getComputedStyle(node).fontSize)];
    let place = node;
    while (place !== document.body && !clips(place)) place = place.parentElement;
    const within = place.getBoundingClientRect();
    // A line's box is higher than its letters.
    return at.width > 0 && (at.left < within.left - 1 || at.right > within.right + 1
      || !scrolls(place) && (at.top < within.top - size * 0.15 || at.bottom > within.bottom + size * 0.15))
      || (node === place && node.scrollWidth > node.clientWidth + 1);
  };
  const where = [".instruction-bar h1", ".instruction-detail p", ".instruction-side strong", ".key-label",
    ".key-text small", ".info", ".top", ".sheet h2", ".not-live h1", ".simulation", ".dialog h2", ".plain",
    ".rank-key", ".choices label"];
  const found = where.flatMap((name) =>
    [...document.querySelectorAll(name)].filter(cut).map((node) => name + ": " + node.textContent));
  if (document.documentElement.scrollWidth > innerWidth) found.push("page is wider than the screen");
  return found;
}"""
"""Texts that their places cut off."""

WIDER: Final = """() => [document.documentElement, ...document.querySelectorAll("header")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1)
  .map((node) => `${node.tagName} ${node.className}: ${node.scrollWidth} in ${node.clientWidth} px`)"""
"""A page or a bar that has to be scrolled sideways."""

CUT_IN_ALERT: Final = """() => [...document.querySelectorAll(".alert *")]
  .filter((node) => node.getBoundingClientRect().right > node.closest(".alert").getBoundingClientRect().right)
  .map((node) => node.outerHTML.slice(0, 80))"""
"""What reaches out of its alert."""

FOUND_IN_THE_END: Final = """async (argument) => {
  const find = FIND;
  let found = find(argument);
  for (let turn = 0; turn < 600 && found.length > 0; turn++) {
    await new Promise((done) => setTimeout(done, turn < 20 ? 5 : 50));
    found = find(argument);
  }
  return found;
}"""


def found_in_the_end(page: Page, find: str, argument: Any = None) -> list[str]:
    """What a function of the page finds and still finds half a minute later, by the page's own clock.

    A new size, language or dialog is laid out in steps, and a busy machine would be looked at between two.
    """
    found: list[str] = page.evaluate(FOUND_IN_THE_END.replace("FIND", find), argument)
    return found


def cut_in_the_end(page: Page) -> list[str]:
    """What is still cut once the page has had time to lay itself out."""
    return found_in_the_end(page, CUT)
