"""Which fault happens when: one at a time, by plan every few rounds or as the page calls them."""

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Final

from controller.domain import TableError
from controller.runtime.api import AlertStep, TableSnapshot
from controller.screens.shapes.demo_faults import DEMO_FAULTS, DemoFault, ShownFault
from controller.simulation.acts import DrawCard, Handle, NextAct, PressKeys
from controller.simulation.clean_round import Amounts, amounts
from controller.simulation.faults.causes import CAUSES
from controller.simulation.faults.scene import FaultScene, untapped
from controller.simulation.pit import way_out
from controller.simulation.world import World

EVERY_ROUNDS: Final = 2
"""From a fault of the plan to the next one."""

NOTICED_US: Final = 8_000_000
"""A fault that no device has reported after so long is noticed by somebody at the table."""

UNSEEN_BY_SHOE: Final[frozenset[DemoFault]] = frozenset(("unread_card",))
"""Faults of a reader in the shoe: a camera at its mouth does not have them."""


@dataclass
class StandingFault:
    """A fault that has begun.

    `acts` are still to happen; `noticed_us` is when the table or somebody at it noticed. `late`: a card came
    before anybody could notice.
    """

    fault: DemoFault
    round: int
    began_us: int
    acts: deque[NextAct]
    noticed_us: int | None = None
    mending: bool = False
    late: bool = False


