"""A simulated round at the live table's own door: looks and the shoe's reports in, a journal on disk out."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.acts.catalogue import CardSeen, Observation
from controller.feed.feed_lines import FeedLine
from controller.feed.replay import Played
from controller.journal.entry import Body, Entry, body_of
from controller.journal.store import Journal
from controller.policy import House, TableOptions, TableRun
from controller.policy.line import DEFAULT_OPTIONS
from controller.ports import Health, Orderable, Report
from controller.rules import load_file
from controller.runtime.api import Accepted, Action, Command, CommandAnswer, Observe
from controller.runtime.decide import TableDevices
from controller.runtime.door import TableDoor
from controller.runtime.felt_witness import FeltLook, Going, WitnessPlan
from controller.runtime.inbox import SubmittedCommand, TableLimits
from controller.runtime.restore import Identity, start
from controller.simulation.moves import amounts
from tests.witnesses.simulated_felt import USUAL, CameraErrors, SimulatedFelt
from tests.witnesses.simulated_round import Outcome, SimulatedRound

BEGIN_US = 1_795_000_000_000_000
TAPS_AGAIN_MS = 4000


class FeltClock:
    """The time of a simulated felt."""

    def __init__(self, felt: SimulatedFelt) -> None:
        self.felt = felt

    def utc_us(self) -> int:
        return BEGIN_US + self.felt.now_ms * 1000

    def mono_ns(self) -> int:
        return self.felt.now_ms * 1_000_000


class LiveTable:
    """The door of a live table with a camera that deals; a dealer taps again what was too early."""

    def __init__(
        self,
        house: str,
        path: Path,
        felt: SimulatedFelt,
        plan: WitnessPlan,
        options: TableOptions = DEFAULT_OPTIONS,
        camera: Orderable | None = None,
    ) -> None:
        """`camera` is one that takes orders."""
        self.clock, self.path, self.plan = FeltClock(felt), path, plan
        self.camera = camera
        file = load_file(house, Path())
        settled = House(file.irregularities, options)
        self.identity = Identity("T1", file.rules._replace(hit_on_21=False), "EUR", settled)
        self._presses = 0
        self._taps: deque[tuple[int, Observation]] = deque()
        self.open()

    def open(self) -> None:
        """Start the program: the first time, or once more on the same journal."""
        self.journal = Journal.open(self.path, self.clock)
        ledger = start(self.journal, self.identity, "live", "test")
        limits = TableLimits(journal_slow_ms=600_000)
        self.door = TableDoor(
            self.journal,
            ledger,
            self.clock,
            mode="live",
            limits=limits,
            witnesses=self.plan,
            devices=TableDevices(self._health, None if self.camera is None else self._order),
        )

    def _health(self) -> tuple[Health, ...]:
        orders = getattr(self.camera, "orders", ())
        return (Health(self.plan.camera, "camera", "live", "", 0, "", orders=orders),)

    def _order(self, _name: str, order: str) -> bool:
        assert self.camera is not None
        return self.camera.order(order)

    def restart(self) -> None:
        self.journal.close()
        self.open()

    @property
    def run(self) -> TableRun:
        return self.door.ledger.run

    def cards_of_box(self) -> list[str]:
        """The cards of the only box, as the table knows them."""
        (box,) = self.run.state.boxes
        return [str(seen.card) for hand in box.hands for seen in hand.cards]

    @property
    def codes(self) -> set[str]:
        """The codes of the holds."""
        return {hold.code for hold in self.run.holds}

    def ask(self, action: Action, role: Any = "pit") -> CommandAnswer:
        answers: list[CommandAnswer] = []
        self._presses += 1
        name = f"press-{self.clock.mono_ns()}-{self._presses}"
        for report in self.door.take(
            SubmittedCommand(Command(name, "p7", role, None, action), answers.append)
        ):
            self.door.take(report)
        return answers[0]

    def report(self, *observations: Observation, source: str = "shoe") -> None:
        self.door.take(Report(source, self.clock.mono_ns(), observations))

    def take_line(self, line: FeedLine) -> Iterator[Played]:
        if isinstance(line.obs, CardSeen):
            self.report(line.obs._replace(by="shoe"))
        else:
            self._taps.append((self.clock.felt.now_ms, line.obs))
            self._tap()
        return iter(())

    def look(self, look: Any) -> Iterator[Played]:
        self.door.take(FeltLook(self.plan.camera, look.view.t_ms * 1_000_000, look.view))
        self._tap()
        return iter(())

    def _tap(self) -> None:
        while self._taps:
            since_ms, told = self._taps[0]
            taken = isinstance(self.ask(Observe(told)), Accepted)
            if not taken and self.clock.felt.now_ms - since_ms < TAPS_AGAIN_MS:
                return
            self._taps.popleft()

    def entries(self, kind: str) -> list[Body]:
        found = [entry for entry in self.journal.read() if isinstance(entry, Entry)]
        return [body_of(entry) for entry in found if entry.kind == kind]


class LiveRound(SimulatedRound):
    """As `SimulatedRound`, with the live table in place of the replay's."""

    def __init__(
        self,
        house: str,
        seed: int,
        path: Path,
        errors: CameraErrors = USUAL,
        *,
        shoe: bool = False,
        faults: float = 0.0,
        degrade: Going = "hold",
    ) -> None:
        super().__init__(house, seed, errors, shoe=shoe, faults=faults)
        plan = WitnessPlan("overhead", "shoe" if shoe else "", degrade)
        self.live = LiveTable(house, path, self.felt, plan)
        self.table = self.live  # type: ignore[assignment]  # the door of the live table in place of the replay's
        self._seen: tuple[object, ...] = ()

    def receive(self, played: Any) -> None:
        for _ in played:
            pass
        holds = self.live.run.holds
        new = [hold for hold in holds if hold not in self._seen]
        self._seen = holds
        for hold in new:
            self.answer({"code": hold.code, "params": dict(hold.params)})

    def judge(self) -> Outcome:
        codes, asked = tuple(self.stuck), tuple(self.asked)
        if self.stuck:
            return Outcome("held", codes, asked, ())
        settled = [body for body in self.live.entries("settled") if body["round"] == 1]
        if not settled:
            return Outcome("open", ("OPEN",), asked, ())
        paid = {(bet["box"], bet["seat"]): (bet["staked"], bet["returned"]) for bet in settled[-1]["bets"]}
        ended = self.state.book.number == 2
        return Outcome("right" if paid == amounts(self.truth) and ended else "wrong", (), asked, ())
