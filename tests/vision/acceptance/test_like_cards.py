"""Of like cards that may be one only one is told, the surest that can be; never none, and never two."""

import numpy as np

from tests.vision.index_kit import DOWN, four_cornered, index, named, pairs_of_corners
from vision.acceptance import Acceptance, accept_cards
from vision.indices import Index

SURE = 0.999
NINE = 8


def slanted(x: float, y: float, up: bool, **changes: object) -> Index:
    """A corner of a nine that leans so far that it may be one card with another such corner, or not."""
    down = (-0.27, 0.96) if up else (-0.24, -0.97)
    lean = named("9c", x, y, index_px=22.0)
    return lean._replace(down=index(x, y, down=down).down, **changes)  # type: ignore[arg-type]


def nines(acceptance: Acceptance) -> list[tuple[float, str]]:
    """Where the nines lie, and why each is not told; "told" for those that are."""
    told = [(float(card.best.centre[0]), "told") for card in acceptance.accepted if card.best.rank == NINE]
    unclear = [(card, reason) for card, reason in acceptance.unclear if card.best.rank == NINE]
    return told + [(float(card.best.centre[0]), str(reason)) for card, reason in unclear]


def corners(surer_whole: bool) -> Acceptance:
    """Two corners of a nine or of two, the surer one cut off by the picture's edge where it is not whole."""
    surer = slanted(310, 77, up=True, whole=surer_whole, p_rank=0.9999)
    return accept_cards([*pairs_of_corners(), surer, slanted(357, 138, up=False)])


def test_the_weaker_of_two_corners_is_told_where_the_surer_cannot_be() -> None:
    assert nines(corners(surer_whole=True)) == [(310.0, "told"), (357.0, "like_card")]
    assert nines(corners(surer_whole=False)) == [(357.0, "told"), (310.0, "uncertain")]


def test_where_pictures_follow_each_other_the_weaker_one_waits() -> None:
    """In the next picture the surer may be told, and one card would count twice."""
    alone = corners(surer_whole=False).without_rivals()
    assert nines(alone) == [(310.0, "uncertain"), (357.0, "like_card")]
    both = corners(surer_whole=True)
    assert both.without_rivals() == both


def test_more_indices_than_a_card_has_corners_are_two_cards() -> None:
    """Two threes of a deck with four corners lie so near that a lone corner could be either one's."""
    known = [one for place in range(3) for one in four_cornered(10 + 90 * place, place)]
    first = [one._replace(rank=NINE, p_rank=SURE) for one in four_cornered(310, NINE)]
    second = [one._replace(centre=one.centre + np.array([70.0, 8.0])) for one in first]
    cards = accept_cards([*known, *first, *second])
    assert not [card for card in cards.shown if card.best.rank == NINE and card.doubtful]
    lone = index(385, 77, rank=NINE, down=DOWN)
    doubted = accept_cards([*known, *first[:2], lone]).shown
    assert [card.best.centre[0] for card in doubted if card.best.rank == NINE and card.doubtful] == [385.0]
