"""The simulated table on a clock that the test moves: real door and journal, devices without delay."""

from pathlib import Path
from random import Random

from controller.acts.catalogue import CardSeen, CutCard, DeviceSeen, Observation
from controller.config import CardsFrom
from controller.domain import Card, card_named
from controller.journal.store import Journal
from controller.policy import House
from controller.ports import DeviceState, Health, Report, Trouble
from controller.rules import load_file
from controller.runtime.api import Accepted, Action, Command, CommandAnswer, Role, TableSnapshot
from controller.runtime.contradictions import Detection, FrameObservation
from controller.runtime.decide import TableDevices
from controller.runtime.door import TableDoor
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy, WitnessPlan
from controller.runtime.inbox import Item, SubmittedCommand, TableLimits
from controller.runtime.restore import Identity, start
from controller.screens.words import DemoFault, FaultRow
from controller.simulation.cameras import OVERHEAD, Overhead
from controller.simulation.demo import STACKED
from controller.simulation.faults import PlannedFaults
from controller.simulation.felt import SilentShoe, World
from controller.simulation.moves import DrawCard, Handle, MoveCards, PressKeys
from controller.simulation.players import Players

SECOND_MS = 1000
STUCK_MS = 20
LOOKS, LOOK_MS = 3, 350
ACTS_MAX = 3000
"""A table that has not come to an end after so many acts never will."""


class HandClock:
    """Stands still until the kit moves it."""

    def __init__(self) -> None:
        self.ms = 0

    def utc_us(self) -> int:
        return 1_795_000_000_000_000 + self.ms * 1000

    def mono_ns(self) -> int:
        return self.ms * 1_000_000


class ReportingShoe:
    """A shoe whose reports are at the table as soon as a card has left it."""

    def __init__(self, table: "FaultTable") -> None:
        self._table = table
        self._cards = 0

    def deal(self, rank: str | None, suit: str | None) -> bool:
        self._cards += 1
        read = card_named(rank, suit)
        self._report(CardSeen(read.rank, read.suit, by="shoe", id=f"kit.{self._cards}"))
        self._table.clock.ms += STUCK_MS
        return True

    def cut_card(self) -> None:
        self._report(CutCard())

    def unplug(self) -> None:
        self._report(DeviceSeen("shoe", "lost"))

    def plug(self) -> None:
        self._report(DeviceSeen("shoe", "live"))

    def _report(self, observation: Observation) -> None:
        self._table.take(Report("shoe", self._table.clock.mono_ns(), (observation,)))


class FaultTable:
    """A table at which faults happen; every act takes a second."""

    def __init__(self, folder: Path, rules: str, seed: int, source: CardsFrom = "shoe") -> None:
        self.clock = HandClock()
        self.source = source
        file = load_file(rules, Path())
        self.journal = Journal.open(folder / f"{Path(rules).stem}.journal", self.clock)
        ledger = start(
            self.journal, Identity("T1", file.rules, "EUR", House(file.irregularities)), "simulation", "test"
        )
        shoe = SilentShoe() if source == "camera" else ReportingShoe(self)
        stacked = STACKED if source == "shoe" else 0
        self.world = World(shoe, seed, stacked=stacked, camera_deals=source != "shoe")
        self.overhead = Overhead(self.world, self.clock, 1.0)
        plan = WitnessPlan(OVERHEAD, "shoe" if source == "both" else "")
        self.door = TableDoor(
            self.journal,
            ledger,
            self.clock,
            mode="simulation",
            limits=TableLimits(60_000),
            devices=TableDevices(lambda: (Health("shoe", "shoe", self._shoe_state, "kit", 5, ""),)),
            detector=ContradictionDetector({"camera": VotePolicy(1, 0)}) if source == "shoe" else None,
            witnesses=None if source == "shoe" else plan,
        )
        self.faults = PlannedFaults(self.world, seed, every_rounds=0)
        self.players = Players(self.world, Random(f"guests {seed}"), self.faults)
        self._numbers = iter(range(1, 1_000_000))
        self.refused: list[tuple[Action, CommandAnswer]] = []

    @property
    def _shoe_state(self) -> DeviceState:
        return "lost" if self.world.unplugged else "live"

    @property
    def now(self) -> TableSnapshot:
        return self.door.hub.latest()

    def take(self, *items: Item) -> None:
        self.door.take(*items)

    def ask(self, action: Action, role: Role) -> CommandAnswer:
        answers: list[CommandAnswer] = []
        command = Command(f"kit-{next(self._numbers)}", "kit", role, None, action)
        self.take(SubmittedCommand(command, answers.append))
        return answers[0]

    def act(self) -> None:
        """One act of the people, and a look of the camera."""
        self.clock.ms += SECOND_MS
        before = self.now
        match self.players.next_act(before, autoplay=bool(self.door.autoplay)):
            case DrawCard() as draw:
                self.players.draw(draw, before)
            case PressKeys() as keys:
                for action in keys.actions:
                    answer = self.ask(action, keys.role)
                    if isinstance(answer, Accepted):
                        self.players.pressed(keys, action)
                    else:
                        self.refused.append((action, answer))
            case Handle() as handling:
                self.players.handle(handling)
            case MoveCards() as moves:
                self.players.move(moves, before)
            case None:
                self.door.show()
        self.look()

    def look(self) -> None:
        """The camera looks at the felt."""
        self.world.show(self.now.state)
        if self.source != "shoe":
            for _ in range(LOOKS):
                self.clock.ms += LOOK_MS
                self.take(self.overhead.look())
            return
        hands = [hand for hand in self.world.felt().hands if hand.cards]
        at_ns = self.clock.mono_ns()
        if self.world.smeared:
            boxes = sorted({hand.box for hand in hands if hand.box})
            troubles = tuple(Trouble("CAMERA_UNREAD", (("box", box),), hold=False) for box in boxes)
            self.take(Report("camera", at_ns, (), troubles))
            return
        seen = tuple(
            Detection(hand.box, Card(*card_named(card.rank, card.suit)))
            for hand in hands
            for card in hand.cards
            if card.face == "up"
        )
        self.take(FrameObservation("camera", at_ns, seen))

    def until_stands(self, fault: DemoFault) -> None:
        """Play until the fault has happened and the table shows it; of a stand it cannot know."""
        self.faults.call(fault)
        for _ in range(ACTS_MAX):
            self.act()
            if self.stands(fault) and (self.codes or fault == "mistapped_stand"):
                return
        raise AssertionError((fault, "did not happen", self.now.expected))

    def until_round_over(self) -> FaultRow:
        """Play until the round of the last fault has been cleared; how that fault ended."""
        for _ in range(ACTS_MAX):
            number = self.now.state.book.number
            self.act()
            shown = self.faults.listed()
            if self.now.state.book.number > number and shown and shown[0].stage == "mended":
                return shown[0]
        raise AssertionError((self.faults.listed(), self.now.expected, self.now.holds))

    def stands(self, fault: DemoFault) -> bool:
        return any(shown.fault == fault and shown.stage == "stands" for shown in self.faults.listed())

    @property
    def codes(self) -> set[str]:
        """The codes of everything that holds the table, and of every open alert."""
        now = self.now
        return {hold.code for hold in now.holds} | {alert.code for alert in now.alerts}

    def close(self) -> None:
        self.journal.close()
