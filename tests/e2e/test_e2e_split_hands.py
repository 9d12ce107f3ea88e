"""Four hands of a box: no rank under another card, a label or a stack, at the size of a dealer's tablet."""

from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision
from tests.e2e.fit_kit import found_in_the_end
from tests.e2e.test_e2e_small_screens import acting

PLAYED: Final[tuple[tuple[Literal["split", "hit", "stand"], str], ...]] = (
    ("split", "8h"),
    ("split", "8c"),
    ("split", "2c"),
    ("hit", "2h"),
    ("hit", "3d"),
    ("hit", "Ah"),
    ("stand", "Kd"),
    ("stand", "5h"),
    ("hit", "3s"),
    ("stand", "9d"),
)
"""What a pair of eights does to become four hands, and the card that follows each time."""

COVERED: Final = """() => [...document.querySelectorAll("[data-hand] .rank")].filter((rank) => {
  const at = rank.getBoundingClientRect();
  return [0.25, 0.5, 0.75].some((part) => {
    const upon = document.elementFromPoint(at.x + at.width * part, at.y + at.height / 2);
    return upon?.closest(".card") !== rank.closest(".card");
  });
}).map((rank) => `${rank.closest("[data-hand]").dataset.hand}: ${rank.textContent}`)"""
"""Ranks that something else lies upon, by box and hand."""


def four_hands(served: Served, boxes: tuple[int, ...]) -> None:
    """Every one of these boxes splits to four hands; the last hand of the last box is still to act."""
    served.say(*(Bet(box, 0, 1000) for box in boxes), Close())
    served.deal(*("8s" for _ in boxes), "6c", *("8d" for _ in boxes), "9c")
    for box in boxes:
        for choice, card in PLAYED:
            served.say(Decision(*acting(served), choice))
            served.deal(card)
        if box != boxes[-1]:
            served.say(Decision(*acting(served), "stand"))


@pytest.mark.parametrize("boxes", [(1, 7), (2, 3), (4,), (5, 6), (3, 4, 5)])
def test_no_rank_of_four_hands_is_covered(page: Page, served: Served, boxes: tuple[int, ...]) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    four_hands(served, boxes)
    expect(page.locator("[data-hand]")).to_have_count(4 * len(boxes))
    expect(page.locator("[data-hand] .rank")).to_have_count(12 * len(boxes))
    assert found_in_the_end(page, COVERED) == []
