"""Several views of one index: what they agree on counts, and one that differs is heard."""

import numpy as np
import pytest

from vision.geometry import Points
from vision.indices import fuse_views
from vision.networks import Scores
from vision.reading import RANKS, SUITS


def spread(label: int, p: float, labels: int) -> Points:
    """One row of probabilities: `p` for a label, the rest shared by the others."""
    row = np.full(labels, (1 - p) / (labels - 1))
    row[label] = p
    return row[None]


def view(rank: str, suit: str, p_rank: float = 0.99, p_suit: float = 0.99, p_index: float = 0.9) -> Scores:
    """What one view says of one index; the rest of the state is "occluded"."""
    state = np.array([[p_index, 0, 0, 0, 0, 1 - p_index]])
    return Scores(
        spread(RANKS.index(rank), p_rank, 13), spread(SUITS.index(suit), p_suit, 4), state, np.array([np.inf])
    )


def both(one: Scores, other: Scores) -> Scores:
    """The same view of two indices."""
    return Scores(*(np.concatenate(heads) for heads in zip(one, other, strict=True)))


def test_one_view_says_what_it_says() -> None:
    said = fuse_views([view("7", "h", 0.8, 0.7, 0.6)])
    assert (RANKS[said.rank[0]], SUITS[said.suit[0]]) == ("7", "h")
    assert [said.p_rank[0], said.p_suit[0], said.p_index[0], said.p_shown[0]] == pytest.approx(
        [0.8, 0.7, 0.6, 1]
    )
    assert said.agreed.tolist() == [True]
    assert said.weakest() == pytest.approx(0.6)


def test_views_count_as_their_geometric_mean() -> None:
    said = fuse_views([view("7", "h", 0.9), view("7", "h", 0.4)])
    assert said.p_rank[0] == pytest.approx(0.6)


def test_a_view_that_prefers_another_card_is_heard() -> None:
    rank = fuse_views([view("7", "h"), view("7", "h"), view("9", "h", 0.5)])
    suit = fuse_views([view("7", "h"), view("7", "h"), view("7", "d", p_suit=0.5)])
    assert [RANKS[rank.rank[0]], SUITS[suit.suit[0]]] == ["7", "h"]
    assert [rank.agreed[0], suit.agreed[0]] == [False, False]


def test_a_view_that_rules_a_card_out_leaves_no_probability_worth_the_name() -> None:
    said = fuse_views([view("7", "h", 1.0), view("9", "h", 1.0)])
    assert 0 < said.p_rank[0] < 1e-3


def test_each_index_has_a_posterior_of_its_own() -> None:
    views = [both(view("7", "h"), view("K", "s")), both(view("7", "h"), view("Q", "s", 0.6))]
    said = fuse_views(views)
    assert [RANKS[number] for number in said.rank] == ["7", "K"]
    assert said.agreed.tolist() == [True, False]


def test_a_further_view_replaces_the_rows_that_it_was_asked_for() -> None:
    said = fuse_views([both(view("7", "h"), view("K", "s", 0.5))])
    said.replace_rows(np.array([1]), fuse_views([view("Q", "s", 0.97)]))
    assert [RANKS[number] for number in said.rank] == ["7", "Q"]
    assert said.p_rank.tolist() == pytest.approx([0.99, 0.97])
