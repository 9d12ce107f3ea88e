"""What was paid, as a house tells it at the screen; what a chip source sees otherwise; the pit's list."""

from pathlib import Path
from typing import Any

import pytest
from view_kit import after, cards, key, line, snapshot, table, view_of
from web_kit import Served

from controller.acts.catalogue import Bet, ChipReading, Decision, Paid, Reveal
from controller.engine.state import TableState
from controller.policy.money import StakeReading
from controller.runtime.api import HoldView, UnconfirmedPayout
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.rulings import facts_of
from controller.screens.views import ViewBuilder


def settled() -> TableState:
    """Box 1 pushes, box 2 wins 15.00 on 15.00, box 3 loses; those behind box 2 win 4.00."""
    return after(
        table(),
        *(Bet(1, 0, 1000), Bet(2, 0, 1500), Bet(2, 1, 400), Bet(3, 0, 5000)),
        *cards("10", "10", "10", "9", "8", "9", "7", "9"),
        *(Decision(box, 1, "stand") for box in (1, 2, 3)),
        Reveal(),
    )


def shown(state: TableState, **told: Any) -> tuple[str, dict[str, bool], dict[str, str]]:
    """The line, which keys are there and whether they are on, and what they open."""
    prompt = view_of(state, **told).prompts[-1]
    keys = {item.key: item.enabled for item in prompt.bar.keys}
    return line(prompt), keys, {item.key: item.opens or "" for item in prompt.bar.keys}


def test_a_house_that_enters_has_what_was_paid_typed_and_confirms_the_rest() -> None:
    state = settled()
    first, keys, _ = shown(state, payouts="enter")
    assert first == "TAKE box=3 amount=50.00"
    assert (keys["DONE"], keys["ALL_DONE"]) == (True, False)
    first, keys, opens = shown(state, payouts="enter", handled=(3,))
    assert first == "PAY_2 box=2 amount=15.00 amount_2=4.00"
    assert "DONE" not in keys
    assert opens["GIVEN"] == "amount"
    assert view_of(state, payouts="enter", handled=(3,)).prompts[-1].amount_for == "given"


def test_what_the_dealer_has_taken_lies_in_no_circle() -> None:
    state = after(
        table(),
        *(Bet(1, 0, 1000), Bet(1, 1, 500), Bet(2, 0, 1000)),
        *cards("8", "10", "10", "8", "7", "8"),
        Decision(1, 1, "split"),
        *cards("10"),
        Decision(1, 1, "stand"),
        *cards("3"),
        *(Decision(1, 2, "stand"), Decision(2, 1, "stand"), Reveal()),
    )
    split, lost = view_of(state).boxes[:2]
    assert [hand.outcome for hand in (*split.hands, *lost.hands)] == ["push", "lose", "lose"]
    assert (split.stake, [seat.stake for seat in split.seats]) == ("30.00", ["20.00", "10.00"])
    split, lost = view_of(state, handled=(1, 2)).boxes[:2]
    assert (split.stake, [seat.stake for seat in split.seats]) == ("30.00", ["10.00", "5.00"])
    assert split.chips == (("5.00", 3),)
    assert (lost.seats, lost.chips) == ((), ())


def test_what_was_entered_ticks_its_box_off_bettor_by_bettor() -> None:
    holder = after(settled(), Paid(2, 0, 3000, how="entered"))
    assert shown(holder, payouts="enter", handled=(3,), booked=((2, 0, 3000),))[0] == "PAY box=2 amount=4.00"
    both = after(holder, Paid(2, 1, 800, how="entered"))
    booked = ((2, 0, 3000), (2, 1, 800))
    first, keys, _ = shown(both, payouts="enter", handled=(3,), booked=booked)
    assert (first, keys["DONE"]) == ("PUSH box=1", True)


def test_each_box_shows_how_its_payout_is_known_by_the_weakest_of_its_bettors() -> None:
    state = after(settled(), Paid(2, 0, 3000, how="entered"), Paid(2, 1, 800, how="confirmed"))
    known = ((1, 0, "measured"), (2, 0, "entered"), (2, 1, "confirmed"))
    assert [box.paid for box in view_of(state, known=known).boxes[:3]] == ["measured", "confirmed", None]
    (_, second, *_) = facts_of(snapshot(state, known=known)).rounds[0].boxes
    assert [(seat.paid, seat.how) for seat in second.seats] == [("30.00", "entered"), ("8.00", "confirmed")]


