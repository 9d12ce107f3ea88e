"""One shift from a script: people play and err, devices and disks fail, the program ends and comes up."""

import traceback
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from controller.acts.catalogue import Observation
from controller.domain import RuleSet
from controller.engine.settle import float_due
from controller.runtime.api import Accepted, Command, Observe
from controller.simulation.faults import PlannedFaults
from controller.simulation.felt import SilentShoe, World
from controller.simulation.players import Players
from drivers.simulated import AngelEyeShoe
from tests.whole.broken import Broken, require
from tests.whole.coverage import AT_REST, Coverage
from tests.whole.devices.seeded_camera import SeededCamera
from tests.whole.devices.seeded_devices import SeededDevices
from tests.whole.devices.seeded_inputs import SeededInputs
from tests.whole.devices.seeded_wire import SeededWire
from tests.whole.disk import PowerLost, SeededDisk, seeded_disk
from tests.whole.disturbances import Disturbances
from tests.whole.money import check_money
from tests.whole.open_table import TableOpening
from tests.whole.people.seeded_people import SeededPeople
from tests.whole.script import Failure, SeededScript
from tests.whole.seeded_loop import SeededClock
from tests.whole.seeded_table import SeededTable
from tests.whole.table_float import closing, money_before

STACKED: Final = 24
SLOW_S: Final = 3.0


class ShiftEnd(NamedTuple):
    """How a shift ended: rounds played, what was done to it by kind, its steps, and what did not hold.

    `coverage` says which faults met which states of the round, `begins` with which of the steps, counted from
    0, each round began.
    """

    rounds: int
    figures: dict[str, int]
    steps: tuple[int, ...]
    broken: Broken | None
    coverage: Coverage
    begins: tuple[int, ...] = (0,)

    def failure(self, like: Broken) -> Failure | None:
        """Its steps, where it failed in the same way."""
        alike = self.broken is not None and self.broken.kind == like.kind
        return Failure(self.steps, self.begins) if alike else None


EndCheck = Callable[[Path, Mapping[str, int]], None]
"""Looks through a journal that is closed, with what was done to its table; raises `Broken`."""


Beside = Callable[[SeededTable], Callable[[], None]]
"""Called whenever the table has come up; what it gives is called in each step."""