class PlannedFaults:
    """Lets faults happen and mends them; `FaultBoard` of the screens. Used on the table's loop."""

    def __init__(
        self,
        world: World,
        seed: int,
        *,
        mouth: bool = False,
        look_us: int = 0,
        every_rounds: int = EVERY_ROUNDS,
        without: frozenset[DemoFault] = frozenset(),
        speed: float | None = None,
    ) -> None:
        """`mouth`: a camera sees the cards leave the shoe. `look_us`: how long a fault is left to be seen.

        `every_rounds` is how many rounds lie between two faults of the plan; 0: only those that are called.
        `without` are those that this table cannot show. `speed`: see `FaultBoard`.
        """
        self.speed = speed
        self._world = world
        self._look_us = look_us
        self._every_rounds = every_rounds
        left_out = without | (UNSEEN_BY_SHOE if mouth else frozenset())
        self._possible = tuple(fault for fault in DEMO_FAULTS if fault not in left_out)
        self._chance = Random(f"faults {seed}")
        self._called: list[DemoFault] = []
        self._left: set[DemoFault] = set()
        self._plan: list[DemoFault] = []
        self._next_round = 0
        self._standing: StandingFault | None = None
        self._last: ShownFault | None = None

    @property
    def possible(self) -> tuple[DemoFault, ...]:
        """See `FaultBoard.possible`."""
        return self._possible

    def listed(self) -> tuple[ShownFault, ...]:
        """See `FaultBoard.listed`."""
        standing = self._standing
        now = () if standing is None else (ShownFault(standing.fault, "stands", standing.round),)
        called = tuple(ShownFault(fault, "called") for fault in self._called)
        return (*now, *called, *(() if self._last is None else (self._last,)))

    def call(self, fault: DemoFault, *, left: bool = False) -> None:
        """See `FaultBoard.call`."""
        if fault not in self._possible:
            raise TableError("FAULT_NOT_POSSIBLE")
        standing = self._standing
        if standing is not None and standing.fault == fault:
            self._put_right()
        elif fault not in self._called:
            self._called.append(fault)
            if left:
                self._left.add(fault)

    def round_over(self, snapshot: TableSnapshot, planned: Amounts | None) -> None:
        """Hear what the round of the last fault was to pay, before the table is cleared."""
        last = self._last
        if last is None or last.round != snapshot.state.book.number or planned is None:
            return
        self._last = last._replace(as_planned=amounts(snapshot.state) == planned)

    def take_turn(self, snapshot: TableSnapshot, *, autoplay: bool) -> tuple[bool, NextAct]:
        """Whether a fault or its mending comes before everything else, and what happens then."""
        if self._standing is None:
            self._begin(snapshot, autoplay=autoplay)
        if self._standing is None:
            return False, None
        return self._go_on(self._standing, snapshot, autoplay=autoplay)

    def _begin(self, snapshot: TableSnapshot, *, autoplay: bool) -> None:
        """Begin the first fault that the round leaves room for; the plan rests while people play."""
        if snapshot.holds or snapshot.waiting or not self._world.has_shoe:
            return
        scene = FaultScene(snapshot, self._world)
        planned = self._due(snapshot.state.book.number) if autoplay else ()
        for fault in (*self._called, *planned):
            acts = CAUSES[fault](scene)
            if acts:
                self._take_off(fault)
                number = snapshot.state.book.number
                late = any(isinstance(act, DrawCard) for act in acts)
                self._standing = StandingFault(fault, number, snapshot.at_utc_us, deque(acts), late=late)
                self._next_round = number + self._every_rounds
                return

    def _due(self, number: int) -> tuple[DemoFault, ...]:
        """The faults of the plan, the next one first; none while the last one is fresh."""
        if not self._plan:
            self._plan = list(self._possible)
            self._chance.shuffle(self._plan)
        return tuple(self._plan) if self._every_rounds and number >= self._next_round else ()

    def _take_off(self, fault: DemoFault) -> None:
        for waiting in (self._called, self._plan):
            if fault in waiting:
                waiting.remove(fault)

    def _go_on(
        self, standing: StandingFault, snapshot: TableSnapshot, *, autoplay: bool
    ) -> tuple[bool, NextAct]:
        """Let the fault happen, be noticed, be seen for a while, and be mended."""
        if standing.acts:
            return True, standing.acts.popleft()
        now_us = snapshot.at_utc_us
        if standing.noticed_us is None:
            if not _is_noticed(standing, snapshot) and now_us - standing.began_us < NOTICED_US:
                return True, None
            standing.noticed_us = now_us
        if not autoplay or standing.fault in self._left:
            return self._leave_to_people(standing, snapshot)
        if now_us - standing.noticed_us < self._look_us:
            return True, None
        return True, self._mend(standing, snapshot)

    def _leave_to_people(self, standing: StandingFault, snapshot: TableSnapshot) -> tuple[bool, NextAct]:
        """Wait for the people at the screens; what only hands can do they do when they are asked to."""
        if not snapshot.holds and not self._is_out_of_order():
            self._over(standing)
            return False, None
        return bool(snapshot.holds), None

    def _mend(self, standing: StandingFault, snapshot: TableSnapshot) -> NextAct:
        """The next step back to a sound table; then the fault is over."""
        if not standing.mending:
            standing.mending = True
            if standing.fault == "mistapped_stand":
                return untapped(snapshot, late=standing.late)
        if self._world.smeared:
            return Handle("wipe_lens")
        if self._world.out_of_place:
            return Handle("lay_right")
        if snapshot.holds:
            return self._way_out(standing, snapshot)
        open_since = [alert for alert in snapshot.alerts if alert.at_utc_us >= standing.began_us]
        self._over(standing)
        steps = tuple(AlertStep(alert.alert, "resolve", "mended") for alert in open_since)
        return PressKeys(steps, "pit", meant=())

    def _way_out(self, standing: StandingFault, snapshot: TableSnapshot) -> NextAct:
        """The pit's way; a card that is asked about after a mis-tapped stand was meant before it came."""
        act = way_out(snapshot, self._world)
        meant_before = standing.fault == "mistapped_stand" and isinstance(act, PressKeys)
        return act._replace(meant=()) if meant_before and isinstance(act, PressKeys) else act

    def _over(self, standing: StandingFault) -> None:
        self._left.discard(standing.fault)
        self._last = ShownFault(standing.fault, "mended", standing.round)
        self._standing = None

    def _is_out_of_order(self) -> bool:
        world = self._world
        return world.smeared or world.unplugged or world.out_of_place

    def _put_right(self) -> None:
        """Do with the hands what only hands can: the cable, the lens, the cards on the felt."""
        if self._world.unplugged:
            self._world.plug_cable()
        self._world.wipe_lens()
        self._world.lay_right()


def _is_noticed(standing: StandingFault, snapshot: TableSnapshot) -> bool:
    """Whether the table shows it: it holds, or an alert has come since."""
    found = any(alert.at_utc_us >= standing.began_us for alert in snapshot.alerts)
    return bool(snapshot.holds) or found
