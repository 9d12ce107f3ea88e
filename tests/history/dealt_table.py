"""A table that deals by hand at the live table's door, and leaves a journal."""

from pathlib import Path
from typing import Any

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, End, Observation, Reveal, ShoeLoaded
from controller.domain import Rank, Suit
from controller.engine.state import TableState
from controller.journal.store import Journal
from controller.policy import DEFAULT_OPTIONS, House
from controller.ports import Report
from controller.rules import load_file
from controller.runtime.api import Accepted, Command, CommandAnswer, Observe, Resume, Role, TableAction
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand, TableLimits
from controller.runtime.restore import Identity, start
from tests.replay.replay_kit import HandClock

OPTIONS = DEFAULT_OPTIONS._replace(card_gap_ms=0)


class DealtTable:
    """One table of a house; each act takes a second."""

    def __init__(self, path: Path, house: str = "it", *, loads: bool = True, **options: Any) -> None:
        file = load_file(house, Path())
        identity = Identity("T1", file.rules, "EUR", House(file.irregularities, OPTIONS._replace(**options)))
        self.acts: tuple[Role, str] = ("dealer", "d1")
        """Who does what nobody else is named for."""
        self.path, self.clock = path, HandClock()
        self.journal = Journal.open(path, self.clock)
        ledger = start(self.journal, identity, "live", "test")
        limits = TableLimits(journal_slow_ms=60_000)
        self.door = TableDoor(self.journal, ledger, self.clock, mode="live", limits=limits)
        self.number = 0
        if loads:
            self.pit(ShoeLoaded(file.rules.decks))

    @property
    def state(self) -> TableState:
        return self.door.ledger.state

    @property
    def holds(self) -> list[str]:
        return [hold.code for hold in self.door.ledger.holds]

    def ask(self, action: TableAction, role: Role = "dealer", name: str = "d1") -> CommandAnswer:
        self.number += 1
        told: list[CommandAnswer] = []
        command = Command(f"c{self.number}", name, role, None, action, meaning=str(self.number))
        self.take(SubmittedCommand(command, told.append))
        return told[0]

    def say(self, obs: Observation, role: Role | None = None, name: str = "") -> None:
        told = self.ask(Observe(obs), role or self.acts[0], name or self.acts[1])
        assert isinstance(told, Accepted), told

    def pit(self, obs: Observation) -> None:
        self.say(obs, "pit", "p7")

    def resume(self) -> None:
        assert isinstance(self.ask(Resume(), "pit", "p7"), Accepted)

    def cards(self, *ranks: Rank | None) -> None:
        for rank in ranks:
            suit: Suit | None = None if rank is None else "h"
            self.take(Report("shoe", 0, (CardSeen(rank, suit, by="shoe"),)))

    def hole(self, rank: Rank) -> None:
        self.take(Report("shoe", 0, (CardSeen(rank, "s", face="down", by="shoe"),)))

    def take(self, item: Any) -> None:
        self.clock.t += 1.0
        self.door.take(item)

    def bets(self, **stakes: int) -> None:
        for box, stake in stakes.items():
            self.say(Bet(int(box[1:]), 0, stake))
        self.say(Close())

    def deal(self, box: tuple[Rank, Rank] = ("10", "9"), bank: tuple[Rank, Rank] = ("10", "8")) -> None:
        """A stake on box 1 and the cards; the dealer's second one lies face down."""
        self.bets(b1=1000)
        self.cards(box[0], bank[0], box[1])
        self.hole(bank[1])

    def finish(self) -> None:
        self.say(Decision(1, 1, "stand"))
        self.say(Reveal())

    def round(self, *, end: bool = True) -> None:
        """One round of box 1, which wins with 19 against 18."""
        self.deal()
        self.finish()
        if end:
            self.say(End())

    def close(self) -> Path:
        self.journal.close()
        return self.path
