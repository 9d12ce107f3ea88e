"""The simulated people as a whole: what they do next, and what their hands do to shoe, felt and devices."""

from random import Random
from typing import assert_never

from controller.acts.catalogue import End
from controller.runtime.api import Action, Observe, TableSnapshot
from controller.simulation.acts import DrawCard, Handle, MoveCards, NextAct, PressKeys
from controller.simulation.clean_round import Amounts, CleanRound
from controller.simulation.faults.planned import PlannedFaults
from controller.simulation.next_moves import CLEARS, moved, next_move, next_move_on_felt
from controller.simulation.world import World


class Players:
    """Guests, dealer and pit at one table. Knows nothing of time: whoever asks carries the keys out."""

    def __init__(self, world: World, chance: Random, faults: PlannedFaults | None = None) -> None:
        """Play at this felt; `faults` happen beside what people do."""
        self._world = world
        self._chance = chance
        self._faults = faults
        self._clean = CleanRound()

    @property
    def planned(self) -> Amounts | None:
        """What the round pays by what was in truth dealt and decided; None where nobody knows (yet)."""
        return self._clean.pays()

    def next_act(self, snapshot: TableSnapshot, *, autoplay: bool) -> NextAct:
        """A fault or its mending where there is one, else what the table waits for."""
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
        """Let what comes out next leave the shoe; how many cards that were, 0 for the cut card.

        None where the shoe is locked, and nothing leaves it.
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
        """Hear that the table has taken one of the keys; what was meant by them counts with the first."""
        if act.meant is not None:
            for observation in act.meant if action is act.actions[0] else ():
                self._clean.take_decided(observation)
        elif isinstance(action, Observe):
            self._clean.take_decided(action.observation)
