"""The floors of a page: text of 14 px, targets of 44 px, and on a tablet circles of 72 px for the bets."""

from typing import Final

from playwright.sync_api import Page

from tests.e2e.fit_kit import found_in_the_end

FLOORS: Final = """(leftOut) => {
  const seen = (node) => {
    const at = node.getBoundingClientRect();
    const inside = at.right > 0 && at.bottom > 0 && at.left < innerWidth && at.top < innerHeight;
    return inside && at.width > 1 && at.height > 1
      && node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""} "${
    (node.textContent || node.getAttribute("aria-label") || "").trim().slice(0, 24)}"`;
  const split = (card) => {
    const box = card.closest("[data-hand]")?.dataset.hand.split(".")[0];
    return box && document.querySelectorAll(`[data-hand^="${box}."]`).length > 1;
  };
  const found = new Set();
  const modal = document.querySelector("dialog[open][aria-modal]");
  const root = modal ?? document.body;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    // The print on a chip is part of its drawing; a list that the system opens is the system's.
    const drawn = node.closest(".hidden-text, .chip, option, .instruction-chip");
    if (!texts.currentNode.data.trim() || !seen(node) || drawn) continue;
    const scale = node instanceof SVGElement ? Math.hypot(node.getScreenCTM().a, node.getScreenCTM().b) : 1;
    const size = parseFloat(getComputedStyle(node).fontSize) * scale;
    // Nothing is drawn at size 0: a word that only a reader hears.
    if (size > 0 && size < 13.9) found.add(`text ${size.toFixed(1)} px: ${name(node)}`);
  }
  const pressed = "button, a[href], select, input:not([type=hidden]), [role=button], .tap";
  for (const node of root.querySelectorAll(pressed)) {
    // Cards of a split lie over each other; their hand's total leads to what is ruled on.
    // A link within a sentence is as high as its line (WCAG 2.5.8).
    if (node.matches(".in-text")) continue;
    if (!seen(node) || (node.matches(".card") && split(node))) continue;
    const at = node.getBoundingClientRect();
    const least = Math.min(at.width, at.height);
    // Rows of a list are used with a mouse where the page is that wide.
    const floor = innerWidth >= 1440 && node.closest("tbody tr, .did li, .tile") ? 31.5 : 43.5;
    if (least < floor) found.add(`target ${at.width.toFixed(0)} x ${at.height.toFixed(0)} px: ${name(node)}`);
  }
  if (innerWidth >= 768 && !modal && document.querySelector(".app .table")) {
    for (const node of document.querySelectorAll(".app .box .ring")) {
      const width = node.getBoundingClientRect().width;
      if (width < 71.5) found.add(`circle ${width.toFixed(0)} px`);
    }
  }
  return [...found].filter((one) => !leftOut.some((word) => one.includes(word)));
}"""
"""What is smaller than it may be."""


def below_the_floors(page: Page, *left_out: str) -> list[str]:
    """Texts, targets and circles that are too small, once the page has had time to lay itself out.

    What has one of the words `left_out` in its name may be as small as it is, and is not waited for.
    """
    return found_in_the_end(page, FLOORS, list(left_out))
