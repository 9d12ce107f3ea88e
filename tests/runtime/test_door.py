"""The table's door without a loop, a thread or a page: what is asked has happened when it returns."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from controller.acts.catalogue import Bet, CardSeen, Decision, Observation
from controller.journal.entry import Entry
from controller.journal.store import Journal
from controller.policy import desk as policy
from controller.ports import Report, Trouble
from controller.runtime import draft
from controller.runtime.api import (
    Accepted,
    AlertStep,
    BoxHandled,
    CallPit,
    Command,
    CommandAnswer,
    Observe,
    Rejected,
    Resume,
)
from controller.runtime.api import Action as TableAction
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand, TableLimits
from controller.runtime.restore import restore, start
from tests.runtime.runtime_kit import DEAL, ENDING, IDENTITY, OPENING

BEGIN_US = 1_795_000_000_000_000


class HandClock:
    """Stands still until the test moves it."""

    def __init__(self) -> None:
        self.ms = 0

    def utc_us(self) -> int:
        return BEGIN_US + self.ms * 1000

    def mono_ns(self) -> int:
        return self.ms * 1_000_000


class Desk:
    """A door on a journal file; every act takes a second of the clock."""

    def __init__(self, path: Path) -> None:
        self.clock = HandClock()
        self.journal = Journal.open(path, self.clock)
        ledger = start(self.journal, IDENTITY, "live", "test")
        self.door = TableDoor(self.journal, ledger, self.clock, mode="live", limits=TableLimits(60_000))
        self.answers: list[CommandAnswer] = []

    def ask(self, action: TableAction) -> CommandAnswer:
        self.clock.ms += 1000
        command = Command(f"press-{self.clock.ms}", "p7", "pit", None, action)
        self.door.take(SubmittedCommand(command, self.answers.append))
        return self.answers[-1]

    def say(self, *observations: Observation) -> None:
        for observation in observations:
            assert isinstance(self.ask(Observe(observation)), Accepted)

    def report(self, *observations: Observation, troubles: tuple[Trouble, ...] = ()) -> None:
        self.clock.ms += 1000
        self.door.take(Report("shoe", self.clock.mono_ns(), observations, troubles))

    def entries(self) -> list[Entry]:
        return [entry for entry in self.journal.read() if isinstance(entry, Entry)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "t.journal")


def test_an_act_is_on_disk_shown_and_answered_when_it_returns(desk: Desk) -> None:
    answer = desk.ask(Observe(Bet(1, 0, 1000)))
    newest = desk.entries()[-1]
    assert answer == Accepted(newest.seq)
    assert (newest.kind, desk.door.hub.latest().seq) == ("fact", newest.seq)
    assert desk.door.hub.latest().state.boxes[0].bets == ((0, 1000),)


def test_entries_bear_the_moment_of_the_decision_on_the_injected_clock(desk: Desk) -> None:
    desk.say(*OPENING)
    desk.report(troubles=(Trouble("SHOE_GAP", (("lost", "1"),)),))
    written = {entry.kind: entry.at_utc_us for entry in desk.entries()}
    assert written["held"] == written["trouble"] == BEGIN_US + 3_000_000
    assert desk.door.ledger.holds[0].since_utc_us == written["held"]
    assert desk.door.ledger.alerts[0].at_utc_us == written["trouble"]


def test_what_was_decided_is_exactly_what_a_restart_reads(desk: Desk) -> None:
    desk.say(*OPENING)
    desk.report(*DEAL[:2])
    desk.ask(CallPit("wait"))
    desk.report(DEAL[2], troubles=(Trouble("SHOE_GAP", (("lost", "1"),)),))
    desk.ask(AlertStep(desk.door.ledger.alerts[0].alert, "assign", "to the pit"))
    desk.ask(Resume())
    desk.report(DEAL[3])
    desk.say(*ENDING)
    desk.ask(BoxHandled(1, 1))
    assert isinstance(desk.ask(BoxHandled(1, 1)), Rejected)
    assert isinstance(desk.ask(Observe(Bet(1, 0, 1))), Rejected)
    assert desk.door.ledger == restore(desk.entries())


def test_a_fact_costs_one_step_of_the_engine_and_its_bytes_are_not_read_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()

    def counting(module: ModuleType, name: str) -> Callable[..., Any]:
        real = getattr(module, name)

        def call(*arguments: Any) -> Any:
            counted[name] += 1
            return real(*arguments)

        return call

    for module, name in ((policy, "step"), (draft, "step"), (draft, "parse"), (draft, "body_of")):
        monkeypatch.setattr(module, name, counting(module, name))
    desk.say(Bet(1, 0, 1000))
    assert counted == {"step": 1}
    desk.report(CardSeen("9", "h", by="shoe"))
    assert counted == {"step": 2}
    assert isinstance(desk.ask(Observe(Decision(1, 1, "hit"))), Rejected)
    assert [entry.kind for entry in desk.entries()][-1] == "refused"
    assert counted["step"] == 3
