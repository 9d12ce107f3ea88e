"""How many reads make a card certain, and what undoes it."""

import pytest

from vision.reading import CardName
from vision.tracking.card_votes import CardVotes
from vision.tracking.votes import Votes

SEVEN, NINE = CardName("7", "h"), CardName("9", "h")


def votes(*reads: tuple[CardName, float, int]) -> Votes:
    """Votes after reads of a name, with a probability, by so many corners."""
    cast = Votes()
    for name, p, corners in reads:
        cast.add(name, p, corners)
    return cast


def test_nothing_is_certain_before_the_first_read() -> None:
    cast = votes()
    assert (cast.best, cast.certain, cast.reads) == (None, False, 0)
    assert cast.p < 0.05


@pytest.mark.parametrize(("corners", "needed"), [(2, 3), (1, 5)])
def test_a_card_of_two_corners_needs_fewer_reads(corners: int, needed: int) -> None:
    certain = [votes(*[(SEVEN, 0.999, corners)] * count).certain for count in range(needed + 1)]
    assert certain == [False] * needed + [True]


def test_weak_reads_never_make_a_card_certain_however_many() -> None:
    assert not votes(*[(SEVEN, 0.7, 1)] * 50).certain


def test_contrary_reads_hold_a_card_open_until_enough_agree_again() -> None:
    five, contrary = [(SEVEN, 0.999, 1)] * 5, [(NINE, 0.999, 1)] * 3
    assert votes(*five).certain
    assert not votes(*five, *contrary).certain
    assert votes(*five, *contrary, *five).certain


def test_as_many_reads_of_two_names_make_neither_certain() -> None:
    assert not votes(*[(SEVEN, 0.999, 2), (NINE, 0.999, 2)] * 8).certain


def test_old_reads_are_forgotten() -> None:
    cast = votes((NINE, 0.999, 2), *[(SEVEN, 0.999, 2)] * 16)
    assert cast.best == SEVEN
    assert cast.certain


def test_a_read_without_any_probability_counts_as_a_guess() -> None:
    assert votes((SEVEN, 0.0, 1)).p == pytest.approx(1 / 52)


OPEN, CLUB = CardName("7", None), CardName("7", "c")


def card_votes(*names: CardName) -> CardVotes:
    """Sure reads of these names by both corners."""
    cast = CardVotes()
    for name in names:
        cast.add(name, 0.999, 2)
    return cast


def test_reads_without_a_suit_vote_for_the_rank_alone() -> None:
    assert card_votes(OPEN, SEVEN).certain_name is None
    assert card_votes(OPEN, SEVEN, OPEN).certain_name == OPEN
    assert card_votes(OPEN, SEVEN, OPEN, SEVEN, SEVEN).certain_name == SEVEN


def test_two_suits_leave_it_open_and_two_ranks_leave_all_open() -> None:
    assert card_votes(*[SEVEN, CLUB] * 4).certain_name == OPEN
    assert card_votes(*[SEVEN, NINE] * 4).certain_name is None
