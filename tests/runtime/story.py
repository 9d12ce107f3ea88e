"""A table's day as a journal in memory."""

import random
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, cast

from deal import deal_shoe

from controller.acts.catalogue import CardSeen, End, Observation, RestCounting, Void
from controller.engine.settle import is_final
from controller.feed.codec import parse
from controller.journal.entry import GENESIS, BadEntry, Entry, NewEntry, digest
from controller.policy import DEFAULT_OPTIONS, House
from controller.ports import Report, SystemClock, Trouble
from controller.rules import load_file
from controller.runtime.api import AlertStep, CallPit, Command, Observe, Resume, TableAction
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.ledger import dealt_rules, open_ledger
from controller.runtime.restore import Identity, opened_entry
from tests.runtime.test_hole_card_property import rulings

ROUNDS: Final = 8


class MemoryJournal:
    """Entries in a list, chained as on a disk."""

    def __init__(self, first: NewEntry) -> None:
        self.entries: list[Entry] = []
        self.append([first], 1)

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        before = len(self.entries)
        for new in entries:
            previous = self.entries[-1].hash if self.entries else GENESIS
            entry = Entry(
                seq=len(self.entries) + 1,
                kind=new.kind,
                version=new.version,
                at_utc_us=at_utc_us or 0,
                round_id=new.round_id,
                actor=new.actor,
                caused_by=new.caused_by,
                body=new.body,
                prev_hash=previous,
                hash=GENESIS,
            )
            self.entries.append(entry._replace(hash=digest(entry)))
        return tuple(self.entries[before:])

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        return iter(self.entries[from_seq - 1 :])


class Story:
    """Rounds of some shoes, with rulings, holds, alerts and devices by chance in between."""

    def __init__(self, name: str, seed: int) -> None:
        file, self.chance = load_file(name, Path()), random.Random(seed)
        # The cards come as fast as the machine deals them, which a house would ask about at each hand.
        house = House(file.irregularities, DEFAULT_OPTIONS._replace(card_gap_ms=0))
        self.journal = MemoryJournal(opened_entry(Identity("T1", file.rules, "EUR", house)))
        self.door = TableDoor(self.journal, open_ledger(self.journal.entries[0]), SystemClock(), mode="live")
        self.numbers = iter(range(1, 100_000))
        for told in (RestCounting("begin"), CardSeen("A", "s"), CardSeen("9", "h"), RestCounting("cancel")):
            self.tell(told)
        plain = cast("Any", dealt_rules(file.rules, house)._asdict())
        shoes = chain.from_iterable(deal_shoe(plain, seed + more) for more in range(ROUNDS))
        for number, dealt in enumerate(islice(shoes, ROUNDS)):
            for line in dealt.lines:
                self.tell(parse(line))
                self.go_wrong(ruled=number % 3 == 2)
            self.end()

    def ask(self, action: TableAction) -> None:
        command = Command(f"c{next(self.numbers)}", "p7", "pit", None, action, meaning=f"{action}")
        self.door.take(SubmittedCommand(command, lambda _answer: None))

    def tell(self, told: Observation) -> None:
        if isinstance(told, CardSeen):
            self.door.take(Report("shoe", 0, (told,)))
        else:
            self.ask(Observe(told))

    def go_wrong(self, *, ruled: bool) -> None:
        chance, ledger = self.chance, self.door.ledger
        if ruled and chance.random() < 0.1:
            self.ask(Observe(chance.choice(rulings(chance))))
        if chance.random() < 0.04:
            params = (("name", "rack"), ("counted", chance.randint(1, 9)), ("expected", 0))
            self.door.take(Report("rack", 0, (), (Trouble("RACK_DIFFERS", params, hold=False),)))
        if chance.random() < 0.03 and ledger.alerts:
            step = chance.choice(("ack", "assign", "resolve"))
            self.ask(AlertStep(chance.choice(ledger.alerts).alert, cast("Any", step), "x"))
        if chance.random() < 0.03:
            self.ask(CallPit("é\N{SNOWMAN}"))
        if self.door.ledger.holds and chance.random() < 0.7:
            self.ask(Resume())

    def end(self) -> None:
        if not is_final(self.door.ledger.state.settlement.status):
            self.ask(Observe(Void(None, "p7", "nobody knows any more")))
        self.ask(Resume())
        self.ask(Observe(End()))
