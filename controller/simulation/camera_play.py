"""The simulated people at a table whose cards a camera sees: hands move cards, and few keys are pressed.

Bets, insurance, even money, surrender and the peek are told; every other decision is a card that lies there.
"""

from random import Random
from typing import Final

from controller.acts.catalogue import CutCard, Decision, End, Observation, Peek, Reveal, ShoeLoaded
from controller.engine import TableState, expected, legal, step
from controller.engine.hands import hole_of, makes_blackjack, up_rank
from controller.runtime.api import Observe, TableSnapshot
from controller.simulation import guests
from controller.simulation.acts import DrawCard, MoveCards, NextAct, PressKeys
from controller.simulation.laid_cards import after_all, burned
from controller.simulation.next_moves import DRAWS, keys_for, pressed, shoe_is_missing
from controller.simulation.pit import way_out
from controller.simulation.world import World

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
    entered: list[Observation] = []
    ahead = state
    while expected(ahead).code == "PLAYER":
        decision = guests.decision(ahead, legal(ahead))
        entered.append(decision)
        if decision.action != "stand":
            return _as_hands_show(decision, tuple(entered))
        ahead = step(ahead, decision).state
    match expected(ahead).code:
        case "REVEAL":
            return MoveCards("turn_up", (*entered, Reveal()))
        case "DRAW":
            return DrawCard(meant=tuple(entered))
    return keys_for(*entered)


def _as_hands_show(decision: Decision, entered: tuple[Observation, ...]) -> NextAct:
    """A decision by what it does to the cards; a surrender moves none, and is told."""
    if decision.action == "surrender":
        return PressKeys((Observe(decision),), meant=entered)
    if decision.action == "split":
        return MoveCards("split", entered)
    return DrawCard(meant=entered)


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
