"""Nothing that the engine says before the turn depends on what the face-down card is."""

from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, CardSeen, Decision, Observation, Reveal, ShoeLoaded
from controller.domain import Alert, Notice, card_named
from controller.engine import TableState, expected, legal, new_table, step
from controller.rules import HOUSES, load_rules

SECOND_DOWN = [house for house in HOUSES if load_rules(house, {}, Path()).hole_card == "second_down"]


def play(house: str, observations: list[Observation]) -> tuple[TableState, list[Notice]]:
    state = new_table(load_rules(house, {"decks": 1}, Path()))
    said: list[Notice] = []
    for obs in observations:
        state, notices = step(state, obs)
        said += notices
    return state, said


def four_nines(hole: str) -> list[Observation]:
    """Three nines and a fourth at the players, the dealer's six up, the given card face down."""
    cards = [CardSeen(card_named(rank, None).rank) for rank in ("9", "9", "6", "9", "9")]
    return [
        ShoeLoaded(1),
        Bet(1, 0, 400),
        Bet(2, 0, 400),
        *cards,
        CardSeen(card_named(hole, None).rank, None, face="down"),
    ]


def test_a_fifth_nine_face_down_is_told_only_when_it_is_turned() -> None:
    stands: list[Observation] = [Decision(1, 1, "stand"), Decision(2, 1, "stand")]
    _, before = play("spielbank", four_nines("9") + stands)
    assert before == []
    _, after = play("spielbank", [*four_nines("9"), *stands, Reveal()])
    assert [notice.code for notice in after if isinstance(notice, Alert)] == ["TOO_MANY_OF_A_KIND"]


@pytest.mark.parametrize("house", SECOND_DOWN)
@pytest.mark.parametrize("hole", ["2", "9", "10", "A"])
def test_what_is_offered_and_expected_is_the_same_for_every_hole_card(house: str, hole: str) -> None:
    state, said = play(house, four_nines(hole))
    other, said_of_other = play(house, four_nines("5"))
    assert said == said_of_other
    assert expected(state) == expected(other)
    assert legal(state) == legal(other)
