"""A whole table on the seeded disk and wire: opened as `run` opens it, ended at any moment, opened again."""

from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from controller.config.model import ShoeSection
from controller.devices.shoes.shoe_reader import shoe_reader
from controller.domain.errors import JournalError
from controller.journal.entry import trusted
from controller.journal.store import Journal, JournalReader
from controller.ports import Clock, Health, Report, ReportSink
from controller.ports.work import StartWork, Turns, Work
from controller.runtime.api import Accepted, Command, CommandAnswer
from controller.runtime.door.door import TableDoor
from controller.runtime.door.items import Item, SubmittedCommand
from controller.runtime.door.table_task import TableTask
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.restore import restore
from controller.runtime.ledger.unread import follow
from controller.simulation.whole.broken import require
from controller.simulation.whole.disk import DiskFault, PowerLost, SeededDisk
from controller.simulation.whole.invariants import check_restart, check_step
from controller.simulation.whole.seeded_loop import SeededClock, SeededLoop
from controller.simulation.whole.seeded_wire import PORT, SeededWire
from controller.simulation.whole.twin import Twin, view_of
from drivers.shoe.driver import SerialShoe

DRAWN: Final = 0.3
"""Share of the states that are drawn as the screens draw them: that takes a third of a step."""

NOTES: Final = 6
"""Notes of the head that a power cut may leave: they are written and not synced."""


class OpenTable(NamedTuple):
    """A table that has come up, its record, and `open_beside`, which starts what works behind its back.

    `close_beside` ends that in order.
    """

    door: TableDoor
    journal: Journal
    open_beside: Callable[[ReportSink, StartWork], None]
    close_beside: Callable[[], None]


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
        self._shown: Ledger | None = None

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
        self.loop = SeededLoop(self.clock)
        with self.loop.running():
            self.task = TableTask(table.door)
            self._running = self.loop.create_task(self.task.run())
            table.open_beside(self._reports.append, self.loop.start)
            self.driver.open(self._start_device)
        self.loop.run()

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

    def receive(self) -> None:
        """Let the driver take what is on the line, and the table what the driver says of it."""
        for _ in range(3):
            self._device.wake()
            self.loop.run()
            while self._wire.waits and self._wire.plugged:
                self._device.wake()
                self.loop.run()
        while self._reports:
            count = self._chance.randint(1, len(self._reports))
            self.take(*[self._reports.popleft() for _ in range(count)])

    def ask(self, command: Command) -> CommandAnswer:
        """Have a person ask for something."""
        return self.take(SubmittedCommand(command, lambda _: None))[0]

    def take(self, *items: Item) -> list[CommandAnswer]:
        """Give the table what has come, and check what has become of it."""
        door, before = self.open_table.door, self.ledger
        self._answers = []
        with self.loop.running():
            for item in items:
                if isinstance(item, SubmittedCommand):
                    self.loop.create_task(self._submit(item.command))
                else:
                    self.task.post(item)
        self.loop.run()
        answers, self._answers = self._answers, []
        require(not self._running.done(), "CRASHED", f"{self._running}")
        self._check_durable(before)
        check_step(before, items, answers, door.ledger)
        if self.twin is not None or self._chance.random() < DRAWN:
            view_of(door)
        known = [answer for _, answer in answers]
        if self.twin is not None and not self.twin.follow(items, known, door):
            self.drop_twin()
        return known

    def begin_twin(self) -> None:
        """Have a twin go along, whose next card is another one, unless the disk is about to fail."""
        if self._disk is None or self._disk.armed is not None:
            return
        self.twin = Twin(self._path, self.ledger, self.clock, self._chance)
        self.figures["twin"] += 1

    def abandon(self) -> None:
        """Nothing goes on any more."""
        self.drop_twin()
        self.loop.end()

    def drop_twin(self) -> None:
        """Go on alone."""
        if self.twin is not None:
            self.twin.close()
            self.twin = None

    def come_back(self, fault: DiskFault) -> None:
        """The program has ended without warning; open it again, and compare with what was shown."""
        disk = self._disk
        assert disk is not None
        shown = self._end(disk, fault)
        self.figures[fault] += 1
        folded, again = _folded(self._path, shown.seq)
        self.open(disk)
        check_restart(shown, folded, again, self.ledger)

    def close(self) -> None:
        """End as `run` does when it is told to."""
        self.drop_twin()
        table = self.open_table
        self.driver.close()
        self._running.cancel()
        self.loop.run()
        table.door.close([*self._reports], 0)
        table.close_beside()
        table.journal.close()
        self.loop.end()

    def _start_device(self, name: str, turns: Turns) -> Work:
        self._device = self.loop.start(name, turns)
        return self._device

    async def _submit(self, command: Command) -> None:
        self._answers.append((command, await self.task.submit(command)))

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

    def _end(self, disk: SeededDisk, fault: DiskFault) -> Ledger:
        """Let go of everything without a word, as a process that is gone has; what its screens drew last."""
        disk.lose_power()
        self._shown = self.open_table.door.ledger if hasattr(self, "open_table") else self._shown
        self.drop_twin()
        beside = {name: Path(f"{self._path}{name}") for name in ("-shm", ".head")}
        left = {name: file.read_bytes() for name, file in beside.items() if file.exists()}
        self.loop.end()
        with suppress(PowerLost, JournalError):
            self.driver.close()
            self.open_table.journal.close()
        self._reports.clear()
        self._answers = []
        del self.open_table
        for name, data in left.items():
            beside[name].write_bytes(data)
        if fault == "cut" and self._notes:
            note = self._chance.choice([*self._notes])
            beside[".head"].write_bytes(note)
            self.figures["note lost"] += note != self._notes[-1]
        disk.come_back(fault, self._chance)
        assert self._shown is not None, "ended before it came up"
        return self._shown


def _folded(path: Path, seq: int) -> tuple[Ledger, Ledger]:
    """Fold the journal from its first entry: up to an entry, and all of it."""
    reader = JournalReader(path)
    try:
        entries = list(reader.read())
    finally:
        reader.close()
    folded = again = restore(entries[:seq])
    assert folded is not None, "no journal was written"
    assert again is not None, "no journal was written"
    for entry in entries[seq:]:
        again = follow(again, trusted(entry))
    return folded, again
