"""What the pit can put right: decisions with their numbers, answers, payouts, and money before and after."""

from view_kit import after, cards, snapshot, table

from controller.acts.catalogue import (
    AmendDecision,
    AmendStake,
    Bet,
    Close,
    Decision,
    End,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Reveal,
)
from controller.engine.state import TableState
from controller.screens.rulings import Preview, RoundFacts, facts_of, preview_of


def opened() -> TableState:
    return after(table(), Bet(1, 0, 1000), Bet(2, 0, 1000), Close())


def settled() -> TableState:
    """Boxes 1 (17) and 2 (19) stand, the dealer has 6 and 10 and draws a 2: box 1 loses, box 2 wins."""
    dealt = after(opened(), *cards("10", "10", "6", "7", "9", "K"))
    stood = after(dealt, Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
    return after(stood, *cards("2"))


def told(state: TableState) -> RoundFacts:
    return facts_of(snapshot(state)).rounds[0]


def tried(state: TableState, ruling: Observation) -> Preview:
    return preview_of(snapshot(state), ruling)


def decisions(state: TableState, box: int) -> list[tuple[int, str | None, str]]:
    at = next(one for one in told(state).boxes if one.box == box)
    return [(row.nth, row.action, row.known) for row in at.hands[0].decisions]


def test_decisions_are_listed_by_number_however_they_were_made() -> None:
    dealt = after(opened(), *cards("5", "10", "6", "4", "9", "K"))
    played = after(dealt, Decision(1, 1, "hit"), *cards("3", "2"), Decision(1, 1, "stand"))
    assert decisions(played, 1) == [(1, "hit", "entered"), (2, "hit", "card"), (3, "stand", "entered")]
    assert decisions(played, 2) == []


def test_a_decision_that_was_never_made_keeps_its_number() -> None:
    dealt = after(opened(), *cards("5", "10", "6", "4", "9", "K"))
    stood = after(dealt, Decision(1, 1, "stand"))
    ruled = after(stood, AmendDecision(1, 1, 1, None, "S-02", "OTHER"), Decision(1, 1, "double"))
    assert decisions(ruled, 1) == [(1, None, "entered"), (2, "double", "entered")]


def test_what_bettors_have_and_get_is_told_round_by_round() -> None:
    paid = after(settled(), Paid(2, 0, 1500))
    seats = [(box.box, seat.stake, seat.due, seat.paid) for box in told(paid).boxes for seat in box.seats]
    assert seats == [(1, "10.00", "0.00", None), (2, "10.00", "20.00", "15.00")]
    cleared = after(paid, End())
    rounds = facts_of(snapshot(cleared)).rounds
    assert [(one.round, one.closed) for one in rounds] == [(2, False), (1, True)]
    assert rounds[1].boxes[1].seats[0].paid == "15.00"


def test_an_insurance_answer_is_told() -> None:
    asked = after(opened(), *cards("10", "10", "A", "7", "9", "K"))
    assert told(asked).insurance
    answered = after(asked, Insurance(1, 0, 500), InsuranceClosed())
    assert told(answered).boxes[0].seats[0].insurance == "5.00"
    assert not told(settled()).insurance


def test_another_stake_shows_what_lies_there_and_what_comes_back() -> None:
    shown = tried(settled(), AmendStake(2, 0, 3000, "S-02", "OTHER"))
    assert [(row.box, row.before, row.after) for row in shown.stakes] == [(2, "10.00", "30.00")]
    assert [(row.box, row.before.money, row.after.money) for row in shown.money] == [(2, "+10.00", "+30.00")]
    assert shown.house_change.money == "-20.00", "the stake that lay there is the player's own"


def test_a_stake_that_lost_and_was_more_is_the_houses() -> None:
    shown = tried(settled(), AmendStake(1, 0, 3000, "S-02", "OTHER"))
    assert [(row.box, row.before.money, row.after.money) for row in shown.money] == [(1, "-10.00", "-30.00")]
    assert shown.house_change.money == "+20.00"
    assert shown.untouched is not None
    assert (shown.untouched.boxes, shown.untouched.sum.money) == ((2,), "+10.00")


def test_a_payout_shows_what_is_on_record_before_and_after() -> None:
    shown = tried(after(settled(), Paid(2, 0, 1500)), Paid(2, 0, 2000))
    assert [(row.before.money, row.after.money, row.change.money) for row in shown.money] == [
        ("+5.00", "+10.00", "+5.00")
    ]
    assert shown.house_change.money == "-5.00"


def test_a_closed_round_is_shown_as_it_was_and_as_it_becomes() -> None:
    cleared = after(settled(), End(), Bet(3, 0, 1000))
    shown = tried(cleared, AmendStake(2, 0, 3000, "S-02", "OTHER", round=1))
    assert [(row.box, row.before.money, row.after.money) for row in shown.money] == [(2, "+10.00", "+30.00")]
    assert [(row.box, row.before, row.after) for row in shown.stakes] == [(2, "10.00", "30.00")]
