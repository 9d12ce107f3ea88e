"""The table of permissions, cell by cell, at the two doors that ask it: for lines, and the live table's."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, get_args

import pytest

from controller.acts.catalogue import (
    ACTS,
    AmendDecision,
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
    SlipVoided,
    TableDay,
    Void,
)
from controller.acts.declaring import FREE, Act, Situation
from controller.domain import Rank
from controller.engine.state import new_table
from controller.journal.store import Journal
from controller.people.sign_in import SignedOut
from controller.policy import House, Person, TableLine, TableRun, decide
from controller.policy.allowed import PERMISSIONS, allowed
from controller.policy.holds import (
    ASKED,
    COUNT_DUE,
    HOLE_ASKED,
    INSURANCE_ASKED,
    STAKE_ASKED,
    UNREAD,
    Hold,
)
from controller.policy.line import KeptCard, TableOptions, TableRole
from controller.policy.run import REST_EXTRA, REST_UNREAD, Refusal
from controller.ports import SystemClock
from controller.rules import load_file
from controller.runtime import api
from controller.runtime.api import (
    AlertStep,
    BoxHandled,
    CallPit,
    Command,
    DeviceOrder,
    NameCard,
    Observe,
)
from controller.runtime.decide import decide as decide_command
from controller.runtime.draft import Draft
from controller.runtime.ledger import Ledger, own_hold
from controller.runtime.restore import Identity, start
from tests.runtime.permissions_page import page

FILE: Final = load_file("nl", Path())
HOUSE: Final = House(FILE.irregularities, TableOptions(card_gap_ms=0))
BY: Final = ("7", "SEEN")

STAKE: Final = Bet(1, 0, 1000)
DEALT: Final[tuple[Rank, ...]] = ("10", "9", "7", "8", "5", "6")
SETTLING: Final[tuple[Rank, ...]] = ("10", "7", "K", "J")

ROUND: Final[dict[Situation, tuple[Observation, ...]]] = {
    Situation.NO_ROUND: (),
    Situation.BETTING: (STAKE,),
    Situation.DEALING: (
        STAKE,
        Bet(2, 0, 1000),
        Close(),
        *(CardSeen(rank, "s") for rank in DEALT),
        Decision(1, 1, "stand"),
    ),
    Situation.SETTLED: (
        STAKE,
        Close(),
        *(CardSeen(rank, "s") for rank in SETTLING),
        Decision(1, 1, "stand"),
        Reveal(),
    ),
    Situation.DAY_CLOSED: (TableDay("closed"),),
}
"""What has been told when something is tried; the settled round ends with the turned card."""

UNREAD_ROUND: Final = (STAKE, Close(), CardSeen(None, face="up"))
"""A round in which a dealer has a rank to name, in place of the dealt one."""

SIMPLE: Final[dict[Act, Observation]] = {
    Act.SHOE: ShoeLoaded(6),
    Act.SHUFFLE: ShoeShuffled("all"),
    Act.SHOE_END: ShoeEnded(),
    Act.REST_COUNT: RestCounting("begin"),
    Act.REST_CANCEL: RestCounting("cancel"),
    Act.REST_CARD: RestCard("A", "h", out=True),
    Act.CLOSE: Close(),
    Act.CARD: CardSeen("4", "d"),
    Act.DECISION: Decision(2, 1, "stand"),
    Act.INSURANCE: Insurance(1, 0, 500),
    Act.EVEN_MONEY: EvenMoney(1, 0),
    Act.INSURANCE_CLOSED: InsuranceClosed(),
    Act.PEEK: Peek(blackjack=False),
    Act.REVEAL: Reveal(),
    Act.CUT_CARD: CutCard(),
    Act.EXPOSED: Exposed("dealer"),
    Act.LEAVE: Leave(1, 0),
    Act.PAID: Paid(1, 0, 1000),
    Act.PAID_LATE: Paid(1, 0, 1000, round=1),
    Act.PAID_MEASURED: Paid(1, 0, 1000, how="measured"),
    Act.PAID_LATE_MEASURED: Paid(1, 0, 1000, round=1, how="measured"),
    Act.CHIP_READING: ChipReading("stake", 1, 0, 1000),
    Act.END: End(),
    Act.CHIPS: Chips(1, 5000),
    Act.BANK: Bank(1),
    Act.DEVICE: DeviceSeen("shoe", "live"),
    Act.RULING: Void(None, *BY),
    Act.LIMITS: Limits(0, 0, 0, "7"),
    Act.COUNT: FloatCounted("check", 100, None, "7"),
    Act.FILL: Fill("F1", 100, None, "7"),
    Act.CREDIT: Credit("C1", 100, None, "7"),
    Act.SLIP_VOID: SlipVoided("fill", "F1", *BY),
    Act.DROP: Drop(1000),
    Act.TABLE: TableDay("open", "7"),
    Act.DEALER: DealerSeated("7", "in"),
    Act.NOTE: Note("the guest at box 1 protests", None, "7"),
    Act.MESSAGE: Message("box 1 is paid by the cage", "7"),
    Act.RATING: Rated(1, 0, "QWERTY23", "7"),
    Act.FREEZE: Freeze(*BY),
    Act.RESUME: HoldsLifted(*BY),
}
COMMANDS: Final[dict[Act, api.Action]] = {
    Act.CARD_AT_SCREEN: Observe(SIMPLE[Act.CARD]),
    Act.DEVICE_AT_SCREEN: Observe(SIMPLE[Act.DEVICE]),
    Act.RESUME_AT_SCREEN: Observe(SIMPLE[Act.RESUME]),
    Act.RESUME: api.Resume(),
    Act.RESUME_WITHOUT: api.Resume(("shoe",)),
    Act.RESUME_WITHOUT_WITNESS: api.Resume(("overhead",)),
    Act.CALL_PIT: CallPit("x"),
    Act.HANDLED: BoxHandled(1, 1),
    Act.ALERT_SEEN: AlertStep(1, "ack"),
    Act.ALERT: AlertStep(1, "resolve"),
    Act.ORDER: DeviceOrder("shoe", "lock", "x"),
    Act.NAME: NameCard("c", 1, None, "8h", "3d", "3d", "x"),
    Act.STAFF_NOTE: SignedOut("7", "dealer"),
}
OF_THE_SCREENS: Final = {Act.EDITING, Act.AUTOPLAY, Act.DRAW, Act.AUDIT}
"""What no door of the table sees; the screens' tests walk it."""

