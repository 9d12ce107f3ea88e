"""A whole table on the seeded disk and wire: opened as `run` opens it, ended at any moment, opened again."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

from controller.domain import JournalError
from controller.runtime.api import Accepted, Command, CommandAnswer, TableSnapshot
from controller.runtime.door import TableTask
from controller.runtime.inbox import Item, SubmittedCommand
from controller.runtime.ledger import Ledger
from controller.screens.table_screens import TableScreens
from tests.whole.at_rest import AtRest, RestFault
from tests.whole.broken import require
from tests.whole.devices.seeded_devices import SeededDevices
from tests.whole.devices.seeded_inputs import DEALER
from tests.whole.disk import DiskFault, PowerLost, SeededDisk
from tests.whole.invariants import AFTER_LIE, AFTER_RESTART, check_restart, check_step
from tests.whole.open_table import KeypadPort, TableOpening, folded
from tests.whole.seeded_loop import QUIET_S, SeededClock, SeededLoop
from tests.whole.side_files import SideFiles
from tests.whole.twin import Twin, view_of

DRAWN: Final = 0.3
"""Share of the states that are drawn as the screens draw them: that takes a third of a step."""

WAKES_MAX: Final = 100
"""So often at once. A driver that rests before its next try takes nothing: the line waits for time to pass.

