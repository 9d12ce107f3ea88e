"""The simulated people: they do the one thing that the table waits for, and nothing else.

The dealer's hands deal whenever a card is due. What guests decide, and what the dealer does by pressing
keys, they do only while autoplay is on; otherwise it is left to the screens.
"""

from random import Random
from typing import Final, NamedTuple

from controller.domain.observations import (
    End,
    Observation,
    Reveal,
    ShoeLoaded,
    Strike,
    Void,
)
from controller.runtime.api import Action, BoxHandled, Observe, Resume, TableSnapshot
from controller.simulation import guests

DRAWS: Final = frozenset({"BURN", "DEAL_BOX", "DEAL_DEALER", "DEAL_DEALER_DOWN", "CARD_OWED", "DRAW"})
"""What is answered by a card out of the shoe."""


class DrawCard(NamedTuple):
    """The dealer draws a card."""


class PressKeys(NamedTuple):
    """Somebody presses keys: these, in this order."""

    actions: tuple[Action, ...]


NextAct = DrawCard | PressKeys | None


def next_move(snapshot: TableSnapshot, chance: Random, *, autoplay: bool) -> NextAct:
    """Find what the people do now; None: they wait for the screens.

    A table that a person has stopped stays stopped until a person goes on.
    """
    if snapshot.holds:
        stopped = any(hold.code == "FROZEN" for hold in snapshot.holds)
        return _way_out(snapshot, chance) if autoplay and not stopped else None
    if snapshot.expected.code in DRAWS:
        return DrawCard()
    if snapshot.expected.code == "NEW_SHOE" or _shoe_is_missing(snapshot):
        return _say(ShoeLoaded(snapshot.rules.decks))
    return _pressed(snapshot, chance) if autoplay else None


def _way_out(snapshot: TableSnapshot, chance: Random) -> NextAct:
    """Answer what is asked; out of a fault in the first way that a simulated pit knows."""
    for hold in snapshot.holds:
        if hold.code in ASKED:
            return _pressed(snapshot, chance)
        if "draw" in hold.ways:
            return DrawCard()
        if "burn" in hold.ways:
            card = snapshot.state.cards_seen
            return _say(Strike(card, None, "simulated pit", "simulation", burn=True))
        if "shoe" in hold.ways:
            # The cut card came before the first card of a round: no round is dealt before the shuffle.
            return _say(ShoeLoaded(snapshot.rules.decks))
        if hold.ways and "keep" not in hold.ways:
            return _say(Void(None, "simulated pit", "simulation"))
    return PressKeys((Resume(),))


ASKED: Final = frozenset(("DECISION_UNCLEAR", "HOLE_CARD_UNREAD"))
"""Holds whose answer is what the present line asks for."""


def _pressed(snapshot: TableSnapshot, chance: Random) -> NextAct:
    """Press what the present line asks for."""
    state = snapshot.state
    match snapshot.expected.code:
        case "PLACE_BETS":
            return _say(*guests.bets(snapshot.rules, chance))
        case "INSURANCE":
            return _say(guests.insurance(snapshot.acts, chance))
        case "PLAYER":
            return _say(guests.decision(state, snapshot.acts))
        case "REVEAL":
            return _say(Reveal())
        case "SETTLED":
            return _settle(snapshot)
        case "DISPUTED":
            return _say(Void(None, "simulated pit", "simulation"))
        case "VOIDED":
            return _say(End())
    return None


def _settle(snapshot: TableSnapshot) -> NextAct:
    """Pay box after box in the house's order, then clear the table."""
    result = snapshot.result
    if result is None:
        return _say(End())
    left = [box for box in result.settle_order if box not in snapshot.pay.handled]
    return PressKeys((BoxHandled(result.round, left[0]),)) if left else _say(End())


def _shoe_is_missing(snapshot: TableSnapshot) -> bool:
    """A table that was just opened waits for its first shoe."""
    state = snapshot.state
    loaded = any(isinstance(fact.obs, ShoeLoaded) for fact in state.log)
    return (
        state.book.number == 1
        and state.shoe.seen == 0
        and snapshot.expected.code == "PLACE_BETS"
        and not loaded
    )


def _say(*observations: Observation) -> PressKeys:
    return PressKeys(tuple(Observe(observation) for observation in observations))
