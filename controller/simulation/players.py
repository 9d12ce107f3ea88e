"""Plays the simulated table: look at the snapshot, do the next act, wait for its effect."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple, assert_never

from controller.acts.catalogue import End
from controller.runtime.api import Action, Command, Observe, Rejected, Role, TableSnapshot
from controller.runtime.door import TableTask
from controller.runtime.felt_witness import BACK_MS
from controller.simulation.faults import PlannedFaults
from controller.simulation.felt import World
from controller.simulation.moves import (
    CLEARS,
    Amounts,
    CleanRound,
    DrawCard,
    Handle,
    MoveCards,
    NextAct,
    PressKeys,
    is_done,
    moved,
    next_move,
    next_move_on_felt,
)


class Players:
    """Guests, dealer and pit at one table, without time: the caller carries out their acts."""

    def __init__(self, world: World, chance: Random, faults: PlannedFaults | None = None) -> None:
        """Play at this layout; `faults` occur beside the people's acts."""
        self._world = world
        self._chance = chance
        self._faults = faults
        self._clean = CleanRound()

    @property
    def planned(self) -> Amounts | None:
        """The round's payouts by the true cards and decisions; None while unknown."""
        return self._clean.pays()

    def next_act(self, snapshot: TableSnapshot, *, autoplay: bool) -> NextAct:
        """Return a fault or its repair if one is due, else the expected act."""
        self._world.follow(snapshot.state)
        self._world.show(snapshot.state)
        self._clean.follow(snapshot, autoplay=autoplay)
        if self._faults is not None:
            comes_first, act = self._faults.take_turn(snapshot, autoplay=autoplay)
            if comes_first:
                return act
        moves = next_move_on_felt if self._world.camera_deals else next_move
        act = moves(snapshot, self._world, self._chance, autoplay=autoplay)
        if self._faults is not None and act in (PressKeys((Observe(End()),)), CLEARS):
            self._faults.round_over(snapshot, self.planned)
        return act

    def draw(self, act: DrawCard, snapshot: TableSnapshot) -> int | None:
        """Let the next card leave the shoe; return the number of cards, 0 for the cut card.

        None when the shoe is locked, and nothing leaves it.
        """
        if self._world.cut_card_due:
            self._world.deal_cut_card()
            return 0
        card = self._world.deal(act.read_as, act.lies_at, act.meant)
        if card is None:
            return None
        for observation in act.meant:
            self._clean.take_decided(observation)
        if act.is_due and not (snapshot.expected.code == "BURN" and self._world.shoe_reads):
            self._clean.dealt(card)
        if not act.with_next:
            return 1
        below = self._world.deal()
        if below is None:
            return 1
        self._clean.stuck(below)
        return 2

    def move(self, act: MoveCards, snapshot: TableSnapshot) -> None:
        """Move cards on the layout."""
        for observation in act.meant:
            self._clean.take_decided(observation)
        moved(self._world, act, snapshot.state)

    def handle(self, act: Handle) -> None:
        """Do something to a device or to the cards on the felt."""
        world = self._world
        match act.what:
            case "pull_cable":
                world.pull_cable()
            case "plug_cable":
                world.plug_cable()
            case "smear_lens":
                world.smear_lens()
            case "wipe_lens":
                world.wipe_lens()
            case "lay_right":
                world.lay_right()
            case what:
                assert_never(what)

    def pressed(self, act: PressKeys, action: Action) -> None:
        """Record an accepted key; the intention behind several counts with the first."""
        if act.meant is not None:
            for observation in act.meant if action is act.actions[0] else ():
                self._clean.take_decided(observation)
        elif isinstance(action, Observe):
            self._clean.take_decided(action.observation)


MOUTH: Final = "mouth"
"""Name of the camera that sees the cards, where no shoe reads them."""

EFFECT_S: Final = 20.0
"""A card that no camera sees, and that the table has not noticed after so long, was lost on the line."""

PACE_S: Final = 0.6
"""Between two acts at speed 1."""

_UNLOCK_S: Final = 0.02
"""Before the dealer's hand tries a locked shoe again."""

AGAIN_S: Final = BACK_MS / 1000 + 0.5
"""After a hold a camera that deals may still be looking for the cards that the table knows."""

_PAUSED_S: Final = 0.1
"""Until the people look again whether they are to go on."""

REST_S: Final = 0.2
"""Before the people try again what was refused."""


class PlayPace(NamedTuple):
    """The speed (1: real time, 0: as fast as possible) and the number of rounds (0: without end)."""

    speed: float
    rounds: int


