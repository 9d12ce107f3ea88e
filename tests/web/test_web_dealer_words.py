"""What the dealer's line says beside the cards: chips, halves, drinks, limits, locks and devices."""

from collections.abc import Set
from typing import Any

import pytest
from view_kit import after, cards, key, line, snapshot, table, view_of

from controller.acts.catalogue import Bet, Decision, End, Insurance, Peek, Reveal
from controller.engine.state import TableState
from controller.feed.codec import parse
from controller.ports import Presence
from controller.runtime.api import AlertView, DeviceView, HoldView
from controller.screens.acts import ResumeAct
from controller.screens.felt import ScreenSettings, ScreenState, UnfinishedStake, chip_kinds
from controller.screens.view import TableView
from controller.screens.views import ViewBuilder
from controller.screens.words import ChipStack, Money, Words, say
from controller.simulation.demo import chips_for


def screen_with(*chips: tuple[int, int, int]) -> ScreenState:
    """A screen that knows these chips: (box, seat, value in minor units), in the order in which they fell."""
    screen = ScreenState(lambda: 0.0)
    lying: dict[tuple[int, int], int] = {}
    for box, seat, value in chips:
        screen.laid.lay((box, seat), lying.get((box, seat), 0), value, off=False)
        lying[box, seat] = lying.get((box, seat), 0) + value
    return screen


def in_fives(box: int, stake: int) -> ScreenState:
    return screen_with(*[(box, 0, 500)] * (stake // 500))


def won(stake: int) -> TableState:
    """Box 1 wins its stake with 20 against 17."""
    state = after(table(), Bet(1, 0, stake), *cards("10", "6", "K", "10"), Decision(1, 1, "stand"), Reveal())
    return after(state, *cards("A"))


def codes(words: tuple[Words, ...]) -> list[str]:
    return [word.code for word in words]


def test_a_stack_is_drawn_in_the_chips_that_were_laid() -> None:
    view = view_of(after(table(), Bet(1, 0, 4000)), in_fives(1, 4000))
    assert view.boxes[0].chips == (("5.00", 8),)
    assert view_of(after(table(), Bet(1, 0, 4000))).boxes[0].chips == (("25.00", 1), ("5.00", 3))


def test_chips_that_no_longer_add_up_are_not_believed() -> None:
    view = view_of(after(table(), Bet(1, 0, 3000)), in_fives(1, 4000))
    assert view.boxes[0].chips == (("25.00", 1), ("5.00", 1))


def test_a_win_is_paid_in_the_colours_of_the_bet() -> None:
    pay = view_of(won(4000), in_fives(1, 4000), handled=()).prompts[-1]
    assert (line(pay), pay.chips) == ("PAY box=1 amount=40.00", (("5.00", 8),))


def test_a_blackjack_is_paid_in_chips_no_larger_than_the_bet_s() -> None:
    state = after(table(), Bet(1, 0, 5000), *cards("A", "6", "K", "10"), Reveal(), *cards("A"))
    pay = view_of(state, in_fives(1, 5000)).prompts[-1]
    assert (line(pay), pay.chips) == ("PAY box=1 amount=75.00", (("5.00", 15),))


def surrendered(*bets: Bet) -> TableState:
    """Box 1 gives up 16 against a ten; nobody else plays."""
    per_box = len({bet.box for bet in bets})
    up = [*["9"] * per_box, "10"]
    state = after(table("de"), *bets, *cards(*up, *["7"] * per_box, "9"))
    return after(state, Decision(1, 1, "surrender"))


def test_a_surrender_says_what_is_taken_and_what_is_left_in_chips() -> None:
    state = surrendered(Bet(1, 0, 2500), Bet(2, 0, 1000))
    told = next(word for word in view_of(state).prompts[0].detail if word.code == "detail.TAKE_HALF")
    assert told.params == {
        "box": "1",
        "amount": Money(money="12.50"),
        "back": Money(money="12.50"),
        "chips": ChipStack(chips=(("5.00", 2), ("2.50", 1))),
    }


def test_the_step_of_the_stakes_is_told_with_the_limits() -> None:
    view = view_of(table("de", stake_min=1000, stake_max=50000, stake_step=200))
    assert codes(view.prompts[0].detail) == ["detail.LIMITS", "detail.STEP"]


def test_chips_that_are_no_stake_are_told_with_the_rule_that_refuses_them() -> None:
    screen = ScreenState(lambda: 0.0)
    screen.lay((3, 0), UnfinishedStake(1100, "STAKE_NOT_A_MULTIPLE", {"stake": 1100, "step": 200}))
    box, why = view_of(table(), screen).prompts[0].detail
    assert (box.params, why.code) == ({"box": 3}, "refused.STAKE_NOT_A_MULTIPLE")
    assert why.params["step"] == Money(money="2.00")


def test_one_rule_that_refuses_the_chips_of_several_boxes_is_told_once() -> None:
    screen = ScreenState(lambda: 0.0)
    for box, stake in ((3, 100), (5, 100), (6, 300)):
        screen.lay((box, 0), UnfinishedStake(stake, "STAKE_BELOW_MIN", {"stake": stake, "limit": 400}))
    below = "refused.STAKE_BELOW_MIN"
    assert codes(view_of(table(), screen).prompts[0].detail) == ["ui.box", "ui.box", below, "ui.box", below]


def test_each_chip_of_a_demo_under_the_nl_house_makes_a_stake() -> None:
    rules = table("nl").book.rules
    settings = ScreenSettings(chip_kinds(chips_for(rules.stake_step)))
    view = ViewBuilder(settings).build(snapshot(table("nl")), ScreenState(lambda: 0.0))
    tapped = [round(float(value) * 100) for value in view.prompts[0].bar.chips]
    assert len(tapped) > 1
    assert all(value % rules.stake_step == 0 for value in tapped), tapped
    # A blackjack of the least stake pays 3.00: the tray keeps smaller chips too.
    assert min(chip.value_minor for chip in settings.chips) < rules.stake_step


def test_every_hand_is_done_is_said_only_when_it_is_so() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("10", "6", "K", "10"), Decision(1, 1, "stand"))
    assert codes(view_of(state).prompts[0].detail) == ["detail.REVEAL"]
    down = parse({"obs": "card", "rank": None, "face": "down"})
    found = after(table("nl"), Bet(1, 0, 1000), *cards("9", "10", "8"), down, Peek(True))
    assert (line(view_of(found).prompts[0]), codes(view_of(found).prompts[0].detail)) == (
        "REVEAL",
        ["detail.REVEAL_BLACKJACK"],
    )


def test_three_sevens_announce_the_drink() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("7", "6", "7", "10"), *cards("7"), Reveal(), *cards("A"))
    assert codes(view_of(state).prompts[-1].detail)[0] == "detail.DRINK"
    without = after(
        table(triple_seven="none"),
        Bet(1, 0, 1000),
        *cards("7", "6", "7", "10"),
        *cards("7"),
        Reveal(),
        *cards("A"),
    )
    assert "detail.DRINK" not in codes(view_of(without).prompts[-1].detail)


