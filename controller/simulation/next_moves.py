"""What the simulated people do next: the one thing that the table waits for, and nothing else.

The dealer's hands deal whenever a card is due. What guests decide, and what the dealer does by pressing
keys, they do only while autoplay is on; otherwise it is left to the screens. Where a camera sees the cards,
hands move cards, and few keys are pressed: bets, insurance, even money, surrender and the peek are entered.
"""

from random import Random
from typing import Final

from controller.acts.catalogue import CutCard, Decision, End, Observation, Peek, Reveal, ShoeLoaded, Void
from controller.engine import TableState, expected, legal, step
from controller.engine.hands import hole_of, makes_blackjack, up_rank
from controller.runtime.api import BoxHandled, Observe, TableSnapshot
from controller.simulation import guests
from controller.simulation.acts import DrawCard, MoveCards, NextAct, PressKeys
from controller.simulation.laid_cards import after_all, burned
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


TURNS: Final = MoveCards("turn_up", (Reveal(),))
CLEARS: Final = MoveCards("clear", (End(),))


def next_move_on_felt(snapshot: TableSnapshot, world: World, chance: Random, *, autoplay: bool) -> NextAct:
    """As `controller.simulation.next_moves.next_move`, with hands in place of the keys for decisions.

    The dealer's hands deal, peek and turn the face-down card even while autoplay is off.
    """
    if snapshot.holds:
        return way_out(snapshot, world) if autoplay else None
    by_hands = _by_hands(snapshot, world)
    if by_hands is not None or not autoplay:
        return by_hands
    state = burned(snapshot.state)
    if expected(state).code == "PLAYER":
        return _decided(state)
    act = pressed(snapshot._replace(state=state, expected=expected(state), acts=legal(state)), chance)
    # A settled round is ended by clearing the table; a void one by its key.
    return CLEARS if expected(state).code == "SETTLED" and act == keys_for(End()) else act


def _by_hands(snapshot: TableSnapshot, world: World) -> NextAct:
    """What the dealer does without being asked; None where it is the guests' turn."""
    if snapshot.expected.code == "NEW_SHOE" or shoe_is_missing(snapshot):
        return keys_for(ShoeLoaded(snapshot.rules.decks))
    if not world.shoe_reads and world.has_shoe and world.cut_card_due:
        world.deal_cut_card()
        return keys_for(CutCard())
    state = snapshot.state if world.shoe_reads else burned(snapshot.state)
    match expected(state).code:
        case "PEEK":
            return keys_for(Peek(_has_blackjack(state, world)))
        case "REVEAL":
            return TURNS
        case code:
            return DrawCard() if code in DRAWS else None


def _decided(state: TableState) -> NextAct:
    """What the guests decide next as hands show it; those who stand are passed over."""
    said: list[Observation] = []
    ahead = state
    while expected(ahead).code == "PLAYER":
        decision = guests.decision(ahead, legal(ahead))
        said.append(decision)
        if decision.action != "stand":
            return _as_hands_show(decision, tuple(said))
        ahead = step(ahead, decision).state
    match expected(ahead).code:
        case "REVEAL":
            return MoveCards("turn_up", (*said, Reveal()))
        case "DRAW":
            return DrawCard(meant=tuple(said))
    return keys_for(*said)


def _as_hands_show(decision: Decision, said: tuple[Observation, ...]) -> NextAct:
    """A decision by what it does to the cards; a surrender moves none, and is entered."""
    if decision.action == "surrender":
        return PressKeys((Observe(decision),), meant=said)
    if decision.action == "split":
        return MoveCards("split", said)
    return DrawCard(meant=said)


def _has_blackjack(state: TableState, world: World) -> bool:
    hole = hole_of(state.dealer)
    return hole is not None and makes_blackjack(up_rank(state.dealer), world.truth(hole).rank)


def moved(world: World, act: MoveCards, state: TableState) -> None:
    """Move the cards on the layout as hands do."""
    match act.what:
        case "split":
            world.move_apart(state, act.meant)
        case "turn_up":
            world.turn_up()
        case "clear":
            world.clear()


def is_done(act: MoveCards, before: TableState, now: TableState) -> bool:
    """Whether the table has seen what hands did."""
    match act.what:
        case "split":
            return _hands(now) > _hands(after_all(before, act.meant[:-1]))
        case "turn_up":
            return now.dealer.revealed
        case "clear":
            return now.book.number > before.book.number


def _hands(state: TableState) -> int:
    return sum(len(box.hands) for box in state.boxes)
