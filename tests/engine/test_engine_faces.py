"""What an act's `can` face says is what happens when it is done."""

from pathlib import Path

import pytest

from controller.domain.cards import card_named
from controller.domain.notices import Refused
from controller.domain.observations import Bet, CardSeen, Insurance, Observation, Peek, Reveal
from controller.engine import TableState, new_table, step
from controller.engine.round.betting import can_bet
from controller.engine.round.hole_card import can_peek, can_reveal
from controller.engine.round.offers import can_insure
from controller.rules import load_rules

FACES = {Bet: can_bet, Insurance: can_insure, Peek: can_peek, Reveal: can_reveal}


def table(*cards: str) -> TableState:
    state = step(new_table(load_rules("nl", {}, Path())), Bet(1, 0, 400)).state
    for rank in cards:
        state = step(state, CardSeen(card_named(rank, None).rank)).state
    return step(state, CardSeen(None, face="down")).state if len(cards) == 3 else state


@pytest.mark.parametrize(
    ("cards", "obs"),
    [
        ((), Bet(2, 0, 600)),
        ((), Bet(2, 0, 300)),
        (("9",), Bet(2, 0, 600)),
        (("9", "A", "8"), Insurance(1, 0, 200)),
        (("9", "A", "8"), Insurance(1, 0, 100)),
        (("9", "6", "8"), Insurance(1, 0, 200)),
        (("9", "K", "8"), Peek(False)),
        (("9",), Peek(False)),
        (("9", "K", "8"), Reveal("A", "s")),
        (("9", "6", "8"), Reveal()),
        (("9", "6", "8"), Reveal("10", "s")),
    ],
)
def test_the_can_face_foretells_the_act(cards: tuple[str, ...], obs: Observation) -> None:
    state = table(*cards)
    refused = any(isinstance(notice, Refused) for notice in step(state, obs).notices)
    can = FACES[type(obs)]
    assert can(state, obs) is not refused  # type: ignore[operator]  # each face is called with its own act
