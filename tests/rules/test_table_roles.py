"""The table of roles and acts, cell by cell: who may ever tell what."""

from pathlib import Path
from typing import get_args

import pytest

from controller.acts.catalogue import (
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Correct,
    Credit,
    CutCard,
    DealerSeated,
    Decision,
    DeviceSeen,
    Drop,
    End,
    EvenMoney,
    Exposed,
    Fill,
    FloatCounted,
    Freeze,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Leave,
    Limits,
    Message,
    Move,
    Note,
    Observation,
    Paid,
    Peek,
    Rated,
    RestCard,
    RestCounting,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
    SlipVoided,
    Strike,
    Swap,
    TableDay,
    Void,
)
from controller.acts.rulings import HandName
from controller.engine.state import new_table
from controller.policy import Person, TableLine, TableRun
from controller.policy.allowed import answer_to
from controller.rules import load_file

DEALER, PIT = Person("dealer", "D1"), Person("pit", "P1")
SHOE, CAMERA, CHIPS = Person("shoe"), Person("camera", "left"), Person("chips", "pad")
RULES = load_file("spielbank", Path()).rules

EVERYBODY = (
    CardSeen("9"),
    CutCard(),
    DeviceSeen("shoe", "live"),
    Exposed("dealer"),
    Peek(blackjack=False),
    Reveal(),
    Paid(1, 0, 400),
    Note("the guest at box 1 protests"),
)
PEOPLE = (
    ShoeLoaded(6),
    Bet(1, 0, 400),
    Close(),
    Decision(1, 1, "stand"),
    Insurance(1, 0, 200),
    EvenMoney(1, 0),
    InsuranceClosed(),
    End(),
    Leave(1, 0),
    Chips(1, 4000),
    Bank(1),
    ShoeShuffled("discards"),
    ShoeEnded(),
    RestCounting("begin"),
    TableDay("open"),
    DealerSeated("D1", "in"),
    Drop(1000),
    HoldsLifted("", "nothing of the pit's holds"),
)
THE_PIT = (
    Correct(1, None, "9", None, "", "seen"),
    Strike(1, None, "", "seen"),
    Move(1, None, "dealer", None, None, "", "seen"),
    Void(None, "", "seen"),
    AmendStake(1, 0, 400, "", "seen"),
    AmendDecision(1, 1, 1, None, "", "seen"),
    AmendInsurance(1, 0, 0, "", "seen"),
    AmendEvenMoney(1, 0, taken=True, by="", reason="seen"),
    AmendPeek(blackjack=False, by="", reason="seen"),
    AmendReveal("", "seen"),
    AmendClose("", "seen"),
    Swap(HandName(1, 1), HandName(2, 1), "", "seen"),
    ShoeVoided("", "seen"),
    RestCard("A", "h", out=True),
    Limits(0, 0, 0),
    FloatCounted("check", 100),
    Fill("F1", 100),
    Credit("C1", 100),
    SlipVoided("credit", "C1", "", "seen"),
    Paid(1, 0, 400, round=1),
    Freeze("", "seen"),
    Message("the guest at box 1 is paid by the cage"),
    Rated(1, 0, "QWERTY23"),
)


CHIP_SOURCES = (
    ChipReading("stake", 1, 0, 400),
    Paid(1, 0, 400, round=1, how="measured"),
    DeviceSeen("pad", "live"),
)


def _may(person: Person, observation: Observation) -> bool:
    return answer_to(TableRun(new_table(RULES)), TableLine(observation, person, 1)) != "no"


def test_every_observation_has_its_row() -> None:
    rows = {type(told) for told in (*EVERYBODY, *PEOPLE, *THE_PIT, *CHIP_SOURCES)}
    assert rows == set(get_args(Observation))


@pytest.mark.parametrize("told", EVERYBODY, ids=lambda told: type(told).__name__)
def test_what_has_happened_anybody_tells(told: Observation) -> None:
    assert [_may(person, told) for person in (DEALER, PIT, SHOE, CAMERA)] == [True] * 4


@pytest.mark.parametrize("told", PEOPLE, ids=lambda told: type(told).__name__)
def test_what_people_do_no_device_tells(told: Observation) -> None:
    assert [_may(person, told) for person in (DEALER, PIT, SHOE, CAMERA)] == [True, True, False, False]


@pytest.mark.parametrize("told", THE_PIT, ids=lambda told: type(told).__name__)
def test_what_is_the_pits_no_dealer_tells(told: Observation) -> None:
    assert [_may(person, told) for person in (DEALER, PIT, SHOE, CAMERA)] == [False, True, False, False]


@pytest.mark.parametrize("told", CHIP_SOURCES, ids=lambda told: type(told).__name__)
def test_what_a_chip_source_sees_it_tells(told: Observation) -> None:
    assert _may(CHIPS, told)


def test_nobody_else_says_that_chips_were_measured() -> None:
    reading, measured = ChipReading("payout", 1, 0, 400), Paid(1, 0, 400, how="measured")
    assert [_may(person, reading) for person in (DEALER, PIT, SHOE, CAMERA)] == [False] * 4
    assert [_may(person, measured) for person in (DEALER, PIT, SHOE, CAMERA)] == [False, False, True, True]
    others = [
        told for told in (*EVERYBODY, *PEOPLE, *THE_PIT) if not isinstance(told, Paid | DeviceSeen | Note)
    ]
    assert not any(_may(CHIPS, told) for told in others)
