"""How many reads make a card certain, and what undoes it."""

import pytest

from vision.reading import CardName
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
