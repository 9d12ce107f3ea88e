"""Cards of which the rank is certain and the suit is not: told once each, by their rank alone."""

import pytest

from tests.vision.index_kit import DOWN, index, pairs_of_corners
from vision.acceptance import Acceptance, accept_cards
from vision.indices import Index
from vision.reading import SUITS

CLUB, SPADE = 0, 3
SURE, OPEN = 0.999, 0.7


def corner(x: float, y: float, suit: int = CLUB, p_suit: float = SURE, **changes: object) -> Index:
    """An index of a nine, certain but perhaps for its suit."""
    made = index(x, y, rank=8, suit=suit, p=SURE, **changes)  # type: ignore[arg-type]  # fields by name
    return made._replace(p_suit=p_suit)


def nines(*corners: Index) -> tuple[Acceptance, list[str | None]]:
    """What is accepted beside three known cards, and the suits of the nines that are told."""
    accepted = accept_cards([*pairs_of_corners(), *corners])
    told = [card.best for card in accepted.accepted if card.best.rank == 8]
    return accepted, [None if best.suit_open else SUITS[best.suit] for best in told]


def test_a_card_of_an_open_suit_is_told_by_its_rank() -> None:
    accepted, suits = nines(corner(310, 77, p_suit=OPEN))
    assert suits == [None]
    (card,) = (card for card in accepted.accepted if card.best.rank == 8)
    assert card.best.p == pytest.approx(SURE**2)


@pytest.mark.parametrize("other_p", [SURE, OPEN])
def test_two_corners_of_a_card_that_look_like_two_suits_are_one_card_without_one(other_p: float) -> None:
    top, foot = corner(310, 77, p_suit=OPEN), corner(358, 139, SPADE, other_p, down=DOWN)
    accepted, suits = nines(top, foot)
    assert suits == [None]
    assert [reason for card, reason in accepted.unclear if card.best.rank == 8] == []


def test_an_open_suit_takes_no_suit_from_its_other_corner() -> None:
    assert nines(corner(310, 77), corner(358, 139, p_suit=OPEN, down=DOWN))[1] == ["c"]


def test_two_cards_of_two_suits_stay_two() -> None:
    assert sorted(map(str, nines(corner(310, 77), corner(372, 139, SPADE, down=DOWN))[1])) == ["c", "s"]


def test_what_may_be_a_corner_of_a_told_card_is_not_told_again() -> None:
    """Off the corner by tilt, or the next card of a fan: who knows, so it is asked."""
    accepted, suits = nines(corner(310, 77), corner(372, 139, SPADE, OPEN, down=DOWN))
    assert suits == ["c"]
    assert [reason for card, reason in accepted.unclear if card.best.rank == 8] == ["like_card"]


def test_two_cards_of_open_suits_apart_are_two() -> None:
    far = corner(310, 277, SPADE, OPEN)
    assert nines(corner(310, 77, p_suit=OPEN), far)[1] == [None, None]
