"""Each way that a house may allow for a fault ends its hold: by the ruling, or once the table shows it."""

from pathlib import Path

import pytest

from controller.acts.catalogue import (
    AmendStake,
    Bet,
    CardSeen,
    Close,
    Correct,
    HoldsLifted,
    Move,
    Observation,
    Strike,
    Swap,
    Void,
)
from controller.acts.rulings import HandName
from controller.domain import Rank
from controller.irregularities import HOLD_KINDS, WAYS, Irregularity
from controller.policy import House, Person, TableLine, TableRun, decide, new_run
from controller.policy.allowed import is_looked_at, subjects_of
from controller.policy.holds import Hold
from controller.policy.run import Refusal, with_hold
from controller.rules import load_file

PIT, SIGNED = Person("pit", "P1"), ("P1", "seen on the felt")
FILE = load_file("it", Path())
DEALT: tuple[Rank, ...] = ("10", "9", "7", "8", "6")
RULED: dict[str, Observation] = {
    "keep": HoldsLifted(*SIGNED, codes=None),
    "strike": Strike(1, None, *SIGNED),
    "burn": Strike(1, None, *SIGNED, burn=True),
    "move": Move(1, None, "box", 1, 1, *SIGNED),
    "correct": Correct(1, None, "9", "h", *SIGNED),
    "amend": AmendStake(1, 0, 500, *SIGNED),
    "swap": Swap(HandName(1, 1), HandName(2, 1), *SIGNED),
    "void_box": Void(1, *SIGNED),
    "void_round": Void(None, *SIGNED),
}
"""A ruling of each way that is about the first card, at box 1."""

OF_SHOE_OR_PAYOUT = {"draw", "shoe", "shoe_end", "shoe_void", "shuffle", "paid"}
"""The ways that other holds have: `tests/feeds/faults` ends each."""


def test_each_way_has_its_ruling_here() -> None:
    """A new way gets a ruling in `RULED`: the tests below show that it ends every hold that has the way."""
    assert set(WAYS) == RULED.keys() | OF_SHOE_OR_PAYOUT


BY_RULING = [code for code, kind in HOLD_KINDS.items() if kind.ends in ("ruling", "card", "camera")]


def dealt(house: House) -> TableRun:
    run = new_run(house, FILE.rules)
    cards = [CardSeen(rank) for rank in DEALT]
    told: tuple[Observation, ...] = (Bet(1, 0, 400), Bet(2, 0, 400), Close(), *cards)
    for at, observation in enumerate(told, 1):
        by = Person("shoe") if isinstance(observation, CardSeen) else Person("dealer", "D1")
        run = decide(house, run, TableLine(observation, by, at, 1000 * at)).run
    return run


def test_a_hold_that_only_an_earlier_version_knows_ends_by_a_ruling_on_it() -> None:
    """Of a code of today mypy knows that it has a record; a journal may hold one of an earlier version."""
    house = House(FILE.irregularities)
    run = dealt(house)
    unknown = Hold("CARD_BENT", "pit", ("strike",), (), run.state.book.number, card=1, box=1)
    told = TableLine(RULED["strike"], PIT, 20, 20_000)
    assert "CARD_BENT" not in [hold.code for hold in decide(house, with_hold(run, unknown), told).run.holds]
    beside = TableLine(RULED["void_box"], PIT, 20, 20_000)
    assert "CARD_BENT" in [hold.code for hold in decide(house, with_hold(run, unknown), beside).run.holds]


@pytest.mark.parametrize("way", RULED)
@pytest.mark.parametrize("code", BY_RULING)
def test_a_ruling_ends_a_hold_of_which_the_table_shows_nothing(code: str, way: str) -> None:
    """Where the rules take the ruling: no house's way out is accepted and leaves the table waiting."""
    irregularity = Irregularity("pit", (way,))  # type: ignore[arg-type]  # a way by its name
    house = House({**FILE.irregularities, **{code: irregularity}})  # type: ignore[dict-item]  # likewise
    run = dealt(house)
    hold = Hold(code, "pit", irregularity.ways, (("box", 1),), run.state.book.number, card=1, box=1)
    assert not is_looked_at(hold)
    after = decide(house, with_hold(run, hold), TableLine(RULED[way], PIT, 20, 20_000, "pit:P2"))
    assert code not in [left.code for left in after.run.holds], after.effects


NAMED: dict[str, str] = {
    "strike": "card:1",
    "burn": "card:1",
    "move": "card:1",
    "correct": "card:1",
    "amend": "box:1",
    "swap": "box:1",
    "void_box": "box:1",
    "void_round": "round",
}
"""What each ruling of `RULED` names, in the page's words."""


@pytest.mark.parametrize("code", HOLD_KINDS)
def test_the_page_asks_two_people_where_the_table_does(code: str) -> None:
    """What the page is told that a hold is about, and what is refused without a second person, agree."""
    house = House({**FILE.irregularities, **{code: Irregularity("two", WAYS)}})  # type: ignore[dict-item]  # a code
    run = dealt(house)
    for card, box in [(1, 1), (2, 2), (3, 1), (0, 0)]:
        place = (("box", box), ("seat", 0))
        hold = Hold(code, "two", WAYS, place, run.state.book.number, card=card, box=box)
        words = subjects_of(run.state, hold)
        for way, subject in NAMED.items():
            told = decide(house, with_hold(run, hold), TableLine(RULED[way], PIT, 20, 20_000))
            refused = any(isinstance(one, Refusal) and one.code == "SECOND_NEEDED" for one in told.effects)
            named = {subject, "box:2"} if way == "swap" else {subject}
            assert refused == bool(named & set(words)), (card, box, way, words, told.effects)


def test_a_stake_outside_the_limits_that_is_put_right_holds_no_more() -> None:
    house = House(FILE.irregularities)
    run = dealt(house)
    wrong = TableLine(AmendStake(1, 0, 1, *SIGNED), PIT, 20, 20_000)
    limited = decide(house, run, wrong)
    codes = [hold.code for hold in limited.run.holds]
    right = decide(house, limited.run, TableLine(AmendStake(1, 0, 400, *SIGNED), PIT, 21, 21_000)).run
    assert [hold.code for hold in right.holds if hold.code in codes] == []
