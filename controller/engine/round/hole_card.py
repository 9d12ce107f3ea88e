"""The face-down card: the check before play, and turning it."""

from dataclasses import replace

from controller.acts.catalogue import CardSeen, Peek, Reveal
from controller.engine.constants import ACTIVE, BETS, DEAL, INSURANCE, PEEK, PLAY, REVEAL
from controller.engine.dealer import TEN_OR_ACE, dealer_turn, depends, hidden_hole, in_phase, turn_hole
from controller.engine.errors import fault, refuse
from controller.engine.hands import hole_of, makes_blackjack, turned, up_rank
from controller.engine.round.play import infer_stands, start_play
from controller.engine.shoe.composition import learn
from controller.engine.state import Seen, TableState


def peeked(state: TableState, blackjack: bool | None) -> TableState:
    """Return the state with the result of the peek."""
    return replace(state, offers=replace(state.offers, peeked=blackjack))


def check_hole(state: TableState) -> TableState:
    """After the deal and insurance: the house's check for a blackjack (NL-04, DE-09, DE-11, IT-08, IT-23).

    A card that the shoe has read counts as peeked. Where the house does not check, play starts (SB-06).
    """
    rules = state.book.rules
    if rules.peek == "none" or rules.hole_card == "none":
        return start_play(state)
    # Of a card that lies open already nothing depends any more: its blackjack ends the round all the same.
    if hidden_hole(state.dealer) and not depends(state):
        return start_play(state)
    up = up_rank(state.dealer)
    if up not in TEN_OR_ACE:
        return start_play(peeked(state, False))
    hole = hole_of(state.dealer)
    if hole is None or hole.obs.rank is None:
        return in_phase(state, PEEK)
    return _after_peek(state, makes_blackjack(up, hole.obs.rank))


def _after_peek(state: TableState, blackjack: bool) -> TableState:
    """A blackjack ends the round at once, once it is turned; otherwise play starts."""
    state = peeked(state, blackjack)
    if not blackjack:
        return start_play(state)
    return in_phase(state, REVEAL) if hidden_hole(state.dealer) else dealer_turn(state)


def skip_peek(state: TableState) -> TableState:
    """After a correction: play went on although no peek was recorded, so there was no blackjack."""
    return _after_peek(state, False)


def verify_peek(state: TableState, peek: Peek) -> None:
    """Refuse a peek that the house does not know or that is not due; a contradiction is a fault."""
    rules = state.book.rules
    if rules.peek == "none" or rules.hole_card == "none":
        refuse("PEEK_NOT_ALLOWED")
    if state.phase in (BETS, DEAL):
        refuse("PEEK_NOT_DUE")
    if state.phase == INSURANCE:
        refuse("INSURANCE_OPEN")
    if state.offers.peeked not in (None, peek.blackjack):
        fault("PEEK_CONTRADICTS")


def peek(state: TableState, seen: Peek) -> TableState:
    """Apply the dealer's peek; ignore a peek that repeats a known result."""
    verify_peek(state, seen)
    return _after_peek(state, seen.blackjack) if state.phase == PEEK else state


def _as_turned(state: TableState, reveal: Reveal) -> Seen:
    """Return the hole card with the rank and suit of the reveal; refuse a card without a rank."""
    hole = hole_of(state.dealer)
    if hole is None:
        refuse("NO_HOLE_CARD")
    rank = reveal.rank or hole.obs.rank
    if rank is None:
        refuse("REVEAL_NEEDS_RANK")
    return Seen(hole.n, hole.obs._replace(rank=rank, suit=reveal.suit or hole.obs.suit))


def contradicts(hole: CardSeen, reveal: Reveal) -> bool:
    """Whether rank or suit of the reveal differs from the earlier reading."""
    rank = reveal.rank is not None and hole.rank is not None and reveal.rank != hole.rank
    suit = reveal.suit is not None and hole.suit is not None and reveal.suit != hole.suit
    return rank or suit


def verify_reveal(state: TableState, reveal: Reveal) -> None:
    """Refuse a reveal that comes too early; raise a fault when it contradicts the reading or the peek."""
    if state.book.rules.hole_card == "none":
        refuse("NO_HOLE_CARD")
    if state.phase in (BETS, DEAL):
        refuse("ROUND_NOT_DEALT")
    if state.phase == INSURANCE:
        refuse("INSURANCE_OPEN")
    seen = _as_turned(state, reveal)
    blackjack = makes_blackjack(up_rank(state.dealer), seen.obs.rank)
    if state.phase == PEEK and not blackjack:
        refuse("PEEK_NEEDED")
    _verify_nothing_owed(state)
    _verify_as_known(state, reveal, seen)


def _verify_as_known(state: TableState, reveal: Reveal, seen: Seen) -> None:
    """Raise a fault when the turned card contradicts the reading or the peek."""
    hole = hole_of(state.dealer)
    if hole is not None and contradicts(hole.obs, reveal):
        fault("HOLE_CARD_CONTRADICTS")
    blackjack = makes_blackjack(up_rank(state.dealer), seen.obs.rank)
    if state.offers.peeked is not None and state.offers.peeked is not blackjack:
        fault("PEEK_CONTRADICTS")


def _verify_nothing_owed(state: TableState) -> None:
    """No hand may be owed a card when the hole card is turned (feed fine print)."""
    if state.phase != PLAY:
        return
    for box in state.boxes[state.box_at :]:
        if box.void:
            continue
        for hand in box.hands:
            if hand.owed or (hand.status == ACTIVE and (len(hand.cards) == 1 or hand.unread)):
                refuse("CARD_OWED", box=box.box, hand=hand.number)


def _lie_open(state: TableState, turn: Reveal) -> TableState:
    """The card was turned too early and lies open: hands act on, and nothing asks for it any more."""
    seen = _as_turned(state, turn)
    _verify_as_known(state, turn, seen)
    if seen.n > state.shoe.earlier:
        state = replace(state, shoe=learn(state.shoe, seen.card))
    state = replace(state, dealer=turned(state.dealer, seen))
    if state.phase == PEEK:
        return _after_peek(state, makes_blackjack(up_rank(state.dealer), seen.obs.rank))
    return state


def reveal(state: TableState, turn: Reveal) -> TableState:
    """The face-down card is turned (SB-06); hands before it stand."""
    early = turn.early and state.phase in (INSURANCE, PEEK, PLAY) and hidden_hole(state.dealer)
    if early:
        return _lie_open(state, turn)
    verify_reveal(state, turn)
    if not hidden_hole(state.dealer):
        return state
    if state.phase == PLAY:
        state = in_phase(replace(state, boxes=infer_stands(state, len(state.boxes), 0)), REVEAL)
    if state.phase == PEEK:
        state = peeked(state, True)
    seen = _as_turned(state, turn)
    if seen.n > state.shoe.earlier:
        state = replace(state, shoe=learn(state.shoe, seen.card))
    return turn_hole(state, seen)


def verify_face_down(card: CardSeen, *, ruled: bool) -> None:
    """The hole card must lie face down unless a supervisor has ruled that it stays."""
    if card.face == "up" and not ruled:
        fault("HOLE_CARD_EXPOSED")