EXAMPLES: Final[dict[Act, Observation]] = {
    **SIMPLE,
    Act.BET: STAKE,
    Act.BET_LATE: STAKE,
    Act.NAME_RANK: Correct(1, None, "9", "s", *BY),
    Act.UNDO: AmendDecision(1, 1, 1, None, *BY),
}

RELEASES: Final = {
    Situation.HELD_DEALER: Hold("DEVICE_LOST", "dealer", ("keep",), (("name", "shoe"),), 1),
    Situation.HELD_PIT: Hold("ROUND_DISPUTED", "pit", ("keep", "void_round"), (), 1),
    Situation.HELD_TWO: Hold("ROUND_DISPUTED", "two", ("keep", "void_round"), (), 1),
}
ANSWERED: Final = {
    Act.BET: Hold(STAKE_ASKED, "dealer", ("keep",), (("seat", 0),), 1, box=1),
    Act.BET_LATE: Hold(STAKE_ASKED, "dealer", ("keep",), (("seat", 0),), 1, box=1),
    Act.DECISION: Hold(ASKED, "dealer", (), (("box", 2), ("hand", 1)), 1),
    Act.INSURANCE: Hold(INSURANCE_ASKED, "dealer", (), (), 1),
    Act.EVEN_MONEY: Hold(INSURANCE_ASKED, "dealer", (), (), 1),
    Act.INSURANCE_CLOSED: Hold(INSURANCE_ASKED, "dealer", (), (), 1),
    Act.REVEAL: Hold(HOLE_ASKED, "dealer", ("correct",), (), 1),
    Act.NAME_RANK: Hold(UNREAD, "dealer", ("correct",), (), 1, card=1),
    Act.REST_CANCEL: Hold(REST_UNREAD, "dealer", ("keep",), (), 1),
    Act.SHOE: Hold("SHOE_DUE", "pit", ("shoe",), (), 1),
    Act.SHUFFLE: Hold("SHUFFLE_DUE", "pit", ("shoe",), (), 1),
}
"""For each act that answers a question: the hold that asks it."""


