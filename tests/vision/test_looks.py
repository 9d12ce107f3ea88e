"""How many looks make a card certain, what many uncertain ones prove, and what undoes it."""

import pytest

from vision.looks import LOOK_RULE, Look, Looks, look_of_read
from vision.reading import CardName
from vision.sequence import within_limits

SEVEN, NINE = CardName("7", "s"), CardName("9", "s")


def reads(*of: tuple[CardName, float, int]) -> Looks:
    """Looks after reads of a name, with a probability, by so many corners."""
    found = Looks()
    for name, p, corners in of:
        found.add(look_of_read(name, p, corners))
    return found


def test_nothing_is_certain_before_the_first_read() -> None:
    looks = reads()
    assert (looks.best, looks.certain, looks.reads) == (None, False, 0)
    assert looks.p_of(None) < 0.05


@pytest.mark.parametrize(("corners", "needed"), [(2, 3), (1, 5)])
def test_a_card_of_two_corners_needs_fewer_reads(corners: int, needed: int) -> None:
    certain = [reads(*[(SEVEN, 0.999, corners)] * count).certain for count in range(needed + 1)]
    assert certain == [False] * needed + [True]


def test_weak_reads_never_make_a_card_certain_however_many() -> None:
    assert not reads(*[(SEVEN, 0.7, 1)] * 50).certain


def test_contrary_reads_hold_a_card_open_until_enough_agree_again() -> None:
    five, contrary = [(SEVEN, 0.999, 1)] * 5, [(NINE, 0.999, 1)] * 3
    assert reads(*five).certain
    assert not reads(*five, *contrary).certain
    assert reads(*five, *contrary, *five).certain


def test_as_many_reads_of_two_names_make_neither_certain() -> None:
    assert not reads(*[(SEVEN, 0.999, 2), (NINE, 0.999, 2)] * 8).certain


def test_old_reads_are_forgotten() -> None:
    looks = reads((NINE, 0.999, 2), *[(SEVEN, 0.999, 2)] * 16)
    assert looks.best == SEVEN
    assert looks.certain


def test_a_read_without_any_probability_counts_as_a_guess() -> None:
    assert reads((SEVEN, 0.0, 1)).p_of(SEVEN) == pytest.approx(1 / 52)


OPEN, CLUB = CardName("7", None), CardName("7", "c")


def named(*names: CardName) -> CardName | None:
    """What sure reads of these names by both corners make certain."""
    return reads(*((name, 0.999, 2) for name in names)).certain_name()


def test_reads_without_a_suit_vote_for_the_rank_alone() -> None:
    assert named(OPEN, SEVEN) is None
    assert named(OPEN, SEVEN, OPEN) == OPEN
    assert named(OPEN, SEVEN, OPEN, SEVEN, SEVEN) == SEVEN


def test_two_suits_leave_it_open_and_two_ranks_leave_all_open() -> None:
    assert named(*[SEVEN, CLUB] * 4) == OPEN
    assert named(*[SEVEN, NINE] * 4) is None


def look(name: CardName = SEVEN, **changes: object) -> Look:
    """An index of 13 pixels, too small for a single picture, all but its size beyond doubt."""
    flags = {"sound": True, "suit_sound": True, "certain": False, "suit_certain": False}
    plain = Look(name, 7.0, 7.0, p_index=0.99, index_px=13.0, **flags)
    return plain._replace(**changes)  # type: ignore[arg-type]  # fields by name, as the test gives them


def joined(*looks: Look) -> Looks:
    looks_at_one = Looks(within_limits)
    for one in looks:
        looks_at_one.add(one)
    return looks_at_one


def test_uncertain_looks_that_agree_make_a_small_card_certain() -> None:
    looks = joined(*[look()] * LOOK_RULE.joined)
    assert looks.certain_name() == SEVEN
    assert looks.joined_name(SEVEN).p_rank > 0.99


def test_reads_of_one_corner_that_were_joined_are_certain_soon_and_show_no_second_corner() -> None:
    """A corner of the face-down card that is lifted for a peek turns no card."""
    looks = Looks()
    for _ in range(LOOK_RULE.once_joined):
        looks.add(look_of_read(SEVEN, 0.999, 1, joined=True))
    assert (looks.certain_name(), looks.two_corners) == (SEVEN, False)
    assert reads(*[(SEVEN, 0.999, 2)] * 3).two_corners


def test_a_few_looks_prove_nothing() -> None:
    assert joined(*[look()] * (LOOK_RULE.joined - 1)).certain_name() is None


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
def test_looks_that_speak_against_it_keep_it_open(other: Look) -> None:
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
    assert joined(*[faint] * 7, sure, sure).certain_name() is None
    assert joined(*[faint] * 22, sure, sure, sure).certain_name() == SEVEN
    assert joined(*[look(NINE, rank_odds=2.0)] * 10, *[faint] * 9, sure, sure, sure).certain_name() is None


def test_a_name_that_was_certain_outlives_a_few_bad_looks() -> None:
    looks = joined(*[look()] * 8)
    assert looks.certain_name() is not None
    for _ in range(4):
        looks.add(look(NINE, sound=False))
        assert looks.certain_name() is not None
    for _ in range(8):
        looks.add(look(NINE, sound=False))
    assert looks.certain_name() is None


def test_a_suit_in_doubt_stays_open_and_comes_later() -> None:
    assert joined(*[look()] * 3, *[look(suit_odds=1.0)] * 9).certain_name() == OPEN
    open_suit = look(suit_odds=1.0, suit_sound=False)
    looks = joined(*[open_suit, open_suit._replace(name=CLUB)] * 4)
    assert looks.certain_name() == OPEN
    for _ in range(LOOK_RULE.kept):
        looks.add(look())
    assert looks.certain_name() == SEVEN


def test_pictures_that_tell_two_suits_leave_it_open() -> None:
    sure = look(certain=True, suit_certain=True, index_px=30.0)
    assert joined(*[sure, sure._replace(name=CLUB)] * 3).certain_name() == OPEN