def alert(number: int, code: str, name: str = "shoe") -> AlertView:
    return AlertView(number, code, "warning", 1, (("name", name),), 0, "open", "device:shoe", "")


def test_a_locked_shoe_says_so_until_it_is_unlocked() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("10"))
    locked = view_of(state, alerts=(alert(5, "SHOE_LOCKED"),)).prompts[0]
    assert codes(locked.detail)[0] == "detail.SHOE_LOCKED"
    again = view_of(state, alerts=(alert(5, "SHOE_LOCKED"), alert(9, "SHOE_UNLOCKED"))).prompts[0]
    assert "detail.SHOE_LOCKED" not in codes(again.detail)


def with_shoe(state: Presence, dealer_may_miss: Set[str] = frozenset()) -> TableView:
    seen = DeviceView("shoe", "shoe", state, 5)
    held = snapshot(
        after(table(), Bet(1, 0, 1000)),
        holds=(HoldView("DEVICE_LOST", (("name", "shoe"),), 0, "device:shoe", release="dealer"),),
        alerts=(alert(5, "DEVICE_LOST"),),
    )
    settings = ScreenSettings(dealer_may_miss=frozenset(dealer_may_miss))
    return ViewBuilder(settings).build(held._replace(devices=(seen,)), ScreenState(lambda: 0.0))


