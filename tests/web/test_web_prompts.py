"""The instruction line and its keys, for each thing that a dealer can be waiting for."""

import pytest
from view_kit import after, cards, key, line, table, view_of

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    CutCard,
    Decision,
    End,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Reveal,
    ShoeLoaded,
    Void,
)
from controller.engine.state import TableState
from controller.feed.codec import parse
from controller.policy import TableOptions
from controller.policy.allowed import release_of
from controller.runtime.api import HoldView
from controller.screens.view import Prompt, TableView
from controller.screens.words import ChipStack, Money, Word, reason_of

BETS = (Bet(1, 0, 1000), Bet(3, 0, 1500), Bet(4, 0, 5000))
FIRST = ("10", "A", "8", "6")
SECOND = ("7", "K", "8", "10")
"""Box 1: 17; box 3: a blackjack; box 4: a pair of eights; the dealer: 6 open, 10 face down."""


def dealt(rules: str = "spielbank") -> TableView:
    return view_of(after(table(rules), *BETS, *cards(*FIRST, *SECOND)))


def first(view: TableView) -> Prompt:
    return view.prompts[0]


def test_bets_are_open_with_the_chips_of_the_house() -> None:
    view = view_of(after(table(), *BETS))
    assert line(first(view)) == "PLACE_BETS"
    assert first(view).bar.chips == ("1.00", "5.00", "25.00", "100.00")
    assert view.staked == "75.00"
    assert key(first(view), "CLOSE").enabled
    assert not key(first(view_of(table())), "CLOSE").enabled


def test_the_deal_names_the_box_that_gets_the_next_card() -> None:
    state = after(table(), *BETS, Close())
    assert line(first(view_of(state))) == "DEAL_BOX box=1"
    assert line(first(view_of(after(state, *cards("10"))))) == "DEAL_BOX box=3"
    assert line(first(view_of(after(state, *cards(*FIRST[:3]))))) == "DEAL_DEALER"
    assert line(first(view_of(after(state, *cards(*FIRST, *SECOND[:3]))))) == "DEAL_DEALER_DOWN"


def test_a_turn_shows_total_and_what_may_be_done() -> None:
    prompt = first(dealt())
    assert line(prompt) == "PLAYER box=1 total=17"
    assert key(prompt, "STAND").enabled
    assert not key(prompt, "DOUBLE").enabled
    assert key(prompt, "DOUBLE").note is not None
    assert [item.key for item in prompt.bar.keys] == [
        "STAND",
        "DOUBLE",
        "SPLIT",
        "ALL_STAND",
        "UNDO",
        "CALL_PIT",
    ]


def test_houses_with_surrender_have_its_key() -> None:
    names = [item.key for item in first(dealt("de")).bar.keys]
    assert "SURRENDER" in names


def test_a_pair_may_be_split_and_the_hands_get_letters() -> None:
    state = after(table(), *BETS, *cards(*FIRST, *SECOND), Decision(1, 1, "stand"))
    prompt = first(view_of(state))
    assert line(prompt) == "PLAYER box=4 total=16"
    assert key(prompt, "SPLIT").enabled
    state = after(state, Decision(4, 1, "split"))
    assert line(first(view_of(state))) == "CARD_OWED box=4A"
    state = after(state, *cards("10"))
    assert line(first(view_of(state))) == "PLAYER_HAND box=4 letter=A total=18"


def test_those_behind_may_ride_along_without_a_second_stake() -> None:
    state = after(table(), Bet(1, 0, 1000), Bet(1, 1, 400), *cards("5", "6", "6", "10"))
    prompt = first(view_of(state))
    assert [item.key for item in prompt.bar.keys if item.enabled] == [
        "STAND",
        "DOUBLE",
        "DOUBLE_ALONE",
        "ALL_STAND",
        "CALL_PIT",
    ]
    decision = parse(key(prompt, "DOUBLE_ALONE").acts[0].model_dump()["obs"])
    hand = after(state, decision).boxes[0].hands[0]
    assert hand.stakes == ((0, 2000), (1, 400))


def test_soft_totals_are_said_with_both_numbers() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("A", "5", "6", "9"))
    assert line(first(view_of(state))) == "PLAYER box=1 total=7/17"


def test_a_bust_is_to_be_taken_at_once() -> None:
    state = after(table(), *BETS, *cards(*FIRST, *SECOND), *cards("9"))
    told = [word.code for word in first(view_of(state)).detail]
    assert told[0] == "detail.TAKE_BUST"


