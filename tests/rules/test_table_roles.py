"""The table of roles and acts, cell by cell: who may ever tell what."""

from pathlib import Path
from typing import get_args

import pytest

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.domain.observations import Observation
from controller.engine.state import new_table
from controller.policy import Person, TableLine, TableRun
from controller.policy.allowed.roles import answer_to
from controller.rules import load_file

DEALER, PIT = Person("dealer", "D1"), Person("pit", "P1")
SHOE, CAMERA, CHIPS = Person("shoe"), Person("camera", "left"), Person("chips", "pad")
RULES = load_file("spielbank", Path()).rules

EVERYBODY = (
    obs.CardSeen("9"),
    obs.CutCard(),
    obs.DeviceSeen("shoe", "live"),
    obs.Exposed("dealer"),
    obs.Peek(blackjack=False),
    obs.Reveal(),
    obs.Paid(1, 0, 400),
    events.Note("the guest at box 1 protests"),
)
PEOPLE = (
    obs.ShoeLoaded(6),
    obs.Bet(1, 0, 400),
    obs.Close(),
    obs.Decision(1, 1, "stand"),
    obs.Insurance(1, 0, 200),
    obs.EvenMoney(1, 0),
    obs.InsuranceClosed(),
    obs.End(),
    obs.Leave(1, 0),
    obs.Chips(1, 4000),
    obs.Bank(1),
    events.ShoeShuffled("discards"),
    events.ShoeEnded(),
    events.RestCounting("begin"),
    events.TableDay("open"),
    events.DealerSeated("D1", "in"),
    events.Drop(1000),
    events.HoldsLifted("", "nothing of the pit's holds"),
)
THE_PIT = (
    obs.Correct(1, None, "9", None, "", "seen"),
    obs.Strike(1, None, "", "seen"),
    obs.Move(1, None, "dealer", None, None, "", "seen"),
    obs.Void(None, "", "seen"),
    obs.AmendStake(1, 0, 400, "", "seen"),
    obs.AmendDecision(1, 1, 1, None, "", "seen"),
    obs.AmendInsurance(1, 0, 0, "", "seen"),
    obs.AmendEvenMoney(1, 0, taken=True, by="", reason="seen"),
    obs.AmendPeek(blackjack=False, by="", reason="seen"),
    obs.AmendReveal("", "seen"),
    obs.AmendClose("", "seen"),
    obs.Swap(obs.HandName(1, 1), obs.HandName(2, 1), "", "seen"),
    events.ShoeVoided("", "seen"),
    events.RestCard("A", "h", out=True),
    events.Limits(0, 0, 0),
    events.FloatCounted("check", 100),
    events.Fill("F1", 100),
    events.Credit("C1", 100),
    events.SlipVoided("credit", "C1", "", "seen"),
    obs.Paid(1, 0, 400, round=1),
    events.Freeze("", "seen"),
    events.Message("the guest at box 1 is paid by the cage"),
    events.Rated(1, 0, "QWERTY23"),
)


CHIP_SOURCES = (
    obs.ChipReading("stake", 1, 0, 400),
    obs.Paid(1, 0, 400, round=1, how="measured"),
    obs.DeviceSeen("pad", "live"),
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
    reading, measured = obs.ChipReading("payout", 1, 0, 400), obs.Paid(1, 0, 400, how="measured")
    assert [_may(person, reading) for person in (DEALER, PIT, SHOE, CAMERA)] == [False] * 4
    assert [_may(person, measured) for person in (DEALER, PIT, SHOE, CAMERA)] == [False, False, True, True]
    others = [
        told
        for told in (*EVERYBODY, *PEOPLE, *THE_PIT)
        if not isinstance(told, obs.Paid | obs.DeviceSeen | events.Note)
    ]
    assert not any(_may(CHIPS, told) for told in others)