def test_a_dealer_who_may_go_on_without_a_witness_finds_it_on_his_key() -> None:
    bound, free = (
        key(with_shoe("lost", may_miss).prompts[0], "RESUME") for may_miss in (frozenset[str](), {"shoe"})
    )
    assert (bound.acts, bound.note) == ((ResumeAct(),), None)
    assert (free.acts, free.note) == (
        (ResumeAct(without=("shoe",)),),
        say("note.GOES_ON_WITHOUT", name="shoe"),
    )


@pytest.mark.parametrize(
    ("state", "hold", "alarm"),
    [("lost", "alert.DEVICE_LOST", "alert.DEVICE_LOST"), ("live", "hold.DEVICE_BACK", "alert.DEVICE_BACK")],
)
def test_a_device_that_answers_again_is_no_longer_said_to_be_silent(
    state: Presence, hold: str, alarm: str
) -> None:
    view = with_shoe(state)
    assert (view.prompts[0].detail[0].code, view.holds[0].text.code) == (hold, hold)
    assert view.alerts[0].text.code == alarm


def play_at(view: TableView, box: int) -> list[Any]:
    press = view.boxes[box - 1].press
    assert press is not None
    assert press.enabled, press
    return [parse(act.model_dump()["obs"]) for act in press.acts]


def three_boxes() -> TableState:
    bets = (Bet(1, 0, 1000), Bet(2, 0, 1000), Bet(5, 0, 1000))
    return after(table(), *bets, *cards("10", "9", "8", "6", "8", "9", "8", "10"))


def test_a_tap_on_a_later_box_has_those_before_it_stand() -> None:
    state = three_boxes()
    assert line(view_of(after(state, *play_at(view_of(state), 5))).prompts[0]) == "PLAYER box=5 total=16"
    boxes = view_of(state).boxes
    assert [
        (box.press.enabled, box.press.note.code) for box in boxes[:3] if box.press and box.press.note
    ] == [
        (False, "why.ITS_TURN"),
        (True, "note.STAND_BEFORE"),
        (False, "why.HAND_DONE"),
    ]


def test_all_stand_leads_to_the_dealer() -> None:
    state = three_boxes()
    stands = [parse(act.model_dump()["obs"]) for act in key(view_of(state).prompts[0], "ALL_STAND").acts]
    assert line(view_of(after(state, *stands)).prompts[0]) == "REVEAL"


def test_all_done_reports_every_box_and_what_it_got_back() -> None:
    view = view_of(won(4000))
    assert view.boxes[0].moves[0].model_dump() == {"verb": "pay", "seat": 0, "amount": "40.00"}
    state = three_boxes()
    stands = [parse(act.model_dump()["obs"]) for act in key(view_of(state).prompts[0], "ALL_STAND").acts]
    settled = after(state, *stands, Reveal(), *cards("A"))
    acts = [act.model_dump() for act in key(view_of(settled).prompts[-1], "ALL_DONE").acts]
    assert [act["box"] for act in acts if act["do"] == "handled"] == [5, 2, 1]
    assert [(act["obs"]["box"], act["obs"]["amount"]) for act in acts if act["do"] == "observe"] == [
        (5, 0),
        (2, 2000),
        (1, 2000),
    ]


def test_all_who_have_not_insured_do_it_at_once() -> None:
    state = after(table(), Bet(1, 0, 1000), Bet(2, 0, 800), *cards("9", "8", "A", "9", "8", "5"))
    state = after(state, Insurance(1, 0, 300))
    insure = [parse(act.model_dump()["obs"]) for act in key(view_of(state).prompts[0], "ALL_INSURE").acts]
    assert insure == [Insurance(2, 0, 400)]
    assert view_of(state).prompts[0].amount_for == "insure"
    assert view_of(after(table("de"), Bet(1, 0, 1000))).prompts[0].amount_for == "stake"


def test_a_key_that_is_off_says_why_and_not_what_it_would_do() -> None:
    bets = view_of(table()).prompts[0]
    for name in ("REPEAT", "REPEAT_BOX"):
        off = key(bets, name)
        assert (off.enabled, off.note) == (False, say("why.NO_BETS_BEFORE"))
    again = view_of(after(won(1000), End())).prompts[0]
    assert key(again, "REPEAT").note == key(again, "REPEAT_BOX").note == say("note.REPEAT")