class SimulatedPeople:
    """Plays the simulated guests, dealer and pit at one table."""

    def __init__(
        self,
        table: TableTask,
        world: World,
        pace: PlayPace,
        seed: int,
        faults: PlannedFaults | None = None,
    ) -> None:
        """Join an open table; `faults` occur beside the people's acts."""
        self._table = table
        self._world = world
        self._pace = pace
        began = table.hub.latest()
        self._players = Players(world, Random(f"guests {seed} {began.seq}"), faults)
        self._board = faults
        self._last = began.state.book.number + pace.rounds
        self._presses = 0
        self._was_held = False
        self._name = f"sim-{began.seq}"

    async def play(self, stop: asyncio.Event) -> None:
        """Play until cancelled; set `stop` when the rounds are done."""
        if self._world.shoe_reads:
            await self._until(_shoe_is_live)
        while not self._done():
            snapshot = self._table.hub.latest()
            await self._act(snapshot)
        stop.set()
        await asyncio.Event().wait()

    def _done(self) -> bool:
        return bool(self._pace.rounds) and self._table.hub.latest().state.book.number >= self._last

    async def _act(self, snapshot: TableSnapshot) -> None:
        self._was_held |= bool(snapshot.holds)
        match self._players.next_act(snapshot, autoplay=bool(self._table.autoplay)):
            case DrawCard() as act:
                await self._rest()
                await self._draw(snapshot, act)
            case PressKeys() as act:
                await self._rest()
                await self._press_all(act)
            case MoveCards() as act:
                await self._rest()
                await self._move(snapshot, act)
            case Handle() as act:
                await self._rest()
                self._players.handle(act)
                self._table.show()
            case None:
                await self._until(lambda now: now is not snapshot)

    async def _draw(self, before: TableSnapshot, act: DrawCard) -> None:
        """Deal a card and wait until the table has it, on the felt or waiting behind a hold.

        After the cut card the dealer looks at the line again: before the first card of a round it asks for a
        fresh shoe.
        """
        if self._world.camera_deals and self._was_held:
            await asyncio.sleep(AGAIN_S)
            self._was_held = False
        latest = self._table.hub.latest()
        if act._replace(meant=()) == DrawCard() and latest.seq != before.seq:
            return
        before, count = latest, latest.state.shoe.seen + latest.waiting
        cards = self._players.draw(act, before)
        while cards is None:
            # The table has lifted its holds, and its order to unlock is on the way to the shoe.
            await asyncio.sleep(_UNLOCK_S)
            if self._table.hub.latest().holds:
                return
            cards = self._players.draw(act, before)
        if cards:
            await self._wait_for(
                before,
                lambda now: now.state.shoe.seen + now.waiting >= count + cards or self._is_stopped(now),
            )
        else:
            await self._wait_for(before, lambda now: now.state.shoe.cut or now.waiting > before.waiting)

    async def _move(self, before: TableSnapshot, act: MoveCards) -> None:
        """Move cards on the layout and wait until the camera has reported it."""
        if self._table.hub.latest().seq != before.seq:
            return
        self._players.move(act, before)
        await self._wait_for(
            before, lambda now: is_done(act, before.state, now.state) or self._is_stopped(now)
        )

    def _is_stopped(self, now: TableSnapshot) -> bool:
        """Whether the cards must stay until the hold is answered."""
        return self._world.camera_deals and bool(now.holds)

    async def _wait_for(self, before: TableSnapshot, effect: Callable[[TableSnapshot], bool]) -> None:
        """Wait until the table has noticed the act, or is at another round.

        With a camera the act lies on the layout, and a slow machine takes its time: a repetition would lay a
        card too many. Without a camera it may be lost on the line.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(None if self._world.camera_deals else EFFECT_S):
                await self._until(
                    lambda now: effect(now) or now.state.book.number != before.state.book.number
                )

    async def _press_all(self, act: PressKeys) -> None:
        """Press one key after the other."""
        for action in act.actions:
            if await self._press(action, act.role):
                self._players.pressed(act, action)
            else:
                await asyncio.sleep(REST_S)

    async def _press(self, action: Action, role: Role) -> bool:
        """Press one key; whether the table has taken it."""
        self._presses += 1
        actor = "simulation" if role == "system" else f"simulated {role}"
        command = Command(f"{self._name}-{self._presses}", actor, role, None, action)
        return not isinstance(await self._table.submit(command), Rejected)

    async def _rest(self) -> None:
        """Wait as long as people take, and while the simulation is paused."""
        while (speed := self._speed()) == 0:
            await asyncio.sleep(_PAUSED_S)
        if speed is not None:
            await asyncio.sleep(PACE_S / speed)

    def _speed(self) -> float | None:
        return (self._pace.speed or None) if self._board is None else self._board.speed

    async def _until(self, holds: Callable[[TableSnapshot], bool]) -> None:
        async for _, snapshot in self._table.hub.subscribe():
            self._world.show(snapshot.state)
            if holds(snapshot):
                return


def _shoe_is_live(now: TableSnapshot) -> bool:
    source = (device for device in now.devices if device.kind == "shoe" or device.name == MOUTH)
    return any(device.state == "live" for device in source)