def test_a_round_that_ends_with_a_bust_still_says_take() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("10", "6", "6", "10", "K"))
    prompt = first(view_of(state))
    assert line(prompt) == "SETTLED"
    assert prompt.detail[0].code == "detail.TAKE_BUST"


def test_insurance_has_a_key_for_every_bettor() -> None:
    state = after(
        table(), Bet(1, 0, 1000), Bet(1, 1, 500), Bet(2, 0, 800), *cards("9", "9", "A", "8", "8", "5")
    )
    prompt = first(view_of(state))
    assert line(prompt) == "INSURANCE"
    assert [item.key for item in prompt.bar.keys] == [
        "DONE",
        "INSURE_1_0",
        "INSURE_1_1",
        "INSURE_2_0",
        "ALL_INSURE",
        "AMOUNT",
        "UNDO",
        "CALL_PIT",
    ]
    insure = key(prompt, "INSURE_1_0").acts[0].model_dump()
    assert insure["obs"] == {"obs": "insurance", "box": 1, "seat": 0, "stake": 500}


def test_a_bettor_who_may_not_insure_is_told_so_and_no_amount() -> None:
    house = table(insure_blackjack=False)
    state = after(house, Bet(1, 0, 1000), Bet(2, 0, 1000), *cards("A", "9", "A", "K", "8", "5"))
    off = key(first(view_of(state)), "INSURE_1_0")
    assert not off.enabled
    assert off.note is not None
    assert off.note.code == "why.NOT_INSURABLE"


def test_a_card_that_comes_while_insurance_is_open_waits_for_the_same_keys() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("9", "A", "8", "5"))
    held = HoldView("INSURANCE_UNCLEAR", (), 0, "system:table")
    view = view_of(state, holds=(held,))
    prompt = first(view)
    assert line(prompt) == "INSURANCE"
    assert [words.code for words in prompt.detail] == ["hold.INSURANCE_UNCLEAR"]
    assert key(prompt, "DONE").acts[0].model_dump()["obs"] == {"obs": "insurance_closed"}
    assert key(prompt, "INSURE_1_0").enabled
    assert [box.press.enabled for box in view.boxes if box.box == 1 and box.press] == [True]


def test_even_money_is_offered_where_the_house_gives_it() -> None:
    state = after(table("nl"), Bet(1, 0, 1000), *cards("A", "A", "K", "5"))
    assert key(first(view_of(state)), "EVEN_1_0").enabled


def test_the_check_is_asked_for_where_nobody_has_read_the_card() -> None:
    down = CardSeen(None, face="down")
    state = after(table("nl"), Bet(1, 0, 1000), *cards("9", "10", "8"), down)
    assert line(first(view_of(state))) == "PEEK"


def test_the_dealer_turns_draws_and_stands() -> None:
    state = after(table(), *BETS, *cards(*FIRST, *SECOND), Decision(1, 1, "stand"), Decision(4, 1, "stand"))
    assert line(first(view_of(state))) == "REVEAL"
    state = after(state, Reveal())
    assert line(first(view_of(state))) == "DRAW total=16"
    state = after(state, *cards("A"))
    assert line(first(view_of(state))) == "STAND total=17"


def settled() -> TableView:
    return view_of(settled_state())


def settled_state() -> TableState:
    return after(
        table(),
        *BETS,
        *cards(*FIRST, *SECOND),
        Decision(1, 1, "stand"),
        Decision(4, 1, "stand"),
        Reveal(),
        *cards("A"),
    )


def test_settlement_goes_in_the_order_of_the_house() -> None:
    stand, take = settled().prompts
    assert line(stand) == "STAND total=17"
    assert line(take) == "TAKE box=4 amount=50.00"
    state = settled_state()
    pay = first(view_of(state, handled=(4,)))
    assert line(pay) == "PAY box=3 amount=22.50"
    assert pay.chips == (("5.00", 4), ("2.50", 1))
    assert line(first(view_of(state, handled=(4, 3)))) == "PUSH box=1"
    assert line(first(view_of(state, handled=(4, 3, 1)))) == "SETTLED"


def test_done_says_what_was_handed_back() -> None:
    pay = first(view_of(settled_state(), handled=(4,)))
    acts = [act.model_dump() for act in key(pay, "DONE").acts]
    assert acts[0]["obs"] == {"obs": "paid", "box": 3, "seat": 0, "amount": 3750, "how": "confirmed"}
    assert acts[1] == {"do": "handled", "round": 1, "box": 3}


