"""Indices of several exposures of one picture: joined where they agree, open in what they differ."""

import numpy as np

from tests.vision.index_kit import named
from vision.exposures import darkened, join_indices, read_exposures, with_even_contrast
from vision.indices import Index
from vision.reader import CardReader

SURE, DOUBTED = 0.999, 0.6


def joined(*indices: Index) -> list[Index]:
    return join_indices([indices[0]], indices[1:])


def test_the_surer_of_two_like_indices_stays() -> None:
    (one,) = joined(named("9h", p_rank=DOUBTED), named("9h", x=102.0, p_rank=SURE))
    assert (one.p_rank, one.rank_agreed, one.agreed) == (SURE, True, True)


def test_an_index_of_another_place_is_one_more() -> None:
    assert len(joined(named("9h"), named("9h", x=160.0))) == 2


def test_nothing_is_certain_where_two_exposures_name_two_ranks() -> None:
    (one,) = joined(named("9h", p_rank=SURE), named("8h", p_rank=SURE))
    assert not one.rank_agreed


def test_a_third_exposure_does_not_settle_what_two_differ_in() -> None:
    (one,) = joined(named("9h", p_rank=0.99), named("8h", p_rank=0.99), named("9h", p_rank=SURE))
    assert not one.rank_agreed


def test_the_suit_alone_is_open_where_only_the_suits_differ() -> None:
    (one,) = joined(named("9h", p_rank=0.99), named("9d", p_rank=SURE))
    assert (one.rank_agreed, one.agreed) == (True, False)


def test_a_guess_contradicts_nothing() -> None:
    (one,) = joined(named("9h", p_rank=SURE), named("8h", p_rank=0.3))
    assert (one.rank, one.rank_agreed) == (named("9h").rank, True)


def test_an_exposure_keeps_size_and_hue() -> None:
    red = np.full((40, 60, 3), (60, 60, 200), np.uint8)
    for exposure in (with_even_contrast, darkened):
        blue, green, strongest = exposure(red)[20, 30].astype(int)
        assert exposure(red).shape == red.shape
        assert strongest > 1.5 * max(blue, green)


def test_without_a_place_nothing_is_read_again(reader: CardReader) -> None:
    picture = np.full((200, 200, 3), 255, np.uint8)
    one = named("9h")
    assert read_exposures(picture, [one], np.empty((0, 2)), reader.networks) == [one]
