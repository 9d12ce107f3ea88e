"""Cards that other exposures show are added to those of the picture, and change none of these."""

from tests.vision.index_kit import DOWN, index, named, pairs_of_corners
from vision.acceptance import Acceptance, accept_cards
from vision.exposures import with_added_cards
from vision.indices import Index


def places(acceptance: Acceptance) -> list[float]:
    return sorted(float(card.best.centre[0]) for card in acceptance.accepted)


def sure(acceptance_of: list[Index]) -> list[Index]:
    """The same indices, certain in every respect."""
    return [one._replace(p_rank=0.9999, p_suit=0.9999, p_index=0.9999) for one in acceptance_of]


KNOWN = sure(pairs_of_corners())
"""Three cards with both corners: an ace, a two and a three of clubs."""


def test_what_only_another_exposure_shows_is_added() -> None:
    plain = accept_cards(KNOWN)
    both = with_added_cards(plain, accept_cards([*KNOWN, named("9h", 700, 80, index_px=24.0)]))
    assert places(both) == [*places(plain), 700.0]


def test_an_unclear_spot_that_is_told_now_is_unclear_no_more() -> None:
    doubted = named("9h", 700, 80, index_px=24.0, p_rank=0.7)
    elsewhere = named("8h", 700, 900, index_px=24.0, p_rank=0.7)
    plain = accept_cards([*KNOWN, doubted, elsewhere])
    assert len(plain.unclear) == 2
    joined = accept_cards([*KNOWN, doubted._replace(p_rank=0.9999), elsewhere])
    (left,) = with_added_cards(plain, joined).unclear
    assert float(left[0].best.centre[1]) == 900.0


def test_what_the_picture_tells_stays_told_where_the_exposures_differ() -> None:
    plain = accept_cards(KNOWN)
    differs = [one._replace(rank_agreed=False, agreed=False) for one in KNOWN]
    assert with_added_cards(plain, accept_cards(differs)) is plain


def test_a_second_card_so_near_to_a_like_one_may_be_its_other_corner() -> None:
    plain = accept_cards([*KNOWN, named("9h", 700, 80, index_px=24.0)])
    corner = named("9h", 800, 200, index_px=24.0, down=index(0, 0, down=DOWN).down)
    far = named("9h", 1300, 80, index_px=24.0)
    joined = accept_cards([*KNOWN, named("9h", 700, 80, index_px=24.0), corner, far])
    assert places(with_added_cards(plain, joined)) == [*places(plain), 1300.0]
