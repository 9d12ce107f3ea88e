"""The simulated people: they do the one thing that the table waits for, and nothing else.

The dealer's hands deal whenever a card is due. What guests decide, and what the dealer does by pressing
keys, they do only while autoplay is on; otherwise it is left to the screens.
"""

from random import Random
from typing import Final

from controller.acts.catalogue import End, Observation, Reveal, ShoeLoaded, Void
from controller.runtime.api import BoxHandled, Observe, TableSnapshot
from controller.simulation import guests
from controller.simulation.acts import DrawCard, NextAct, PressKeys
from controller.simulation.pit import PIT, REASON, way_out
from controller.simulation.world import World

DRAWS: Final = frozenset({"BURN", "DEAL_BOX", "DEAL_DEALER", "DEAL_DEALER_DOWN", "CARD_OWED", "DRAW"})
"""What is answered by a card out of the shoe."""


def next_move(snapshot: TableSnapshot, world: World, chance: Random, *, autoplay: bool) -> NextAct:
    """Find what the people do now; None: they wait for the screens.

    A table that a person has stopped stays stopped until a person goes on.
    """
    if snapshot.holds:
        return way_out(snapshot, world) if autoplay else None
    if snapshot.expected.code in DRAWS:
        return DrawCard()
    if snapshot.expected.code == "NEW_SHOE" or shoe_is_missing(snapshot):
        return keys_for(ShoeLoaded(snapshot.rules.decks))
    return pressed(snapshot, chance) if autoplay else None


def pressed(snapshot: TableSnapshot, chance: Random) -> NextAct:
    """What people press when the present line asks for it; None where it asks for a card."""
    state = snapshot.state
    match snapshot.expected.code:
        case "PLACE_BETS":
            return keys_for(*guests.bets(snapshot.rules, chance))
        case "INSURANCE":
            return keys_for(guests.insurance(snapshot.acts, chance))
        case "PLAYER":
            return keys_for(guests.decision(state, snapshot.acts))
        case "REVEAL":
            return keys_for(Reveal())
        case "SETTLED":
            return _settle(snapshot)
        case "DISPUTED":
            return keys_for(Void(None, PIT, REASON))
        case "VOIDED":
            return keys_for(End())
    return None


def _settle(snapshot: TableSnapshot) -> NextAct:
    """Pay box after box in the house's order, then clear the table."""
    result = snapshot.result
    if result is None:
        return keys_for(End())
    left = [box for box in result.settle_order if box not in snapshot.pay.handled]
    return PressKeys((BoxHandled(result.round, left[0]),)) if left else keys_for(End())


def shoe_is_missing(snapshot: TableSnapshot) -> bool:
    """A table that was just opened waits for its first shoe."""
    state = snapshot.state
    loaded = any(isinstance(fact.obs, ShoeLoaded) for fact in state.log)
    return (
        state.book.number == 1
        and state.shoe.seen == 0
        and snapshot.expected.code == "PLACE_BETS"
        and not loaded
    )


def keys_for(*observations: Observation) -> PressKeys:
    """The dealer presses keys that say this, one after the other."""
    return PressKeys(tuple(Observe(observation) for observation in observations))
