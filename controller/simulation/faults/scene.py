"""What a fault depends on: the table as it is shown, and what lies and comes in truth."""

from typing import NamedTuple

from controller.acts.catalogue import Reveal
from controller.engine import expected, step
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.state import TableState
from controller.runtime.api import TableSnapshot
from controller.simulation.acts import NextAct
from controller.simulation.world import World

Acts = tuple[NextAct, ...]
"""What happens one after the other; () where the round leaves no room for it now."""


class FaultScene(NamedTuple):
    """The table and what lies there in truth."""

    snapshot: TableSnapshot
    world: World

    @property
    def code(self) -> str:
        """What the table waits for."""
        return self.snapshot.expected.code

    @property
    def is_paying(self) -> bool:
        """Whether the round is settled and no box has been paid yet."""
        result, pay = self.snapshot.result, self.snapshot.pay
        handled = pay.handled if result is not None and pay.round == result.round else ()
        return self.code == "SETTLED" and result is not None and not handled

    def dealer_draws(self, state: TableState) -> bool:
        """Whether the dealer takes the next card, in a state in which every hand is done."""
        hole = hole_of(state.dealer)
        if hole is not None and hidden_hole(state.dealer):
            card = self.world.truth(hole)
            state = step(state, Reveal(card.rank, card.suit)).state
        return expected(state).code == "DRAW"