Source: seed 60086 of a long run, a chip counter's driver beside 500 wakes and no end.
"""

SIGN_S: Final = 1.0
"""A small device gives a sign of life so often."""


class SeededTable:
    """One table. `figures` counts what was done to it, by kind."""

    def __init__(
        self, path: Path, opening: TableOpening, devices: SeededDevices, chance: Random, clock: SeededClock
    ) -> None:
        """Nothing is open yet; `path` is the journal."""
        self._path, self._opening, self.devices, self._chance = path, opening, devices, chance
        self.clock = clock
        self.figures = Counter[str]()
        self._disk: SeededDisk | None = None
        self._sessions = 0
        self._answers: list[tuple[Command, CommandAnswer]] = []
        self._pressed: list[Command] = []
        self.strays = 0
        """Presses that reached the table later than they were meant."""
        self.twin: Twin | None = None
        self._shown: Ledger | None = None
        self._rest = AtRest(path, chance)
        self.at_rest: RestFault | None = None
        """What is to befall its files before it comes up again."""

    @property
    def ledger(self) -> Ledger:
        """The table as it is shown."""
        return self.open_table.door.ledger

    @property
    def snapshot(self) -> TableSnapshot:
        """The table as screens get it."""
        return self.open_table.door.hub.latest()

    @property
    def is_open(self) -> bool:
        """Whether the program has come up."""
        return hasattr(self, "open_table")

    def open(self, disk: SeededDisk) -> None:
        """Come up, and find the devices."""
        self._disk = disk
        self._sessions += 1
        devices = self.devices
        files = SideFiles(disk, self.clock)
        self.open_table = table = self._opening(self.clock, files, devices.health, devices.reports.append)
        self._named = table.named
        devices.make(table.config, self.clock, f"s{self._sessions}", table.tap)
        self.loop = SeededLoop(self.clock)
        with self.loop.running():
            self.task = TableTask(table.door)
            self._running = self.loop.create_task(self.task.run())
            table.open_beside(devices.reports.append, self.loop.start)
            if devices.small is not None:
                screens = TableScreens(
                    KeypadPort(self.task, self._submit_press),
                    self.task.hub,
                    lambda: self.clock.mono_ns() / 1e9,
                    dealer=lambda: DEALER,
                )
                devices.small.serve(screens, devices.reports.append, self.loop)
            devices.open(self.loop.start)
        self.loop.run()

    def looked_at(self) -> None:
        """Something is being written: nothing of it may be shown or answered yet."""
        if not self.is_open:
            return
        door, durable = self.open_table.door, self.open_table.journal.head().seq
        shown = door.hub.latest().seq
        require(shown <= durable, "SHOWN_BEFORE_COMMIT", f"entry {shown} is shown, {durable} is written")
        early = [
            answer for _, answer in self._answers if isinstance(answer, Accepted) and answer.seq > durable
        ]
        require(not early, "ANSWERED_BEFORE_COMMIT", f"{early}, {durable} is written")

    def receive(self) -> None:
        """Let the drivers take what is on their lines, and the table what they report."""
        for _ in range(3):
            self._wake()
            for _ in range(WAKES_MAX):
                if not self.devices.waits:
                    break
                self._wake()
        self._take_reports()

    def pass_time(self, seconds: float) -> None:
        """Let time pass: at once, or with a camera from picture to picture, with others from sign to sign."""
        devices = self.devices
        tick_s = QUIET_S if devices.camera is not None else SIGN_S if devices.small is not None else seconds
        for _ in range(max(1, round(seconds / tick_s))):
            self.clock.move(tick_s)
            if devices.small is not None:
                devices.small.live()
            if tick_s != seconds:
                self._wake()
            devices.look()
            self._take_reports()

    def press(self, word: str) -> tuple[tuple[Command, CommandAnswer], ...]:
        """A key of the keypad is pressed: what it was taken for, and the answer."""
        assert self.devices.small is not None, word
        self.devices.small.press(word)
        self.drop_twin()
        strays, pressed = self.strays, self._wake()
        self.strays = strays
        self._take_reports()
        return pressed

    def _wake(self) -> tuple[tuple[Command, CommandAnswer], ...]:
        """Let every driver take what waits for it; the presses that reached the table, checked as others."""
        before, self._answers, self._pressed = self.ledger, [], []
        self.devices.wake()
        self.loop.run()
        answers, self._answers = self._answers, []
        if answers:
            self._check_durable(before)
            items = [SubmittedCommand(command, lambda _: None) for command in self._pressed]
            check_step(before, items, answers, self.ledger)
            self.strays += 1
        return tuple(answers)

    def _take_reports(self) -> None:
        while self.devices.reports:
            self.take(*self.devices.some())

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
        """Have a twin go along, whose next card is another one, unless the disk is about to fail.

        Not where a camera deals: what it sees of that card is a back.
        """
        if self._disk is None or self._disk.armed is not None or self.devices.camera is not None:
            return
        self.twin = Twin(self._path, self.ledger, self.clock, self._chance)
        self.figures["twin"] += 1

    def abandon(self) -> None:
        """Nothing goes on any more."""
        self.drop_twin()
        if hasattr(self, "loop"):
            self.loop.end()

    def drop_twin(self) -> None:
        """Go on alone."""
        if self.twin is not None:
            self.twin.close()
            self.twin = None

    def come_back(self, fault: DiskFault, trouble: Callable[[SeededDisk], None]) -> None:
        """The program has ended without warning; open it again, and compare with what was shown.

        `trouble` may have the disk fail while it comes up. Raises `PowerLost` where it ends once more: by the
        power, or because no journal opens on a disk that fails.
        """
        disk = self._disk
        assert disk is not None
        shown = self._end(disk, fault)
        self.figures[fault] += 1
        if self.at_rest:
            self.befall(self.at_rest)
            self.at_rest = None
        self._rest.look()
        before, again = folded(self._path, shown.seq)
        trouble(disk)
        due = disk.armed
        try:
            self.open(disk)
        except JournalError:
            if due is None or disk.armed is not None:
                raise
            self.figures["start refused"] += 1
            disk.ended_by = "kill"
            raise PowerLost from None
        lied = self.figures["lying at signed"] or self.figures["lying at head"]
        check_restart(shown, before, again, self.ledger, AFTER_LIE if lied else AFTER_RESTART)

    def befall(self, what: RestFault) -> None:
        """Let something befall a copy of the files of a table that has ended."""
        self.figures[f"{what} at rest"] += bool(self._rest.befall(what, self._named))

    def close(self) -> None:
        """End as `run` does when it is told to."""
        self.drop_twin()
        table = self.open_table
        self.devices.close()
        self._running.cancel()
        self.loop.run()
        table.door.close([*self.devices.reports], 0)
        table.close_beside()
        table.journal.close()
        self.loop.end()

    async def _submit_press(self, command: Command) -> CommandAnswer:
        """Take what a key of the keypad means; see `_wake`."""
        self._pressed.append(command)
        await self._submit(command)
        return self._answers[-1][1]

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

    def _end(self, disk: SeededDisk, fault: DiskFault) -> Ledger:
        """Let go of everything without a word, as a process that is gone has; what its screens drew last."""
        disk.lose_power()
        was_open = self.is_open
        self._shown = self.open_table.door.ledger if was_open else self._shown
        self.drop_twin()
        shared, note = (Path(f"{self._path}{ending}") for ending in ("-shm", ".head"))
        left = shared.read_bytes() if shared.exists() else None
        self.loop.end()
        with suppress(PowerLost, JournalError):
            self.devices.close()
            if was_open:
                self.open_table.journal.close()
        self.devices.reports.clear()
        self._answers = []
        if was_open:
            del self.open_table
        if left is not None:
            shared.write_bytes(left)
        noted = note.read_bytes()
        disk.come_back(fault, self._chance)
        self.figures["note lost"] += not note.exists() or noted != note.read_bytes()
        assert self._shown is not None, "ended before it came up"
        return self._shown
