"""Cards named in a camera's messages."""

import pytest

from controller.domain import Card
from controller.runtime.contradictions import card_of


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("10h", Card("10", "h")),
        ("As", Card("A", "s")),
        ("10", Card("10")),
        ("K", Card("K")),
        ("", None),
        ("?", None),
        ("h", None),
        ("1h", None),
    ],
)
def test_a_card_is_named_with_or_without_its_suit(text: str, card: Card | None) -> None:
    assert card_of(text) == card