def cases() -> Iterator[tuple[Act, Situation, tuple[Observation, ...], Hold | None, Observation]]:
    """Every act that is an observation, in every situation in which there can be one."""
    for act, observation in EXAMPLES.items():
        for situation in Situation:
            asks = ANSWERED.get(act) if situation == Situation.ANSWERING else RELEASES.get(situation)
            if situation in FREE or asks is not None:
                base = base_of(act, situation)
                if base is not None:
                    yield act, situation, base, asks, observation


def base_of(act: Act, situation: Situation) -> tuple[Observation, ...] | None:
    """What has been told before such an act; None where there is none in this situation."""
    free = situation in FREE
    if act in (Act.NAME_RANK, Act.UNDO):
        own = UNREAD_ROUND if act == Act.NAME_RANK else ROUND[Situation.DEALING]
        return None if free and situation != Situation.DEALING else own
    if act == Act.BET and not free:
        return ROUND[Situation.BETTING]
    late = situation in (Situation.DEALING, Situation.SETTLED)
    if free and act == (Act.BET if late else Act.BET_LATE):
        return None
    return ROUND.get(situation, ROUND[Situation.DEALING])


def told(run: TableRun, by: Person, observation: Observation) -> tuple[TableRun, str]:
    """The table after a line, and the code with which it was refused."""
    outcome = decide(HOUSE, run, TableLine(observation, by, 1))
    codes = [effect.code for effect in outcome.effects if isinstance(effect, Refusal)]
    return outcome.run, codes[0] if codes else ""


def agrees(answer: str, code: str) -> bool:
    refusals = {"no": "NOT_ALLOWED", "held": "TABLE_HELD"}
    return code == refusals[answer] if answer in refusals else code not in refusals.values()


def run_after(facts: tuple[Observation, ...], *holds: Hold) -> TableRun:
    """A table of which this was told, held by these."""
    run = TableRun(new_table(FILE.rules))
    for fact in facts:
        run, refused = told(run, Person("pit", "7"), fact)
        assert refused == "", fact
    assert run.holds == () or facts is UNREAD_ROUND
    # What is asked is asked about a card that waits.
    asked = any(hold.code == ASKED for hold in holds)
    kept = (KeptCard(CardSeen("4", "d"), Person("shoe"), 1),) if asked else ()
    return replace(run, holds=holds, kept=kept)


@pytest.mark.parametrize("situation", [one for one in Situation if one != Situation.HELD_ADMINISTRATOR])
def test_every_line_is_answered_as_its_cell_says(situation: Situation) -> None:
    walked = set()
    for act, at, base, hold, observation in cases():
        if at != situation:
            continue
        run = run_after(base, *([hold] if hold is not None else []))
        for role in get_args(TableRole):
            _, code = told(run, Person(role, "7"), observation)
            assert agrees(allowed(role, act, situation), code), (act, role, situation, code)
        walked.add(act)
    assert len(walked) >= (len(ANSWERED) if situation == Situation.ANSWERING else 28), walked


