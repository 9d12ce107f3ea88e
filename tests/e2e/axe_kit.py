"""axe-core in the page of a test: what of WCAG 2.2 A and AA a program can find."""

from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

SOURCE: Final = Path(__file__).parents[2] / "controller/web/frontend/node_modules/axe-core/axe.min.js"
RUN: Final = """() => axe.run(document, {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  resultTypes: ["violations"],
  // Of what is loaded beforehand no rule here has need.
  preload: false,
}).then(({ passes, violations }) => ({ looked: passes.length > 0, violations }))"""


def violations(page: Page) -> list[str]:
    """Rule, help and element of everything that axe finds wrong with the page as it is now."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SOURCE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(RUN)
    assert found["looked"], "axe looked at nothing"
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
