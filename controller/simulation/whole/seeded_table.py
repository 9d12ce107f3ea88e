"""A whole table on the seeded disk and wire: opened as `run` opens it, ended at any moment, opened again."""

from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from controller.config.model import ShoeSection
from controller.devices.shoes.shoe_reader import shoe_reader
from controller.domain.errors import JournalError
from controller.journal.keeping.heads import HeadKeeping
from controller.journal.store import Journal, JournalReader
from controller.ports import Clock, Health, Report
from controller.runtime.api import Accepted, Command, CommandAnswer
from controller.runtime.checkpoint.keeper import CheckpointKeeper
from controller.runtime.door.door import TableDoor
from controller.runtime.door.items import Item, SubmittedCommand
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.restore import restore
from controller.simulation.whole.broken import require
from controller.simulation.whole.disk import DiskFault, PowerLost, SeededDisk
from controller.simulation.whole.invariants import check_restart, check_step
from controller.simulation.whole.screen_text import view_of
from controller.simulation.whole.seeded_clock import SeededClock
from controller.simulation.whole.seeded_wire import PORT, SeededWire
from controller.simulation.whole.twin import Twin
from drivers.shoe.driver import SerialShoe

NOTES: Final = 6
"""Notes of the head that a power cut may leave: they are written and not synced."""


class OpenTable(NamedTuple):
    """A table that has come up, with what goes on behind its back."""

    door: TableDoor
    journal: Journal
    heads: HeadKeeping
    keeper: CheckpointKeeper


TableOpening = Callable[[Clock, Callable[[], tuple[Health, ...]]], OpenTable]
"""Opens the table as `run` does, by this clock and with these devices."""


