"""The dealer's Undo on the screen: it names what it takes back, and rests with its reason otherwise."""

from view_kit import after, cards, key, table, view_of

from controller.acts.catalogue import AmendDecision, Bet, Close, Decision, Observation
from controller.engine.state import TableState
from controller.feed.codec import from_wire
from controller.screens.acts import ObserveAct
from controller.screens.view import Key


def dealt() -> TableState:
    """Box 1 has 15, box 2 has 13; the dealer shows a 6."""
    opened = after(table(), Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
    return after(opened, *cards("10", "9", "6", "5", "4", "K"))


def undo(state: TableState) -> Key:
    return key(view_of(state).prompts[0], "UNDO")


def pressed(state: TableState) -> tuple[Observation, ...]:
    return tuple(from_wire(act.obs) for act in undo(state).acts if isinstance(act, ObserveAct))


def test_a_mistapped_stand_is_taken_back_by_one_press() -> None:
    stood = after(dealt(), Decision(1, 1, "stand"))
    offered = undo(stood)
    assert (offered.enabled, offered.note and offered.note.code) == (True, "note.UNDO_STAND")
    assert offered.note is not None
    assert offered.note.params == {"box": "1"}
    mended = after(stood, *pressed(stood))
    assert view_of(mended).prompts[0].line.params["box"] == 1
    assert mended.boxes[0].hands[0].status == "active"


def test_the_number_of_the_decision_counts_what_was_taken_back_before() -> None:
    twice = after(dealt(), Decision(1, 1, "stand"))
    twice = after(twice, *pressed(twice))
    twice = after(twice, Decision(1, 1, "stand"))
    assert pressed(twice) == (AmendDecision(1, 1, 2, None, "dealer", "UNDO"),)


def test_no_more_bets_is_taken_back_until_the_first_card() -> None:
    closed = after(table(), Bet(1, 0, 1000), Close())
    reopened = after(closed, *pressed(closed))
    assert view_of(reopened).prompts[0].line.code == "line.PLACE_BETS"
    carded = after(closed, *cards("10"))
    assert (undo(carded).enabled, undo(carded).acts) == (False, ())


def test_after_a_card_the_key_stays_with_its_reason() -> None:
    drawn = after(dealt(), Decision(1, 1, "hit"), *cards("2"))
    rests = undo(drawn)
    assert (rests.enabled, rests.note and rests.note.code) == (False, "why.CARD_SINCE")


def test_it_stands_before_call_pit_in_every_prompt_of_a_round() -> None:
    bets = after(table(), Bet(1, 0, 1000), Close())
    stood = after(dealt(), Decision(1, 1, "stand"), Decision(2, 1, "stand"))
    for state in (bets, dealt(), stood):
        keys = [item.key for item in view_of(state).prompts[0].bar.keys]
        assert keys[-2:] == ["UNDO", "CALL_PIT"]
