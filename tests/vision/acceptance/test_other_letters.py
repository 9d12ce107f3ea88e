"""Letters of another language: what may be one of them has no certain name."""

import pytest

from tests.vision.index_kit import named, pairs_of_corners
from vision.acceptance import accept_cards
from vision.reading import RANKS

EIGHT = RANKS.index("8")


@pytest.mark.parametrize(
    ("known", "letters", "reported"), [(0.9, 0, 1), (0.9, 1, 0), (1.2, 1, 1), (1.2, 2, 0)]
)
def test_an_eight_beside_german_letters_has_to_be_surer(known: float, letters: int, reported: int) -> None:
    """A jack (B) of such a deck looks like one."""
    eight = named("8c", 310, 77)._replace(known=known)
    queens = [named("Qd", 460 + 150 * place, 77)._replace(known=-2.7) for place in range(letters)]
    cards = accept_cards([*pairs_of_corners(), eight, *queens])
    assert sum(card.best.rank == EIGHT and card.best.centre[0] == 310 for card in cards.accepted) == reported