def test_the_dealers_hand_is_told_once_before_the_first_payout() -> None:
    lines = [line(one) for one in view_of(settled(), payouts="enter").prompts]
    assert lines == ["STAND total=18", "TAKE box=3 amount=50.00"]
    told = after(settled(), Paid(2, 0, 3000, how="entered"))
    lines = [line(one) for one in view_of(told, payouts="enter", booked=((2, 0, 3000),)).prompts]
    assert lines == ["TAKE box=3 amount=50.00"]


def test_a_wrong_payout_that_the_pit_lets_stand_is_not_asked_back() -> None:
    state = after(settled(), Paid(2, 0, 4000, how="entered"), Paid(2, 1, 800, how="entered"))
    booked = ((2, 0, 3000), (2, 1, 800))
    assert shown(state, payouts="enter", handled=(3,), booked=booked)[0] == "PUSH box=1"


def test_all_done_stays_one_tap_where_the_house_confirms() -> None:
    _, keys, _ = shown(settled())
    assert keys["ALL_DONE"]
    acts = key(view_of(settled()).prompts[-1], "ALL_DONE").acts
    told = [act.model_dump()["obs"] for act in acts if act.model_dump()["do"] == "observe"]
    assert {one["how"] for one in told} == {"confirmed"}
    assert len(told) == 4


def test_a_counted_stake_is_shown_beside_the_told_one_and_asked_with_both() -> None:
    state = after(table(), Bet(1, 0, 1000), Bet(2, 0, 1500))
    lying = (StakeReading(1, 0, 1000), StakeReading(2, 0, 2500))
    details = view_of(state, chips=lying).prompts[0].detail
    assert [words.code for words in details] == ["detail.STAKE_DIFFERS"]
    params = (("box", 2), ("seat", 0), ("stake", 2500), ("told", 1500))
    held = HoldView("STAKE_DIFFERS", params, 0, "system:table", ways=("keep",))
    prompt = view_of(state, chips=lying, holds=(held,)).prompts[0]
    assert line(prompt) == "STAKE_DIFFERS box=2"
    stakes = [
        key(prompt, name).acts[0].model_dump()["obs"]["stake"] for name in ("TAKE_COUNTED", "KEEP_ENTERED")
    ]
    assert stakes == [2500, 1500]


def test_the_pit_sees_the_newest_payouts_without_confirmation_and_how_many_there_are() -> None:
    untold = tuple(UnconfirmedPayout(number, 1, 0, 2000) for number in range(1, 30))
    builder = ViewBuilder(ScreenSettings())
    view = builder.build(snapshot(table(), unconfirmed=untold), ScreenState(lambda: 0.0))
    assert view.unconfirmed_count == 29
    assert [row.round for row in view.unconfirmed] == [29, 28, 27, 26, 25, 24, 23]


@pytest.fixture(scope="module")
def entering(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Served(Path(tmp_path_factory.mktemp("entering")), enforced=True, payouts="enter") as running:
        yield running


def test_what_was_given_is_sent_as_typed_and_the_stake_counts_as_handed_back(entering: Served) -> None:
    entering.say(Bet(1, 0, 1000), Bet(2, 0, 1000))
    entering.deal("10h", "10c", "9c", "8d", "9d", "8s")
    entering.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
    assert entering.command({"do": "given", "box": 2, "seat": 0, "amount": "10"})[0] == 200
    assert entering.now.state.settlement.paid == ((2, 0, 2000),)
    assert [hold.code for hold in entering.now.holds] == []
    status, answer = entering.command({"do": "given", "box": 5, "seat": 0, "amount": "10"})
    assert (status, answer["code"]) == (409, "refused.NO_BET")
    assert entering.command({"do": "given", "box": 1, "seat": 0, "amount": "2.50"})[0] == 200
    assert [hold.code for hold in entering.now.holds] == ["WRONG_PAYOUT"]
    entering.count(ChipReading("stake", 1, 0, 1000, 0.99))
    assert [(one.box, one.amount) for one in entering.now.chips] == [(1, 1000)]