def test_progress_counts_what_was_paid_and_taken() -> None:
    progress = first(view_of(settled_state(), handled=(4, 3))).bar.settling
    assert progress is not None
    assert (progress.done, progress.of, progress.paid, progress.taken) == (2, 3, "22.50", "50.00")
    assert [step.box for step in progress.steps] == [7, 6, 5, 4, 3, 2, 1]


def test_a_busted_hand_is_not_netted_against_a_winning_one() -> None:
    state = after(
        table(),
        Bet(1, 0, 1000),
        *cards("8", "6", "8", "10"),
        Decision(1, 1, "split"),
        *cards("6", "K"),
        *cards("J"),
        Decision(1, 2, "stand"),
        Reveal(),
        *cards("9"),
    )
    view = view_of(state)
    assert [hand.outcome for hand in view.boxes[0].hands] == ["bust", "win"]
    assert [line(prompt) for prompt in view.prompts] == ["DEALER_BUST total=25", "PAY box=1 amount=10.00"]


def test_a_lost_and_a_won_hand_are_two_moves() -> None:
    state = after(
        table(),
        Bet(1, 0, 1000),
        *cards("8", "6", "8", "10"),
        Decision(1, 1, "split"),
        *cards("10"),
        Decision(1, 1, "stand"),
        *cards("2"),
        Decision(1, 2, "stand"),
        Reveal(),
        *cards("A"),
    )
    _, take, pay = view_of(state).prompts
    assert (line(take), line(pay)) == ("TAKE box=1 amount=10.00", "PAY box=1 amount=10.00")
    assert (take.hand, pay.hand) == (2, 1)
    assert take.detail[0].params == {"box": 1, "letter": "B"}
    assert key(take, "DONE").acts == ()
    assert key(take, "DONE").opens == "next"
    assert len(key(pay, "DONE").acts) == 2


def test_lost_insurance_is_taken_apart_from_the_win() -> None:
    state = after(
        table("it"),
        Bet(1, 0, 1000),
        *cards("10", "A", "10", "6"),
        Insurance(1, 0, 500),
        Decision(1, 1, "stand"),
        Reveal(),
    )
    _, take, pay = view_of(state).prompts
    assert (line(take), line(pay)) == ("TAKE box=1 amount=5.00", "PAY box=1 amount=10.00")


def test_even_money_is_paid_one_to_one() -> None:
    state = after(table("nl"), Bet(1, 0, 1000), *cards("A", "A", "K", "5"), EvenMoney(1, 0))
    assert line(view_of(state).prompts[-1]) == "PAY box=1 amount=10.00"


def test_a_correction_after_the_payment_asks_for_the_difference() -> None:
    state = after(settled_state(), Paid(4, 0, 0), Paid(3, 0, 3750), Paid(1, 0, 1000))
    state = after(state, Correct(2, None, "9", None, "S-02", "MISREAD"))
    prompt = first(view_of(state, handled=(4, 3, 1)))
    assert line(prompt) == "TAKE box=3 amount=7.50"
    assert prompt.detail[0].code == "detail.CORRECTED"
    assert [act.model_dump()["do"] for act in key(prompt, "DONE").acts] == ["observe"]


def test_a_box_and_those_behind_are_one_sentence() -> None:
    state = after(
        table(),
        Bet(1, 0, 1000),
        Bet(1, 1, 400),
        *cards("10", "6", "K", "10"),
        Decision(1, 1, "stand"),
        Reveal(),
        *cards("A"),
    )
    _, pay = view_of(state).prompts
    assert line(pay) == "PAY_2 box=1 amount=10.00 amount_2=4.00"
    assert pay.chips == (("5.00", 2),)
    behind = next(word for word in pay.detail if word.code == "detail.BEHIND_CHIPS")
    assert behind.params == {
        "seat": 1,
        "amount": Money(money="4.00"),
        "chips": ChipStack(chips=(("2.50", 1), ("1.00", 1), ("0.50", 1))),
    }


def test_a_void_round_gives_everything_back() -> None:
    state = after(table(), *BETS, *cards(*FIRST), Void(None, "S-02", "OTHER"))
    prompt = first(view_of(state))
    assert line(prompt) == "PUSH box=4"
    assert prompt.detail[0].code == "detail.VOID"