class SeededTable:
    """One table. `figures` counts what was done to it, by kind."""

    def __init__(self, path: Path, opening: TableOpening, wire: SeededWire, chance: Random) -> None:
        """Nothing is open yet; `path` is the journal."""
        self._path, self._opening, self._wire, self._chance = path, opening, wire, chance
        self.clock = SeededClock()
        self.figures = Counter[str]()
        self._disk: SeededDisk | None = None
        self._reports: deque[Report] = deque()
        self._notes: deque[bytes] = deque(maxlen=NOTES)
        self._sessions = 0
        self._answers: list[tuple[Command, CommandAnswer]] = []
        self.twin: Twin | None = None
        self.shown: Ledger | None = None
        """What the screens last drew."""

    @property
    def ledger(self) -> Ledger:
        """The table as it is shown."""
        return self.open_table.door.ledger

    def open(self, disk: SeededDisk) -> None:
        """Come up, and find the shoe."""
        self._disk = disk
        self._sessions += 1
        section = ShoeSection(port=PORT)
        session = f"s{self._sessions}"
        self.driver: SerialShoe = shoe_reader(
            section, self.clock, session, self._reports.append, connect=self._wire.open
        )
        self.open_table = self._opening(self.clock, lambda: (self.driver.health(),))
        table = self.open_table
        table.heads.open((), self._reports.append, table.door.ledger.state.book.number)
        self._turn = self.driver.open_by_turns()
        self.shown = table.door.ledger

    def looked_at(self) -> None:
        """Something is being written: nothing of it may be shown or answered yet."""
        if not hasattr(self, "open_table"):
            return
        door, durable = self.open_table.door, self.open_table.journal.head().seq
        shown = door.hub.latest().seq
        require(shown <= durable, "SHOWN_BEFORE_COMMIT", f"entry {shown} is shown, {durable} is written")
        early = [
            answer for _, answer in self._answers if isinstance(answer, Accepted) and answer.seq > durable
        ]
        require(not early, "ANSWERED_BEFORE_COMMIT", f"{early}, {durable} is written")

    def hear(self) -> None:
        """Let the driver take what is on the line, and the table what the driver says of it."""
        for _ in range(3):
            self._turn()
            while self._wire.waits and self._wire.plugged:
                self._turn()
        while self._reports:
            count = self._chance.randint(1, len(self._reports))
            self.take(*[self._reports.popleft() for _ in range(count)])

    def ask(self, command: Command) -> CommandAnswer:
        """Have a person ask for something."""
        return self.take(SubmittedCommand(command, partial(self._answered, command)))[0]

    def take(self, *items: Item) -> list[CommandAnswer]:
        """Give the table what has come, and check what has become of it."""
        door, before = self.open_table.door, self.ledger
        self._answers = []
        more: tuple[Item, ...] = items
        while more:
            more = door.take(*more)
        answers, self._answers = self._answers, []
        self._check_durable(before)
        check_step(before, items, answers, door.ledger)
        self.shown = door.ledger
        view_of(door)
        self.open_table.keeper.keep_now()
        said = [answer for _, answer in answers]
        if self.twin is not None and not self.twin.follow(items, said, door):
            self.drop_twin()
        return said

    def begin_twin(self) -> None:
        """Have a twin go along, whose next card is another one, unless the disk is about to fail."""
        if self._disk is None or self._disk.armed is not None:
            return
        self.twin = Twin(self._path, self.ledger, self.clock, self._chance)
        self.figures["twin"] += 1

    def drop_twin(self) -> None:
        """Go on alone."""
        if self.twin is not None:
            self.twin.close()
            self.twin = None

    def come_back(self, fault: DiskFault) -> None:
        """The program has ended without warning; open it again, and compare with what was shown."""
        disk, shown = self._disk, self.shown
        assert disk is not None
        assert shown is not None, "ended before it came up"
        self._end(disk, fault)
        self.figures[fault] += 1
        folded, again = _folded(self._path, shown.seq)
        self.open(disk)
        check_restart(shown, folded, again, self.ledger)

    def close(self) -> None:
        """End as `run` does when it is told to."""
        self.drop_twin()
        table = self.open_table
        self.driver.close()
        table.door.close([*self._reports], 0)
        table.heads.close(table.door.ledger.state.book.number)
        table.keeper.offer(table.door.ledger, table.journal.head())
        table.keeper.keep_now()
        table.keeper.end()
        table.journal.close()

    def _answered(self, command: Command, answer: CommandAnswer) -> None:
        self._answers.append((command, answer))

    def _check_durable(self, before: Ledger) -> None:
        disk, table = self._disk, self.open_table
        assert disk is not None
        hub, head = table.door.hub.latest(), table.journal.head()
        require(hub.seq == table.door.ledger.seq, "NOT_SHOWN", f"{hub.seq}, {table.door.ledger.seq}")
        require(hub.seq <= head.seq, "SHOWN_BEFORE_COMMIT", f"entry {hub.seq} of {head.seq}")
        require(hub.seq == head.seq, "WRITTEN_NOT_SHOWN", f"entry {head.seq} is written, {hub.seq} is shown")
        require(table.door.ledger.seq >= before.seq, "WENT_BACK", f"{before.seq}")
        if table.door.ledger.seq > before.seq:
            left = disk.unsynced(self._path)
            require(not left, "SHOWN_NOT_SYNCED", f"entry {hub.seq} is shown, {left} writes are not synced")
        self._notes.append(Path(f"{self._path}.head").read_bytes())

    def _end(self, disk: SeededDisk, fault: DiskFault) -> None:
        """Let go of everything without a word, as a process that is gone has."""
        disk.lose_power()
        self.drop_twin()
        beside = {name: Path(f"{self._path}{name}") for name in ("-shm", ".head")}
        left = {name: file.read_bytes() for name, file in beside.items() if file.exists()}
        self._reports.clear()
        self._answers = []
        with suppress(PowerLost, JournalError):
            self.driver.close()
            self._reports.clear()
            self.open_table.keeper.end()
            self.open_table.journal.close()
        del self.open_table
        for name, data in left.items():
            beside[name].write_bytes(data)
        if fault == "cut" and self._notes:
            note = self._chance.choice([*self._notes])
            beside[".head"].write_bytes(note)
            self.figures["note lost"] += note != self._notes[-1]
        disk.come_back(fault, self._chance)


def _folded(path: Path, seq: int) -> tuple[Ledger, Ledger]:
    """Fold the journal from its first entry: up to an entry, and all of it."""
    reader = JournalReader(path)
    try:
        entries = list(reader.read())
    finally:
        reader.close()
    folded = restore(entries[:seq])
    again = restore(entries) if len(entries) > seq else folded
    assert folded is not None, "no journal was written"
    assert again is not None, "no journal was written"
    return folded, again
