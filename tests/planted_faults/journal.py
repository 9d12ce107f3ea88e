"""A shift played through a table's door into a journal, with what no line tells: cameras, disk, clock."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from controller.acts.catalogue import CardSeen
from controller.feed.feed_lines import open_feed
from controller.feed.replay import open_script
from controller.journal.store import Journal
from controller.policy.holds import ABSENCE
from controller.ports import Report, Trouble
from controller.runtime.api import Accepted, Command, CommandAnswer, Observe, Resume
from controller.runtime.door import TableDoor
from controller.runtime.inbox import Item, SubmittedCommand
from controller.runtime.ledger import house_before_profiles
from controller.runtime.restore import Identity, start

Happening = Literal["camera moved", "slow disk", "clock step"]
BEGIN_US: Final = 1_795_000_000_000_000
SLOW_NS: Final = 400_000_000
BACK_S: Final = 600


class _ShiftClock:
    """Stands at the time of the line; the one write for which `slow` was set takes long."""

    def __init__(self) -> None:
        self.t_s = 0.0
        self.back_s = 0
        self.slow = False
        self._looked_ns = 0

    def utc_us(self) -> int:
        return BEGIN_US + round((self.t_s - self.back_s) * 1e6)

    def mono_ns(self) -> int:
        self._looked_ns += SLOW_NS if self.slow else 0
        return round(self.t_s * 1e9) + self._looked_ns


def journal_with(feed: Path, path: Path, happening: Happening, line: int) -> Path:
    """Play the feed into the journal; before the line of this number it happens. Holds are lifted."""
    clock = _ShiftClock()
    with open_feed(str(feed)) as stream:
        script = open_script(stream, feed.parent)
        lines = list(script.lines)
    journal = Journal.open(path, clock)
    house = house_before_profiles(script.rules.name)
    identity = Identity("BJ1", script.rules, script.header.currency, house)
    ledger = start(journal, identity, "simulation", "planted")
    table = _Table(TableDoor(journal, ledger, clock, mode="simulation"), clock)
    for told in lines:
        clock.t_s = told.t
        if told.number == line:
            HAPPENINGS[happening](table, clock)
            table.look()
        if isinstance(told.obs, CardSeen):
            table.take(Report("felt", clock.mono_ns(), (told.obs,)))
        else:
            table.ask(Observe(told.obs))
        table.go_on()
    journal.close()
    return path


class _Table:
    """A door whose caller waits for the disk."""

    def __init__(self, door: TableDoor, clock: _ShiftClock) -> None:
        self._door, self._clock = door, clock

    def take(self, *items: Item) -> None:
        while items:
            items = self._door.take(*items)
            # What was asked for and refused writes nothing: the disk is slow until the table has found it so.
            if items:
                self._clock.slow = False

    def ask(self, action: Observe | Resume) -> bool:
        heard: list[CommandAnswer] = []
        # Of all that is told here the pit may do everything.
        self.take(SubmittedCommand(Command("", "p7", "pit", None, action), heard.append))
        return isinstance(heard[0], Accepted)

    def go_on(self) -> None:
        """Lift whatever holds, as a pit that has looked."""
        if self._door.snapshot().holds:
            self.look()

    def look(self) -> None:
        """Press "go on" until there is nothing to lift, whatever that brings about."""
        while self.ask(Resume(("camera:left",))):
            pass


def _camera_moved(table: _Table, clock: _ShiftClock) -> None:
    # What a camera that has been moved is told as where the table can go on without it.
    moved = Trouble(ABSENCE["lost"], (("name", "above"),), hold=False)
    table.take(Report("above", clock.mono_ns(), (), (moved,)))


def _slow_disk(_: _Table, clock: _ShiftClock) -> None:
    clock.slow = True


def _clock_step(_: _Table, clock: _ShiftClock) -> None:
    clock.back_s = BACK_S


HAPPENINGS: Final[dict[Happening, Callable[[_Table, _ShiftClock], None]]] = {
    "camera moved": _camera_moved,
    "slow disk": _slow_disk,
    "clock step": _clock_step,
}