def test_a_card_that_nobody_could_read_opens_the_pad() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("9", "5", "4", "9"), CardSeen(None, face="up"))
    prompt = first(view_of(state))
    assert line(prompt) == "WHICH_CARD"
    assert prompt.pad is not None
    assert prompt.pad_opens
    assert prompt.pad.rank_obs == {"obs": "correct", "card": 5, "by": "dealer", "reason": "UNREAD"}
    assert reason_of("UNREAD") == Word(word="reason.UNREAD"), "the record says it in the reader's words"
    assert reason_of("BOX 3") == Word(word="ui.box", params={"box": 3}), "a call for a box, too"
    assert reason_of("No space left on device") == Word(word="reason.ENOSPC"), "and what the system says"
    assert reason_of("HASH") == Word(word="misfit.HASH")
    assert (prompt.pad.title.code, prompt.pad.title.params) == ("ui.pad_unread", {"box": "1", "card": 3})
    assert view_of(state).boxes[0].hands[0].total == "13+?"


def test_a_dispute_stops_the_dealer() -> None:
    state = after(settled_state(), *cards("5"))
    prompt = first(view_of(state))
    assert line(prompt) == "DISPUTED"
    assert prompt.tone == "stop"
    assert prompt.detail[0].code == "alert.DEALER_DREW_ON_17"
    assert prompt.detail[0].params["total"] == 17


@pytest.mark.parametrize(("code", "dealer_may"), [("RESTARTED", True), ("FROZEN", False)])
def test_a_hold_stops_everything(code: str, dealer_may: bool) -> None:
    state = after(table(), *BETS, *cards(*FIRST, *SECOND))
    hold = HoldView(code, (), 0, "dealer:D-17", release=release_of(code))
    prompt = first(view_of(state, holds=(hold,)))
    assert line(prompt) == f"STOP fault=word='fault_name.{code}' params={{}}"
    assert key(prompt, "RESUME").enabled is dealer_may
    assert not key(prompt, "VOID").enabled


def test_of_several_holds_the_line_tells_the_ways_of_one_that_only_a_ruling_lifts() -> None:
    state = after(table(), *BETS, *cards(*FIRST, *SECOND))
    shoe = HoldView("SHUFFLE_DUE", (), 0, "system:table", ways=("keep", "shoe"))
    drew = HoldView("DEALER_DREW_ON_17", (("total", 17),), 0, "system:table", ways=("burn", "correct"))
    told = [words.code for words in first(view_of(state, holds=(shoe, drew))).detail]
    assert told == [
        "alert.SHUFFLE_DUE",
        "alert.DEALER_DREW_ON_17",
        "detail.WAYS_OUT",
        "way.burn",
        "way.correct",
    ]
    told = [words.code for words in first(view_of(state, holds=(shoe,))).detail]
    assert told == ["alert.SHUFFLE_DUE", "detail.WAYS_OUT", "way.keep", "way.shoe"]


def test_a_new_shoe_is_asked_for_after_the_cut_card() -> None:
    state = after(table("fr"), ShoeLoaded(6))
    assert line(first(view_of(state))) == "BURN count=5"
    state = after(settled_state(), CutCard(), End())
    assert line(first(view_of(state))) == "NEW_SHOE decks=6"


def burned(prompt: Prompt) -> object:
    note = key(prompt, "START_SHOE").note
    return note and note.params["count"]


def test_a_french_table_asks_for_its_first_shoe() -> None:
    prompt = first(view_of(table("fr")))
    assert line(prompt) == "NEW_SHOE decks=6"
    assert burned(prompt) == 5


def test_a_shoe_that_ran_out_in_a_round_is_replaced_and_nothing_is_burned() -> None:
    burn = cards("2", "3", "4", "5", "6")
    dealt: list[Observation] = [ShoeLoaded(6, 7), *burn, Bet(1, 0, 1000), *cards("9", "8")]
    prompt = first(view_of(after(table("fr"), *dealt), options=TableOptions(shoe_runs_out="shoe")))
    assert line(prompt) == "NEW_SHOE decks=6"
    assert burned(prompt) == 0
    state = after(table("fr"), *dealt, ShoeLoaded(6))
    assert line(first(view_of(state))).startswith("DEAL")


def test_repeat_lays_the_stakes_of_the_round_before() -> None:
    view = view_of(settled_state(), handled=(4, 3, 1))
    again = key(first(view), "REPEAT")
    assert [act.model_dump()["obs"]["stake"] for act in again.acts] == [1000, 1500, 5000]


def test_insurance_done_closes_it() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("9", "A", "8", "5"))
    assert key(first(view_of(state)), "DONE").acts[0].model_dump()["obs"] == {"obs": "insurance_closed"}
    assert line(first(view_of(after(state, InsuranceClosed())))).startswith("PLAYER")