@pytest.mark.parametrize("code", [COUNT_DUE, REST_EXTRA])
def test_a_dealer_gives_up_no_count_over_what_the_pit_has_to_release(code: str) -> None:
    asked, of_the_pit = ANSWERED[Act.REST_CANCEL], Hold(code, "pit", ("keep",), (), 1)
    for holds in ((of_the_pit,), (asked, of_the_pit)):
        run = run_after((), *holds)
        assert told(run, Person("dealer", "7"), SIMPLE[Act.REST_CANCEL])[1] == "TABLE_HELD"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    """A live table's ledger before its first round."""
    journal = Journal.open(tmp_path_factory.mktemp("permissions") / "t.journal", SystemClock())
    ledger = start(journal, Identity("T", FILE.rules, "EUR", HOUSE), "live", "test")
    journal.close()
    return ledger


def held_live(opened: Ledger, run: TableRun, code: str = "") -> Ledger:
    """The live table that stands so; `code` is a hold of the runtime's own."""
    own = [own_hold(code, (), 0, "x")] if code else []
    kept = tuple(one._replace(by=Person("shoe", "device:shoe"), mark=1) for one in run.kept)
    return opened._replace(run=replace(run, holds=(*run.holds, *own), kept=kept))


def commands(situation: Situation) -> Iterator[tuple[Act, TableRun, api.Action]]:
    """Every act as a command of a screen."""
    run = run_after(ROUND.get(situation, ROUND[Situation.DEALING]))
    hold = RELEASES.get(situation)
    for act, action in COMMANDS.items():
        if situation != Situation.ANSWERING:
            yield act, replace(run, holds=() if hold is None else (hold,)), action
    for act, at, base, asks, observation in cases():
        if at == situation and type(observation) not in {type(one.observation) for one in LAID_BY_HAND}:
            yield act, run_after(base, *([asks] if asks is not None else [])), Observe(observation)


LAID_BY_HAND: Final = tuple(one for one in COMMANDS.values() if isinstance(one, Observe))


@pytest.mark.parametrize("situation", Situation)
def test_every_command_is_answered_as_its_cell_says(opened: Ledger, situation: Situation) -> None:
    own = "SOFTWARE_DIFFERS" if situation == Situation.HELD_ADMINISTRATOR else ""
    walked = set()
    for act, run, action in commands(situation):
        ledger = held_live(opened, run, own)
        for role in get_args(api.Role):
            command = Command("", "7", role, None, action)
            orders, dealer_may_miss = frozenset({("shoe", "lock")}), frozenset({"overhead"})
            answer = decide_command(Draft(ledger, 1), command, orders, dealer_may_miss)
            code = answer.code if isinstance(answer, api.Rejected) else ""
            assert agrees(allowed(role, act, situation), code), (act, role, situation, code)
        walked.add(act)
    assert situation == Situation.ANSWERING or walked >= set(COMMANDS)


def test_every_act_is_walked_and_the_page_is_printed_from_the_table() -> None:
    assert {act for act, *_ in cases()} | set(COMMANDS) | OF_THE_SCREENS == set(Act) == set(PERMISSIONS)
    written = (Path(__file__).parents[2] / "docs/permissions.md").read_text(encoding="utf-8")
    assert written == page()


def test_two_holds_that_are_each_the_dealers_are_his_together(opened: Ledger) -> None:
    run = run_after(ROUND[Situation.DEALING], RELEASES[Situation.HELD_DEALER])
    ledger = held_live(opened, run, "RESTARTED")
    answer = decide_command(Draft(ledger, 1), Command("", "7", "dealer", None, api.Resume()))
    assert isinstance(answer, api.Accepted), answer


@pytest.mark.parametrize("shape", ACTS, ids=lambda shape: shape.__name__)
def test_each_act_is_named_by_a_row_of_the_printed_table(shape: type) -> None:
    """An act that shares a row: its name goes into that row's words in `controller.acts.declaring.Act`."""
    about = ACTS[shape]
    assert any(about.name in re.findall(r"\w+", row) for row in about.permits), (about.name, [*about.permits])
