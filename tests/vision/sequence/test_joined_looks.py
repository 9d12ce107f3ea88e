"""Looks at one card, joined: what many uncertain ones prove, and what they never do."""

import pytest

from vision.sequence import JOIN_RULE, JoinedLooks, LookedAt

SEVEN, NINE = (6, 3), (8, 3)
"""Seven and nine of spades."""


def look(name: tuple[int, int] = SEVEN, **changes: object) -> LookedAt:
    """An index of 13 pixels, too small for a single picture, all but its size beyond doubt."""
    flags = {"sound": True, "suit_sound": True, "certain": False, "suit_certain": False}
    plain = LookedAt(*name, 7.0, 7.0, 0.99, 13.0, **flags)
    return plain._replace(**changes)  # type: ignore[arg-type]  # fields by name, as the test gives them


def joined(*looks: LookedAt) -> JoinedLooks:
    looks_at_one = JoinedLooks()
    for one in looks:
        looks_at_one.add(one)
    return looks_at_one


def test_uncertain_looks_that_agree_make_a_small_card_certain() -> None:
    name = joined(*[look()] * JOIN_RULE.joined_looks).certain_name()
    assert name is not None
    assert name.name == SEVEN
    assert name.p_rank > 0.99


def test_a_few_looks_prove_nothing() -> None:
    assert joined(*[look()] * (JOIN_RULE.joined_looks - 1)).certain_name() is None


def test_many_looks_at_a_doubtful_rank_stay_doubtful() -> None:
    """They share what makes them doubtful: 25 say little more than one."""
    doubtful = look(rank_odds=2.0)
    assert joined(*[doubtful] * 25).certain_name() is None


@pytest.mark.parametrize(
    "other",
    [
        look(NINE),
        look(sound=False),
        look(index_px=8.0),
        look(p_index=0.3),
    ],
    ids=["another name", "the ink of another suit", "too small", "half covered"],
)
def test_looks_that_speak_against_it_keep_it_open(other: LookedAt) -> None:
    assert joined(*[look()] * 3, *[other] * 9).certain_name() is None


def test_a_single_picture_that_tells_another_card_keeps_it_open() -> None:
    assert joined(*[look()] * 20, look(NINE, certain=True, suit_certain=True)).certain_name() is None


def test_three_certain_pictures_are_enough_and_two_are_not() -> None:
    sure = look(certain=True, suit_certain=True, index_px=30.0)
    assert joined(sure, sure).certain_name() is None
    assert joined(sure, sure, sure).certain_name() is not None


def test_three_certain_pictures_of_many_are_enough_where_most_look_alike() -> None:
    """25 pictures report no less than the best of them."""
    faint, sure = look(rank_odds=2.0), look(certain=True)
    assert name_of(joined(*[faint] * 7, sure, sure)) is None
    assert name_of(joined(*[faint] * 22, sure, sure, sure)) == SEVEN
    assert name_of(joined(*[look(NINE, rank_odds=2.0)] * 10, *[faint] * 9, sure, sure, sure)) is None


def test_a_name_that_was_certain_outlives_a_few_bad_looks() -> None:
    looks = joined(*[look()] * 8)
    assert looks.certain_name() is not None
    for _ in range(4):
        looks.add(look(NINE, sound=False))
        assert looks.certain_name() is not None
    for _ in range(8):
        looks.add(look(NINE, sound=False))
    assert looks.certain_name() is None


def name_of(looks: JoinedLooks) -> tuple[int, int | None] | None:
    """The name without its probabilities."""
    name = looks.certain_name()
    return None if name is None else name.name


def test_a_suit_in_doubt_stays_open_and_comes_later() -> None:
    assert name_of(joined(*[look()] * 3, *[look(suit_odds=1.0)] * 9)) == (SEVEN[0], None)
    open_suit = look(suit_odds=1.0, suit_sound=False)
    looks = joined(*[open_suit, open_suit._replace(suit=0)] * 4)
    assert name_of(looks) == (SEVEN[0], None)
    for _ in range(JOIN_RULE.kept):
        looks.add(look())
    assert name_of(looks) == SEVEN


def test_pictures_that_tell_two_suits_leave_it_open() -> None:
    sure = look(certain=True, suit_certain=True, index_px=30.0)
    assert name_of(joined(*[sure, sure._replace(suit=0)] * 3)) == (SEVEN[0], None)
