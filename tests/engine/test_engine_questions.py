"""What screens ask the engine instead of working it out: who bets, what half is, when the dealer stands."""

from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, Insurance, Observation, Reveal, Void
from controller.domain import Money, card_named
from controller.engine import TableState, new_table, step
from controller.engine.betting import stake_of, staked, takes_bets
from controller.engine.hands import dealer_finished, dealer_stands
from controller.engine.offers import half_stake
from controller.engine.settle import AT_ONCE, is_final
from controller.rules import load_rules


def after(house: str, *observations: Observation) -> TableState:
    state = new_table(load_rules(house, {}, Path()))
    for observation in observations:
        state = step(state, observation).state
    return state


def cards(ranks: str) -> list[Observation]:
    return [CardSeen(card_named(rank, None).rank) for rank in ranks.split()]


BETS: list[Observation] = [Bet(1, 0, 1000), Bet(1, 1, 400), Bet(3, 0, 500)]
WIN = [Bet(1, 0, 1000), *cards("10 9 9"), Decision(1, 1, "stand"), *cards("8")]
"""House fr: 19 at box 1, the dealer's 9 and 8 make 17."""


def test_bets_are_taken_before_the_deal_and_again_once_the_round_is_over() -> None:
    assert takes_bets(after("fr", *BETS))
    assert not takes_bets(after("fr", *BETS, Close()))
    assert not takes_bets(after("fr", Bet(1, 0, 1000), *cards("10 9 9")))
    assert takes_bets(after("fr", *WIN))
    assert takes_bets(after("fr", *BETS, Close(), Void(None, "pit", "test")))


def test_a_disputed_round_takes_no_bets() -> None:
    disputed = after("fr", *WIN, *cards("5"))
    assert disputed.settlement.status == "disputed"
    assert not takes_bets(disputed)


def test_stakes_are_those_of_the_round_that_takes_bets() -> None:
    laid = after("fr", *BETS)
    assert (stake_of(laid, 1, 1), stake_of(laid, 2, 0), staked(laid)) == (400, 0, 1900)
    settled = after("fr", *WIN)
    assert (stake_of(settled, 1, 0), staked(settled)) == (0, 1000)


@pytest.mark.parametrize(
    ("ranks", "stands", "finished"),
    [
        ("10 9 9", False, False),
        ("10 9 9 7", False, False),
        ("10 9 9 8", True, True),
        ("10 9 9 A", True, True),
    ],
)
def test_the_dealer_stands_on_seventeen_with_two_cards(ranks: str, stands: bool, finished: bool) -> None:
    state = after("fr", Bet(1, 0, 1000), *cards("10 9 9"), Decision(1, 1, "stand"), *cards(ranks)[3:])
    assert (dealer_stands(state), dealer_finished(state)) == (stands, finished)


def test_a_card_that_lies_face_down_keeps_the_dealer_unfinished() -> None:
    dealt = [Bet(1, 0, 1000), *cards("10 9 9"), CardSeen("8", face="down"), Decision(1, 1, "stand")]
    assert not dealer_finished(after("spielbank", *dealt))
    assert dealer_finished(after("spielbank", *dealt, Reveal()))


@pytest.mark.parametrize(("stake", "half"), [(1000, 500), (500, 250), (5, 2), (0, 0)])
def test_half_of_a_stake_leaves_an_odd_unit_out(stake: int, half: int) -> None:
    assert half_stake(Money(stake)) == half


def test_half_of_the_stake_is_the_insurance_that_the_houses_take() -> None:
    offered = after("nl", Bet(1, 0, 1000), *cards("9 A 8"), CardSeen(None, face="down"))
    assert step(offered, Insurance(1, 0, half_stake(Money(1000)))).notices == ()


def test_chips_of_a_bust_and_of_a_surrender_are_moved_at_once() -> None:
    assert {outcome for outcome in ("bust", "surrender", "lose", "win", "push") if outcome in AT_ONCE} == {
        "bust",
        "surrender",
    }


def test_a_round_is_final_when_settled_or_void_and_a_card_that_fits_nowhere_is_set_aside() -> None:
    settled = after("fr", *WIN)
    assert is_final(settled.settlement.status)
    assert not any(fact.fault for fact in settled.log)
    late = after("fr", *WIN, *cards("5"))
    assert not is_final(late.settlement.status)
    assert [bool(fact.fault) for fact in late.log][-2:] == [False, True]
