"""One shift from a script: people play and err, wires and disks fail, the program ends and comes up again."""

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, CutCard, End, HoldsLifted, Observation, Paid, Void
from controller.domain.cards import RANKS
from controller.domain.rules import RuleSet
from controller.engine.settle.float_account import float_due
from controller.runtime.api import (
    Accepted,
    Action,
    CallPit,
    Command,
    CommandAnswer,
    Observe,
    Resume,
    Role,
    TableSnapshot,
)
from controller.simulation.acts import DrawCard, Handle, MoveCards, PressKeys
from controller.simulation.clean_round import amounts
from controller.simulation.faults.planned import PlannedFaults
from controller.simulation.players import Players
from controller.simulation.whole.broken import Broken, require
from controller.simulation.whole.disk import END, DiskFault, PowerLost, SeededDisk, seeded_disk
from controller.simulation.whole.mischief import mischief
from controller.simulation.whole.money import check_money
from controller.simulation.whole.script import SeededScript
from controller.simulation.whole.seeded_table import SeededTable, TableOpening
from controller.simulation.whole.seeded_wire import LineFault, SeededWire
from controller.simulation.whole.table_float import closing, money_before
from controller.simulation.world import World
from drivers.simulated import AngelEyeShoe

STACKED: Final = 24
PATIENCE: Final = 300
"""Steps of one round after which the pit voids it; after twice as many there was no way out."""

DISK_FAULTS: Final[tuple[DiskFault, ...]] = ("cut", "kill", "io", "full", "slow")
LINE_FAULTS: Final[tuple[LineFault, ...]] = ("doubled", "delayed", "damaged", "noise")
SLOW_S: Final = 3.0
MORE: Final[tuple[DiskFault, ...]] = ("cut", *9 * ("kill",))
MORE_ENDS: Final = 0.009
"""Share of the steps in which the program's end begins, for each time that a script has it end more."""
AT_AWAIT: Final = 0.7
"""Share of these ends that come between two steps of the loop; the others at a write or sync."""
TWINS: Final = 0.25
"""Share of the cards dealt face down that have a twin."""
HASTE: Final = 0.15
"""Share of the holds at which the dealer tries to go on, whoever has to lift them."""
TWICE: Final = 0.04
"""Share of the keys that are pressed twice."""


