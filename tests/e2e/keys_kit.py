"""When the keys of a screen may be pressed: a key that has just changed its meaning rests for 350 ms."""

from typing import Final

from playwright.sync_api import Page

GUARD_MS: Final = 400
"""A little longer than a key rests."""
LONGEST_MS: Final = 10_000
"""A screen that never comes to rest is pressed all the same, and the test says what became of it."""
AT_REST: Final = """([quiet, longest]) => new Promise((rested) => {
  const timers = {};
  const seen = new MutationObserver(() => again());
  const end = () => {
    seen.disconnect();
    clearTimeout(timers.quiet);
    clearTimeout(timers.longest);
    rested();
  };
  const again = () => { clearTimeout(timers.quiet); timers.quiet = setTimeout(end, quiet); };
  timers.longest = setTimeout(end, longest);
  again();
  const watched = ["data-seq", "data-key", "data-line", "disabled", "aria-disabled"];
  seen.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: watched });
})"""


def until_at_rest(page: Page) -> None:
    """Wait until the page has shown nothing new for as long as a key rests, by the page's own clock.

    A pause of the test would not do: a busy browser may draw the answer to the last press, and let the keys
    rest for it, only when that pause is over.
    """
    page.evaluate(AT_REST, [GUARD_MS, LONGEST_MS])
