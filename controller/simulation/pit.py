"""The simulated pit: for every hold the way out that leads back to what lies on the felt."""

from collections.abc import Iterator
from typing import Final

from controller.acts.catalogue import (
    CardSeen,
    Correct,
    HoldsLifted,
    InsuranceClosed,
    Observation,
    Paid,
    ShoeLoaded,
    ShoeVoided,
    Strike,
    Void,
)
from controller.engine.dealer import hidden_hole
from controller.engine.state import Seen
from controller.policy.state.holds import ASKED, NEED_ANSWER, NOT_DEALT, PICTURE_DIFFERS
from controller.runtime.api import HoldView, Observe, Resume, TableSnapshot
from controller.simulation import guests
from controller.simulation.acts import DrawCard, Handle, NextAct, PressKeys
from controller.simulation.laid_cards import placed
from controller.simulation.world import World

PIT: Final = "simulated pit"
REASON: Final = "simulation"

UNREAD: Final = frozenset(("CARD_UNREAD", "HOLE_CARD_UNREAD", "CARD_READ_DIFFERENTLY"))
"""Holds that end once somebody has looked at the card and named it: before that nobody rules on it."""

MISREAD: Final = ("TOO_MANY_OF_A_KIND", "CAMERA_DISAGREES", "CAMERA_UNSURE")
"""Beginnings of the codes of holds after which somebody compares every card with the screen."""


def way_out(snapshot: TableSnapshot, world: World) -> NextAct:
    """Answer what is asked, or mend the first fault.

    None: nothing can be done yet, or a person has stopped the table.
    """
    if any(hold.code == "FROZEN" for hold in snapshot.holds):
        return None
    # A question is not gone on over, and not answered while the table waits for more.
    others = tuple(hold for hold in snapshot.holds if hold.code not in NEED_ANSWER)
    for hold in sorted(others or snapshot.holds, key=_turn):
        act = _ruling(snapshot, hold, world)
        if act is not None:
            return act
    if world.unplugged:
        return Handle("plug_cable")
    if any(device.state == "lost" for device in snapshot.devices):
        return None
    return PressKeys((Resume(),), "pit")


def ruled(observation: Observation) -> PressKeys:
    """The pit enters a ruling."""
    return PressKeys((Observe(observation),), "pit", meant=())


def _ruling(snapshot: TableSnapshot, hold: HoldView, world: World) -> NextAct:
    """The way out of one hold; None where only going on is left."""
    if hold.code in NEED_ANSWER and hold.release == "dealer":
        decided = hold.code == ASKED
        answer = guests.decision(snapshot.state, snapshot.acts) if decided else InsuranceClosed()
        return PressKeys((Observe(answer),))
    if hold.code in UNREAD:
        return _named(snapshot, hold.card, world)
    if hold.code == NOT_DEALT and hold.card:
        return _not_dealt(snapshot, hold, world)
    if hold.code == "WRONG_PAYOUT":
        return _paid(snapshot, hold)
    if hold.code.startswith(MISREAD):
        if world.out_of_place:
            return Handle("lay_right")
        misread = _misread(snapshot, world)
        if misread is not None:
            return misread
    return _by_profile(snapshot, hold)


def _by_profile(snapshot: TableSnapshot, hold: HoldView) -> NextAct:
    """The house's way that needs no look at the felt; None where the round may go on as it is."""
    if hold.code in PICTURE_DIFFERS and hold.ways:
        return ruled(HoldsLifted(PIT, REASON, (hold.code,)))
    if "draw" in hold.ways:
        return DrawCard()
    if "burn" in hold.ways:
        return ruled(Strike(hold.card or snapshot.state.cards_seen, None, PIT, REASON, burn=True))
    if "shoe" in hold.ways:
        return PressKeys((Observe(ShoeLoaded(snapshot.rules.decks)),), "pit", meant=())
    if "keep" in hold.ways or not hold.ways:
        return None
    if "void_round" in hold.ways:
        return ruled(Void(None, PIT, REASON))
    return ruled(ShoeVoided(PIT, REASON)) if "shoe_void" in hold.ways else None


def _turn(hold: HoldView) -> int:
    """Whether a card is there at all comes before which one it is, and that before all else."""
    return 0 if hold.code == NOT_DEALT else 1 if hold.code in UNREAD else 2


def _not_dealt(snapshot: TableSnapshot, hold: HoldView, world: World) -> NextAct:
    """Keep a card that lies there, which the shoe has missed; strike one of which there is no more."""
    lying = sum(laid.box == hold.box for laid in world.lying_cards().values())
    known = sum(laid.box == hold.box for _, laid in placed(snapshot.state))
    there = lying >= known and "keep" in hold.ways
    return None if there else ruled(Strike(hold.card, None, PIT, REASON))


def _named(snapshot: TableSnapshot, number: int, world: World) -> NextAct:
    """Name a card of the round as it lies there."""
    for seen in _cards(snapshot):
        if seen.n == number:
            card = world.truth(seen)
            return ruled(Correct(number, None, card.rank, card.suit, PIT, REASON))
    return None


def _misread(snapshot: TableSnapshot, world: World) -> NextAct:
    """Name the first open card that the table takes for another one."""
    hole = snapshot.state.dealer.hole if hidden_hole(snapshot.state.dealer) else -1
    down = snapshot.state.dealer.cards[hole].n if hole >= 0 else 0
    for seen in _cards(snapshot):
        if seen.n != down and seen.card != world.truth(seen):
            return _named(snapshot, seen.n, world)
    return None


def _cards(snapshot: TableSnapshot) -> Iterator[Seen]:
    """The cards of the round in the order in which they came."""
    for fact in snapshot.state.log:
        if isinstance(fact.obs, CardSeen):
            yield Seen(fact.n, fact.obs)


def _paid(snapshot: TableSnapshot, hold: HoldView) -> NextAct:
    """Tell that what was wrong has been paid or collected."""
    seat = dict(hold.params).get("seat")
    result = snapshot.result
    for bet in () if result is None else result.bets:
        if (bet.box, bet.seat) == (hold.box, seat):
            return ruled(Paid(bet.box, bet.seat, bet.returned))
    return None
