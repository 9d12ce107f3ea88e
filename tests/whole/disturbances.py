"""What goes wrong at a seeded table: by chance, and where the script wants what has never been met."""

from random import Random
from typing import Final

from controller.runtime.api import CallPit
from controller.screens.words import DEMO_FAULTS, DemoFault
from controller.simulation.demo import SEEN_ON_SCREENS
from controller.simulation.felt import World
from tests.whole.at_rest import RestFault
from tests.whole.coverage import (
    AT_REST,
    BESIDE,
    CAMERA,
    DISK,
    ENDS,
    HELD,
    OPENING,
    Coverage,
    EndFault,
    FaultKind,
    ShoeFault,
    kinds_at,
)
from tests.whole.disk import END, DiskFault, PowerLost, SeededDisk
from tests.whole.people.mischief import mischief
from tests.whole.people.seeded_people import SeededPeople
from tests.whole.script import SeededScript
from tests.whole.seeded_table import SeededTable

SHARES: Final[tuple[tuple[float, tuple[FaultKind, ...]], ...]] = (
    (0.012, ("cut", "kill", "io", "full", "slow")),
    (0.016, ("now",)),
    (0.045, ("doubled", "delayed", "damaged", "noise")),
    (0.052, ("unplugged",)),
    (0.09, ("mischief",)),
    (0.094, ("call",)),
)
"""Share of the steps with a fault of these, those before it included."""
MORE: Final[tuple[DiskFault, ...]] = ("cut", *9 * ("kill",))
MORE_ENDS: Final = 0.009
"""Share of the steps in which the program's end begins, for each time that a script has it end more."""
AT_AWAIT: Final = 0.7
"""Share of these ends that come between two steps of the loop; the others at a write or sync."""
ANY: Final = 0.03
"""Share of the steps with one more fault of any kind."""
STEERED: Final = 0.5
"""Share of the steps in a state of the script's list with a fault that has never met it."""
AT_OPENING: Final = 0.2
"""Share of the starts at which the disk or the power fails."""
_AT_ONCE: Final = ("now", *AT_REST)
"""What ends the program at once."""
MEND_CAMERA: Final = 0.2
"""Share of the steps without a camera in which somebody puts its cable back."""