class SeededShift:
    """Plays a script. `opening` opens the table on the journal `path`."""

    def __init__(
        self,
        script: SeededScript,
        path: Path,
        opening: TableOpening,
        rules: RuleSet,
        beside: Beside = lambda _: lambda: None,
    ) -> None:
        """Nothing is open yet; `rules` are what the house pays by, `beside` brings others to the table."""
        self._script, self._path, self._rules = script, path, rules
        self._chance = Random()
        self._wire = SeededWire(self._chance)
        watched, read = script.cards_from != "shoe", script.cards_from != "camera"
        camera = SeededCamera(self._chance, script.seed) if watched else None
        clock = SeededClock()
        small = SeededInputs(self._chance) if script.more else None
        devices = SeededDevices(self._wire if read else None, camera, small, self._chance)
        self._table = SeededTable(path, opening, devices, self._chance, clock)
        self._shoe = AngelEyeShoe(self._wire) if read else SilentShoe()
        self._people = SeededPeople(self._table, self._chance, script.patience)
        self._faults = Disturbances(script, self._table, self._people)
        self._since, self._round = 0, 0
        self._done: list[int] = []
        self._begins = [0]
        self._loaded_in, self._shoe_number = 1, 0
        self._world: World | None = None
        self._money = deque[Observation]()
        self._unanswered: Command | None = None
        self._bring = beside

    def play(self, rounds: int, check: EndCheck) -> ShiftEnd:
        """Play the script's steps, or where there are none as many as it takes for so many rounds."""
        broken: Broken | None = None
        table = self._table
        slow, beside = lambda: table.clock.move(SLOW_S), self._script.beside
        with seeded_disk(slow, table.looked_at, self._faults.met, fails_beside=beside) as disk:
            try:
                self._chance.seed(f"{self._script.seed}")
                table.open(disk)
                table.receive()
                self._sit_down()
                for number in self._script.steps or range(10**9):
                    if not self._script.steps and table.ledger.state.book.number > rounds:
                        break
                    self._done.append(number)
                    self._step(number, disk)
                while not self._closed():
                    self._come_back(disk)
                for what in AT_REST if self._script.beside else ():
                    table.befall(what)
                check(self._path, table.figures)
            except Broken as found:
                broken = found
            except Exception as error:  # whatever ends the table's task is a finding
                broken = Broken("CRASHED", "".join(traceback.format_exception(error)[-4:]))
            finally:
                disk.lose_power()
                table.abandon()
        figures, done, begins = {**table.figures}, tuple(self._done), tuple(self._begins)
        return ShiftEnd(max(0, self._round - 1), figures, done, broken, self._faults.coverage, begins)

    def _step(self, number: int, disk: SeededDisk) -> None:
        """One thing happens; where the program ends in it, it is opened again."""
        chance, table = self._chance, self._table
        chance.seed(f"{self._script.seed} {number}")
        try:
            table.pass_time(chance.choice((0.3, 1.5, 2.5, 4.0)))
            self._faults.disturb(number, self._felt, disk)
            self._wire.release()
            if table.devices.small is not None:
                table.devices.small.release()
            table.receive()
            self._enter_money()
            self._people.happen(self._since)
            self._others()
        except PowerLost:
            self._come_back(disk)
        self._follow()

    def _come_back(self, disk: SeededDisk) -> None:
        """Come up again, also where the program ends once more while it comes up."""
        while True:
            try:
                self._table.come_back(disk.ended_by, self._faults.at_opening)
            except PowerLost:
                continue
            self._sit_down()
            return

    @property
    def _felt(self) -> World:
        assert self._world is not None, "nobody has sat down"
        return self._world

    def _sit_down(self) -> None:
        """People come to a table that has come up."""
        self._others = self._bring(self._table)
        seed = self._script.seed
        self._world = world = self._felt_now()
        if self._wire is not None and not self._wire.plugged:
            world.pull_cable()
        faults = PlannedFaults(world, seed, without=self._faults.not_planned)
        self._people.sit_down(world, Players(world, self._chance, faults))

    def _felt_now(self) -> World:
        """The felt as it is: under a camera as it was; else what lies there is what the table knows."""
        seed, state, camera = self._script.seed, self._table.ledger.state, self._table.devices.camera
        if camera is not None:
            camera.note(state)
            felt = self._world or World(self._shoe, seed, camera_deals=True, number=camera.number_of)
            self._table.devices.felt = felt
            return felt
        felt = World(self._shoe, seed, stacked=STACKED if seed % 2 else 0)
        if state.book.number > 1 or state.log:
            felt.resume(self._loaded_in, state)
        return felt

    def _follow(self) -> None:
        """Note a new round, and count how long one takes."""
        state = self._table.ledger.state
        if state.shoe.number != self._shoe_number or (state.shoe.seen == 0 and state.book.number > 1):
            self._shoe_number, self._loaded_in = state.shoe.number, state.book.number
        self._since += 1
        if state.book.number != self._round:
            if self._round:
                self._begins.append(len(self._done))
            self._round, self._since = state.book.number, 0
            self._money.extend(money_before(self._round) if self._script.money else ())
        now = self._people.snapshot
        where = f"{now.expected.code} {sorted(hold.code for hold in now.holds)}"
        require(self._since < 2 * self._script.patience, "NO_WAY_OUT", f"{where}: {self._round} {now.holds}")
        check_money(state, self._rules)

    def _enter_money(self) -> None:
        """The pit enters what is next of the table's own money, where the table takes it."""
        if not self._money:
            return
        # What nobody has answered because the program ended is sent once more, as the page does.
        self._unanswered = self._unanswered or self._people.keys.command(Observe(self._money[0]), "pit")
        taken = isinstance(self._table.ask(self._unanswered), Accepted)
        self._table.figures["money" if taken else "money refused"] += 1
        self._unanswered = None
        del self._money[0]

    def _closed(self) -> bool:
        """Count the float as the table has it, and end in order; whether the program did not end before that.

        The count is compared with the journal afterwards.
        """
        try:
            if self._script.money and self._table.ledger.state.book.counted_in:
                amount = float_due(self._table.ledger.state)
                self._table.ask(self._people.keys.command(Observe(closing(amount, self._script.seed)), "pit"))
            self._table.close()
        except PowerLost:
            return False
        return True
