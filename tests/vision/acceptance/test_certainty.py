"""When an index may be told: its probabilities, its height, its views, and the colour of its ink."""

import pytest

from tests.vision.index_kit import named
from vision.certainty import is_certain, is_rank_certain, reported_indices
from vision.indices import Index


def both_ends(name: str, **changes: object) -> list[Index]:
    """Like indices at opposite corners of one card."""
    return [named(name, 100, 100, **changes), named(name, 150, 180, **changes, down=named(name).down * -1)]


def test_a_clear_index_is_certain() -> None:
    assert is_certain(named("As"))
    assert is_certain(named("10h"))


@pytest.mark.parametrize(
    "doubted",
    [
        named("8d", p_rank=0.95),
        named("8d", p_suit=0.984),
        named("8d", p_index=0.3),
        named("7d", p_index=0.97),
        named("8d", agreed=False),
        named("8d", whole=False),
        named("8d", index_px=8.9),
    ],
)
def test_one_doubt_is_enough(doubted: Index) -> None:
    assert not is_certain(doubted)


@pytest.mark.parametrize(
    ("name", "index_px", "p_suit", "certain"),
    [
        ("8d", 16.0, 0.99, True),
        ("8c", 16.0, 1.0, False),
        ("8c", 22.0, 0.99, False),
        ("8s", 22.0, 0.997, True),
        ("8s", 28.0, 0.99, True),
    ],
)
def test_small_black_suits_need_more(name: str, index_px: float, p_suit: float, certain: bool) -> None:
    assert is_certain(named(name, index_px=index_px, p_suit=p_suit)) is certain


def test_two_corners_that_both_look_covered_are_the_deck_s_own_look() -> None:
    seen = reported_indices(both_ends("5c", p_index=0.1, p_shown=0.95))
    assert len(seen) == 2
    assert reported_indices(both_ends("5c", p_index=0.1, p_shown=0.4)) == []


def test_the_certain_corner_speaks_for_the_card() -> None:
    clear, faint = named("5c"), named("5c", 150, 180, p_rank=0.6)
    assert [index.p_rank for index in reported_indices([faint, clear])] == [clear.p_rank]


@pytest.mark.parametrize(
    "open_suit",
    [
        named("8s", index_px=16.0),
        named("8d", p_suit=0.6),
        named("8d", agreed=False),
    ],
    ids=["small and black", "a doubtful suit", "views of two suits"],
)
def test_a_doubt_of_other_things_leaves_the_rank(open_suit: Index) -> None:
    assert not is_certain(open_suit)
    assert is_rank_certain(open_suit)


def test_a_rank_is_doubted_by_its_views() -> None:
    assert not is_rank_certain(named("8d", agreed=False, rank_agreed=False))


@pytest.mark.parametrize(("index_px", "certain"), [(10.0, False), (13.0, False), (16.0, True), (30.0, True)])
def test_the_smaller_the_index_the_surer_its_rank_has_to_be(index_px: float, certain: bool) -> None:
    assert is_rank_certain(named("8d", index_px=index_px, p_rank=0.994)) is certain
    assert is_rank_certain(named("8d", index_px=index_px, p_rank=0.9999, p_index=0.9999))


@pytest.mark.parametrize(("p_index", "certain"), [(0.91, True), (0.89, False)])
def test_a_large_rank_needs_little_more_than_a_likely_index(p_index: float, certain: bool) -> None:
    assert is_rank_certain(named("8d", p_rank=0.999, p_index=p_index)) is certain


def test_opposite_corners_of_one_rank_tell_it_together_where_neither_does() -> None:
    unsure = both_ends("5c", p_rank=0.97, p_index=0.99, p_suit=0.6)
    assert reported_indices(unsure[:1]) == []
    assert len(reported_indices(unsure)) == 2
    assert reported_indices(both_ends("5c", p_rank=0.9, p_index=0.99, p_suit=0.6)) == []


def test_corners_that_face_the_same_way_do_not_tell_a_rank_together() -> None:
    unsure = {"p_rank": 0.97, "p_index": 0.99, "p_suit": 0.6}
    assert reported_indices([named("5c", **unsure), named("5c", 150, **unsure)]) == []
