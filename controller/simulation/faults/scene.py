"""What a fault depends on, and the faults about decisions.

The table as it is shown, and what lies and comes in truth.
"""

from typing import Final, NamedTuple

from controller.acts.catalogue import AmendDecision, CardSeen, Decision, Reveal
from controller.engine import expected, legal, step
from controller.engine.amend.decisions import numbered
from controller.engine.constants import OWED_HIT
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.round.play import can_take, owed_at
from controller.engine.state import Box, Hand, TableState
from controller.runtime.api import Observe, TableSnapshot
from controller.simulation import guests
from controller.simulation.acts import DrawCard, NextAct, PressKeys
from controller.simulation.pit import PIT, REASON, ruled
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


ASKED_FROM: Final = 17
"""A card for a hard hand of this total or more is asked about, where nobody entered a hit (table options)."""


def stuck_cards(scene: FaultScene) -> Acts:
    """Two cards come out of the shoe as one while a guest asked for a single card.

    Only where the second one has a place: the guest wants it as well, or he is the last one and the dealer
    draws next.
    """
    state, at = scene.snapshot.state, scene.snapshot.state.current
    coming = scene.world.ahead(2)
    if at is None or at[1].owed != OWED_HIT or len(coming) < 2:
        return ()
    after = step(state, CardSeen(coming[0].rank, coming[0].suit)).state
    if not _is_at(after, at):
        return ()
    said = guests.decision(after, legal(after))
    goes_on = said.action == "hit" or (said.action == "stand" and _ends_play(scene, after, said))
    return (DrawCard(with_next=True),) if goes_on else ()


def _ends_play(scene: FaultScene, state: TableState, stand: Decision) -> bool:
    """Whether the dealer takes the next card once this hand stands."""
    after = step(state, stand).state
    return after.current is None and scene.dealer_draws(after)


def _is_at(state: TableState, at: tuple[Box, Hand]) -> bool:
    """Whether it is still the turn of this hand."""
    now = state.current
    return now is not None and (now[0].box, now[1].number) == (at[0].box, at[1].number)


def mistapped_stand(scene: FaultScene) -> Acts:
    """The dealer taps Stand for a guest who takes a card.

    Where the card can pass for one of the next hand nobody notices before it lies there; else the dealer
    takes the tap back at once.
    """
    state, at = scene.snapshot.state, scene.snapshot.state.current
    if scene.code != "PLAYER" or at is None or not scene.world.ahead(1):
        return ()
    meant = guests.decision(state, scene.snapshot.acts)
    if meant.action != "hit":
        return ()
    stand = Decision(meant.box, meant.hand, "stand")
    if _takes_unasked(step(state, stand).state):
        tap = PressKeys((Observe(stand),), "dealer", meant=(meant,))
        return (tap, DrawCard(lies_at=(meant.box, meant.hand)))
    return (PressKeys((Observe(stand),), "dealer", meant=()),)


def _takes_unasked(state: TableState) -> bool:
    """Whether a card that comes now passes for a hit of the hand whose turn it is."""
    at = state.current
    if at is None or owed_at(at[0]) >= 0:
        return False
    hand = at[1]
    soft = hand.total != hand.hard
    return can_take(hand, state.book.rules) and (soft or hand.total < ASKED_FROM)


def untapped(snapshot: TableSnapshot, *, late: bool) -> PressKeys | None:
    """Take the last stand that was entered back: the dealer's Undo, or `late` a ruling of the pit."""
    for fact in reversed(numbered(snapshot.state)):
        entered = fact.obs
        if isinstance(entered, Decision) and entered.action == "stand" and fact.made:
            made = next(one for one in fact.made if (one.box, one.hand) == (entered.box, entered.hand))
            if late:
                return ruled(AmendDecision(*made, None, PIT, REASON))
            undo = AmendDecision(*made, None, "simulated dealer", REASON)
            return PressKeys((Observe(undo),), "dealer", meant=())
    return None