class ShiftEnd(NamedTuple):
    """How a shift ended: rounds played, what was done to it by kind, its steps, and what did not hold."""

    rounds: int
    figures: dict[str, int]
    steps: tuple[int, ...]
    broken: Broken | None


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
        self._table = SeededTable(path, opening, self._wire, self._chance)
        self._shoe = AngelEyeShoe(self._wire)
        self._presses = 0
        self._since, self._round, self._given_up = 0, 0, 0
        self._loaded_in, self._shoe_number = 1, 0
        self._money = deque[Observation]()
        self._bring = beside

    def play(self, rounds: int, check: EndCheck) -> ShiftEnd:
        """Play the script's steps, or where there are none as many as it takes for so many rounds."""
        done: list[int] = []
        broken: Broken | None = None
        with seeded_disk(lambda: self._table.clock.move(SLOW_S), self._table.looked_at) as disk:
            try:
                self._chance.seed(f"{self._script.seed}")
                self._table.open(disk)
                self._table.receive()
                self._sit_down()
                for number in self._script.steps or range(10**9):
                    if not self._script.steps and self._table.ledger.state.book.number > rounds:
                        break
                    done.append(number)
                    self._step(number, disk)
                while not self._closed():
                    self._come_back(disk)
                check(self._path, self._table.figures)
            except Broken as found:
                broken = found
            finally:
                disk.lose_power()
                self._table.abandon()
        return ShiftEnd(max(0, self._round - 1), dict(self._table.figures), tuple(done), broken)

    @property
    def _snapshot(self) -> TableSnapshot:
        return self._table.open_table.door.hub.latest()

    def _step(self, number: int, disk: SeededDisk) -> None:
        """One thing happens; where the program ends in it, it is opened again."""
        self._chance.seed(f"{self._script.seed} {number}")
        try:
            self._table.clock.move(self._chance.choice((0.3, 1.5, 2.5, 4.0)))
            self._disturb(disk)
            self._wire.release()
            self._table.receive()
            self._enter_money()
            self._happen()
            self._others()
        except PowerLost:
            self._come_back(disk)
        self._follow()

    def _end_soon(self, disk: SeededDisk) -> None:
        """Have the program end: between two steps of its loop, or at a write or sync."""
        self._table.drop_twin()
        disk.ended_by = self._chance.choice(MORE)
        if self._chance.random() < AT_AWAIT:
            self._table.loop.ends_in = self._chance.randint(0, 30)
        else:
            disk.arm(disk.ended_by, self._chance.randint(0, 19))

    def _come_back(self, disk: SeededDisk) -> None:
        """Come up again, also where the program ends once more while it comes up."""
        while True:
            try:
                self._table.come_back(disk.ended_by)
            except PowerLost:
                continue
            self._sit_down()
            return

    def _sit_down(self) -> None:
        """People come to a table that has come up; what lies on the felt is what it knows."""
        self._others = self._bring(self._table)
        seed, table = self._script.seed, self._table
        self._world = World(self._shoe, seed, stacked=STACKED if seed % 2 else 0)
        if table.ledger.state.book.number > 1 or table.ledger.state.log:
            self._world.resume(self._loaded_in, table.ledger.state)
        if not self._wire.plugged:
            self._world.pull_cable()
        faults = PlannedFaults(self._world, seed, without=frozenset({"smeared_lens"}))
        self._players = Players(self._world, self._chance, faults)

    def _follow(self) -> None:
        """Note a new round, and count how long one takes."""
        state = self._table.ledger.state
        if state.shoe.number != self._shoe_number or (state.shoe.seen == 0 and state.book.number > 1):
            self._shoe_number, self._loaded_in = state.shoe.number, state.book.number
        self._since += 1
        if state.book.number != self._round:
            self._round, self._since = state.book.number, 0
            self._money.extend(money_before(self._round) if self._script.money else ())
        require(self._since < 2 * PATIENCE, "NO_WAY_OUT", f"round {self._round}: {self._snapshot.expected}")
        check_money(state, self._rules)

    def _disturb(self, disk: SeededDisk) -> None:
        """Now and then something fails, or somebody does what he may not."""
        chance, table = self._chance, self._table
        what = chance.random()
        if chance.random() < MORE_ENDS * (self._script.ends - 1):
            self._end_soon(disk)
        elif what < 0.012:
            # What befalls one of two twins makes them differ.
            table.drop_twin()
            disk.arm(chance.choice(DISK_FAULTS), chance.randint(0, 9))
        elif what < 0.016:
            disk.lose_power()
            disk.ended_by = chance.choice(END)
            raise PowerLost
        elif what < 0.045:
            fault = chance.choice(LINE_FAULTS)
            self._wire.fault(fault)
            table.figures[fault] += 1
        elif what < 0.052 and not self._wire.waits:
            self._world.pull_cable()
            table.figures["unplugged"] += 1
        elif what < 0.09:
            command = mischief(self._snapshot, chance, self._name())
            table.figures["mischief"] += 1
            table.ask(command)
        elif what < 0.094:
            table.ask(self._command(CallPit("a word"), "pit"))

    def _enter_money(self) -> None:
        """The pit enters what is next of the table's own money, where the table takes it."""
        if self._money:
            command = self._command(Observe(self._money[0]), "pit")
            taken = isinstance(self._table.ask(command), Accepted)
            self._table.figures["money" if taken else "money refused"] += 1
            del self._money[0]

    def _closed(self) -> bool:
        """Count the float as the table has it, and end in order; whether the program did not end before that.

        The count is compared with the journal afterwards.
        """
        try:
            if self._script.money and self._table.ledger.state.book.counted_in:
                amount = float_due(self._table.ledger.state)
                self._table.ask(self._command(Observe(closing(amount)), "pit"))
            self._table.close()
        except PowerLost:
            return False
        return True

    def _happen(self) -> None:
        """What the people do next."""
        snapshot, table = self._snapshot, self._table
        if self._since > PATIENCE:
            self._give_up(snapshot)
            return
        if snapshot.holds and self._chance.random() < HASTE:
            self._press(Resume(), "dealer")
            return
        if any(hold.code == "FROZEN" for hold in snapshot.holds):
            # As the key on the pit's page does: what else holds the table is ruled on by itself.
            self._press(Observe(HoldsLifted("p7", "seen", ("FROZEN",))), "pit")
            return
        match self._players.next_act(snapshot, autoplay=True):
            case DrawCard() as act:
                self._draw(act, snapshot)
            case PressKeys() as act:
                self._press_all(act, snapshot)
            case Handle() as act:
                self._players.handle(act)
                table.receive()
            case MoveCards() | None:
                table.clock.move(2.0)

    def _press_all(self, act: PressKeys, snapshot: TableSnapshot) -> None:
        self._check_planned(act, snapshot)
        if Resume() in act.actions and any(hold.code == "SHOE_GAP" for hold in snapshot.holds):
            # This pit goes on without looking for the card that the line has lost: from then on the round is
            # played with other cards than those that were meant.
            self._given_up = snapshot.state.book.number
        for action in act.actions:
            if self._press(action, act.role):
                self._players.pressed(act, action)

    def _draw(self, act: DrawCard, snapshot: TableSnapshot) -> None:
        if self._world.has_shoe and not self._world.ahead(1):
            # The line has lost the cut card: the dealer, who has it in his hand, enters it.
            self._press(Observe(CutCard()), "dealer")
            self._give_up(snapshot)
            return
        if snapshot.expected.code == "DEAL_DEALER_DOWN" and self._chance.random() < TWINS:
            self._table.begin_twin()
        before, shoe = self._known(), snapshot.state.shoe.number
        drawn = self._players.draw(act, snapshot) or 0
        if self._world.unplugged:
            self._world.never_reported(drawn)
        self._table.receive()
        more = self._known() - before
        same = self._table.ledger.state.shoe.number == shoe
        require(more <= drawn or not same, "CARD_TWICE", f"{drawn} left the shoe, {more} more are known")

    def _known(self) -> int:
        """Cards that the table knows to have left the shoe."""
        run = self._table.ledger.run
        return run.state.shoe.seen + len(run.kept)

    def _give_up(self, snapshot: TableSnapshot) -> None:
        """The round has gone wrong for too long: two of the pit void it, and the table goes on.

        Not where the house asks for something else first: the payout as it should have been, or the card that
        the dealer owes, from another pack where the shoe is out of reach.
        """
        self._given_up = snapshot.state.book.number
        if self._world.unplugged:
            self._world.plug_cable()
            self._table.receive()
        for params in (dict(hold.params) for hold in snapshot.holds if hold.code == "WRONG_PAYOUT"):
            box, seat, due = (int(params[name]) for name in ("box", "seat", "expected"))
            self._press(Observe(Paid(box, seat, due)), "pit")
        if any("draw" in hold.ways and "void" not in hold.ways for hold in snapshot.holds):
            self._press(Observe(CardSeen(self._chance.choice(RANKS), "s", by="hand")), "pit")
        if snapshot.holds and self._press(Resume(), "pit"):
            return
        # One at a time, as at the page: a hold that may be kept stands in the way of one that may not.
        kept = tuple(hold.code for hold in snapshot.holds if "keep" in hold.ways)
        if kept:
            self._press(Observe(HoldsLifted("p7", "seen", kept)), "pit")
        self._press(Observe(Void(None, "p7", "gone wrong", second="pit:P8")), "pit")
        self._press(Observe(End()), "dealer")

    def _press(self, action: Action, role: Role) -> bool:
        """Press a key, now and then twice: the dealer what he may, the pit with a second person the rest."""
        roles: tuple[Role, ...] = ("dealer", "pit") if role == "system" else (role,)
        for one in roles:
            command = self._command(action, one)
            answer = self._table.ask(command)
            if self._chance.random() < TWICE:
                self._again(command, answer)
            if isinstance(answer, Accepted):
                if isinstance(action, Resume):
                    # As the live table does once a hold is lifted: a device that was given up is tried again.
                    self._table.driver.acknowledge()
                return True
        return False

    def _again(self, command: Command, answer: CommandAnswer) -> None:
        """The same command once more, as from a screen that has not heard the answer."""
        before = self._table.ledger
        again = self._table.ask(command)
        self._table.figures["twice"] += 1
        if isinstance(answer, Accepted):
            # What followed from it in the same commit counts in the first answer alone.
            same = isinstance(again, Accepted) and again.seq <= answer.seq
            require(same, "DONE_TWICE", f"{answer}, then {again}: {command.action}")
            require(self._table.ledger == before, "DONE_TWICE", f"{command.action}")

    def _command(self, action: Action, role: Role) -> Command:
        person, second = ("p7", "P8") if role == "pit" else ("d1", "")
        return Command(self._name(), person, role, None, action, second, meaning=f"{action}")

    def _name(self) -> str:
        self._presses += 1
        return f"c{self._presses}"

    def _check_planned(self, act: PressKeys, snapshot: TableSnapshot) -> None:
        """Before the table is cleared: it pays what was in truth dealt and decided, where that is known."""
        planned, result = self._players.planned, snapshot.result
        if act.actions != (Observe(End()),) or planned is None or result is None:
            return
        if result.round == self._given_up:
            return
        if result.status == "settled" and result.round == snapshot.state.book.number:
            found = amounts(snapshot.state)
            require(found == planned, "PAID_WRONGLY", f"round {result.round}: {found} instead of {planned}")