class Disturbances:
    """Lets things go wrong at one table; `coverage` is what met which state."""

    def __init__(self, script: SeededScript, table: SeededTable, people: SeededPeople) -> None:
        """Nothing has gone wrong yet."""
        self._script, self._table, self._people = script, table, people
        self._chance = people.chance
        without = () if script.beside else BESIDE
        self._possible = [kind for kind in kinds_at(script.cards_from) if kind not in without]
        self._disk_faults = [kind for kind in DISK if kind in self._possible]
        self.coverage = Coverage()

    @property
    def not_planned(self) -> frozenset[DemoFault]:
        """Faults of the demo that this table cannot show."""
        if self._table.devices.camera is None:
            return frozenset({"smeared_lens"})
        return frozenset(DEMO_FAULTS) - SEEN_ON_SCREENS | {"smeared_lens"}

    def met(self, what: FaultKind, beside: str = "") -> None:
        """It happens now, to such a file beside the journal: note what state it meets."""
        if beside:
            self._table.figures[f"{what} at {beside}"] += 1
        self.coverage[what, self._state()] += 1

    def at_opening(self, disk: SeededDisk) -> None:
        """Now and then the disk fails, or the power, while the program comes up."""
        chance = self._chance
        wanted = [
            kind for kind, state in self._script.steer if state == OPENING and not self.coverage[kind, state]
        ]
        if self._script.more and (wanted or chance.random() < AT_OPENING):
            due = [kind for kind in self._disk_faults if kind in wanted] or self._disk_faults
            disk.arm(chance.choice(due), chance.randint(0, 40))

    def disturb(self, number: int, felt: World, disk: SeededDisk) -> None:
        """Now and then something fails, or somebody does what he may not."""
        chance = self._chance
        what = chance.random()
        if chance.random() < MORE_ENDS * (self._script.ends - 1):
            self._end_soon(disk)
        else:
            found = next((kinds for share, kinds in SHARES if what < share), ())
            if found:
                self._inflict(chance.choice(found) if len(found) > 1 else found[0], felt, disk)
        if self._script.more:
            self._disturb_more(Random(f"more {self._script.seed} {number}"), felt, disk)

    def _disturb_more(self, chance: Random, felt: World, disk: SeededDisk) -> None:
        """Any fault at any time, and those that the script asks for in the state that they are to meet."""
        camera, state = self._table.devices.camera, self._state()
        if camera is not None and not camera.plugged and chance.random() < MEND_CAMERA:
            camera.plugged = True
        wanted = [kind for kind, met in self._script.steer if met == state and not self.coverage[kind, met]]
        if wanted and chance.random() < STEERED:
            self._inflict(chance.choice(wanted), felt, disk)
        elif chance.random() < ANY:
            self._inflict(chance.choice(self._possible), felt, disk)

    def _inflict(self, what: FaultKind, felt: World, disk: SeededDisk) -> None:
        """Let it happen now, or with the next write, message or look."""
        if what not in self._possible:
            return
        ends = next((kind for kind in ENDS if kind == what), None)
        if ends is not None:
            self._end(ends, disk)
            return
        match what:
            case "doubled" | "delayed" | "damaged" | "noise" | "lost" | "unplugged":
                if not self._of_the_shoe(what, felt):
                    return
            case "mischief":
                name = self._people.keys.next_name()
                self._table.ask(mischief(self._people.snapshot, self._chance, name))
            case "call":
                self._table.ask(self._people.keys.command(CallPit("a word"), "pit"))
            case (
                "press lost"
                | "press doubled"
                | "press delayed"
                | "chips lost"
                | "chips doubled"
                | "chips delayed"
                | "chips damaged"
            ):
                assert self._table.devices.small is not None, what
                self._table.devices.small.fault(what)
            case _:
                camera = self._table.devices.camera
                assert camera is not None, what
                camera.fault(next(kind for kind in CAMERA if kind == what))
        self._table.figures[what] += 1
        self.met(what)

    def _end(self, what: DiskFault | EndFault | RestFault, disk: SeededDisk) -> None:
        """Have the disk fail, or the program end; something may befall its files until it comes up again."""
        chance, table = self._chance, self._table
        if what in _AT_ONCE:
            self.met(what)
            table.at_rest = next((kind for kind in AT_REST if kind == what), None)
            disk.lose_power()
            disk.ended_by = chance.choice(END)
            raise PowerLost
        # What befalls one of two twins makes them differ.
        table.drop_twin()
        if what == "await":
            disk.ended_by = chance.choice(MORE)
            table.loop.end_soon(chance.randint(0, 30), self._ended_at_await)
        else:
            disk.arm(next(kind for kind in DISK if kind == what), chance.randint(0, 9))

    def _of_the_shoe(self, what: ShoeFault, felt: World) -> bool:
        """Whether it could happen to its line."""
        wire = self._table.devices.wire
        if wire is None or (what == "unplugged" and wire.waits):
            return False
        if what == "unplugged":
            felt.pull_cable()
        else:
            wire.fault(what)
        return True

    def _end_soon(self, disk: SeededDisk) -> None:
        """Have the program end: between two steps of its loop, or at a write or sync."""
        chance, table = self._chance, self._table
        table.drop_twin()
        disk.ended_by = chance.choice(MORE)
        if chance.random() < AT_AWAIT:
            table.loop.end_soon(chance.randint(0, 30), self._ended_at_await)
        else:
            disk.arm(disk.ended_by, chance.randint(0, 19))

    def _ended_at_await(self) -> None:
        self._table.figures["await"] += 1
        self.met("await")

    def _state(self) -> str:
        if not self._table.is_open:
            return OPENING
        now = self._people.snapshot
        return HELD * bool(now.holds) + now.expected.code
