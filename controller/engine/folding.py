"""One fact onto a state, and a whole round folded again from its facts."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from controller.domain.observations import (
    Bet,
    CardSeen,
    Close,
    CutCard,
    Decision,
    DeviceSeen,
    End,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Peek,
    Reveal,
    ShoeLoaded,
    Void,
)
from controller.engine import betting, offers, peeking, play
from controller.engine.composition import DECKS_LIMIT, count_card
from controller.engine.dealer import dealer_turn
from controller.engine.errors import CardFault, CardQueued, RuleRefusal, refuse
from controller.engine.placing import dealt, place, places, wanted
from controller.engine.state import (
    BETS,
    BURNED,
    DEAL,
    DRAW,
    INSURANCE,
    PEEK,
    PLAY,
    QUEUED,
    REVEAL,
    STRUCK,
    VOIDED,
    Fact,
    Fault,
    Place,
    Seen,
    TableState,
    begin,
    fresh_shoe,
)


def load_shoe(state: TableState, obs: ShoeLoaded) -> TableState:
    """A fresh shoe: counting restarts, the house's burn cards are due (FR-01)."""
    if not 1 <= obs.decks <= DECKS_LIMIT:
        refuse("BAD_SHOE", decks=obs.decks)
    shoe = fresh_shoe(obs.decks, obs.cards)._replace(burn_due=state.book.rules.burn_cards)
    return state._replace(shoe=shoe, book=state.book._replace(shuffle_due=False))


def close(state: TableState, _: Close) -> TableState:
    """No more bets; where they are closed this tells nothing new."""
    return betting.close(state) if state.phase == BETS else state


def cut_card(state: TableState, _: CutCard) -> TableState:
    """The cut card came out (DE-01)."""
    return state._replace(shoe=state.shoe._replace(cut=True))


def pay(state: TableState, obs: Paid) -> TableState:
    """What was in truth handed back; the last figure of a bettor counts."""
    at = betting.find_box(state, obs.box)
    if at < 0 or obs.seat not in dict(state.boxes[at].bets):
        refuse("NO_BET", box=obs.box, seat=obs.seat)
    kept = [entry for entry in state.verdict.paid if entry[:2] != (obs.box, obs.seat)]
    paid = tuple(sorted([*kept, (obs.box, obs.seat, obs.amount)]))
    return state._replace(verdict=state.verdict._replace(paid=paid))


def end(state: TableState, _: End) -> TableState:
    """The table is cleared."""
    return state._replace(verdict=state.verdict._replace(ended=True))


def void(state: TableState, obs: Void) -> TableState:
    """Stakes go back; one box leaves all others untouched (G-06)."""
    if obs.box is None:
        return state._replace(verdict=state.verdict._replace(voided=True))
    at = betting.find_box(state, obs.box)
    if at < 0:
        if any(entry.box == obs.box for entry in state.verdict.faults):
            return state
        refuse("NO_SUCH_BOX_IN_ROUND", box=obs.box)
    return void_box(state, at)


def void_box(state: TableState, at: int) -> TableState:
    """The box takes no further part: nothing is owed to it, its turn passes."""
    box = state.boxes[at]._replace(void=True)
    hands = tuple(hand._replace(status=VOIDED, owed=0) for hand in box.hands)
    boxes = (*state.boxes[:at], box._replace(hands=hands), *state.boxes[at + 1 :])
    due = tuple(target for target in state.due if target != box.box)
    asked = tuple(pair for pair in state.offers.asked if pair[0] != box.box)
    was_asked = bool(state.offers.asked)
    waits = bool(state.due)
    state = state._replace(boxes=boxes, due=due, offers=state.offers._replace(asked=asked))
    if state.phase == DEAL and waits and not due:
        return dealt(state)
    if was_asked and not asked:
        return offers.close_offers(state)
    if state.phase == PLAY:
        return play.advance(state, boxes, state.box_at, state.hand_at)
    return dealer_turn(state) if state.phase in (REVEAL, DRAW) else state


def nothing(state: TableState, _: Observation) -> TableState:
    """Tells the engine nothing about the round."""
    return state


def close_insurance(state: TableState, _: InsuranceClosed) -> TableState:
    """Every box has answered."""
    return offers.close_insurance(state)


ACTS: Final[dict[type, Callable[[TableState, Any], TableState]]] = {
    ShoeLoaded: load_shoe,
    Bet: betting.place_bet,
    Close: close,
    Decision: play.decide,
    Insurance: offers.insure,
    EvenMoney: offers.take_even_money,
    InsuranceClosed: close_insurance,
    Peek: peeking.peek,
    Reveal: peeking.reveal,
    CutCard: cut_card,
    Paid: pay,
    DeviceSeen: nothing,
    End: end,
    Void: void,
}


def logged(state: TableState, fact: Fact, number: int) -> TableState:
    """The state with one more fact in its log; `number` is the count of cards of the round."""
    return TableState(
        state.book,
        (*state.log, fact),
        number,
        state.phase,
        state.boxes,
        state.box_at,
        state.hand_at,
        state.dealer,
        state.due,
        state.shoe,
        state.offers,
        state.verdict,
    )


def take_card(state: TableState, card: CardSeen) -> TableState:
    """Place a new card and log it; one that does not fit is set aside and logged."""
    phase = state.phase
    where = None if card.to is None else wanted(card)
    if where == BURNED or (where is None and state.shoe.burn_due):
        return burn(state, Fact(0, card, BURNED, phase))
    number = state.cards_seen + 1
    fact = Fact(number, card, None, phase, None, False)
    arrived = arrive(state, fact, card, number)
    try:
        return place(arrived, Seen(number, card), where, False, False)
    except (CardQueued, CardFault, RuleRefusal) as error:
        return unplaced(arrived, fact, error, where)


def arrive(state: TableState, fact: Fact, card: CardSeen, number: int) -> TableState:
    """The card has left the shoe, wherever it will lie: counted and in the log."""
    shoe = count_card(state.shoe, card.rank, card.suit)
    return TableState(
        state.book,
        (*state.log, fact),
        number,
        state.phase,
        state.boxes,
        state.box_at,
        state.hand_at,
        state.dealer,
        state.due,
        shoe,
        state.offers,
        state.verdict,
    )


def burn(state: TableState, fact: Fact) -> TableState:
    """A burned card: it left the shoe and belongs to no hand (FR-01)."""
    card = fact.obs
    assert isinstance(card, CardSeen)
    state = arrive(state, fact, card, max(state.cards_seen, fact.n))
    due = max(state.shoe.burn_due - 1, 0)
    return state._replace(shoe=state.shoe._replace(burn_due=due))


def unplaced(
    arrived: TableState, fact: Fact, error: CardQueued | CardFault | RuleRefusal, where: Place | None
) -> TableState:
    """The card waits for the rank of another one, or is set aside as a fault."""
    state = arrived._replace(log=arrived.log[:-1])
    if isinstance(error, CardQueued):
        return logged(state, fact._replace(at=None, fault=QUEUED), state.cards_seen)
    return set_aside(state, fact, error, where[0] if where is not None else -1, state.cards_seen)


def fold_card(state: TableState, fact: Fact, lenient: bool) -> TableState:
    """Place a card of an earlier log again, at the place it had unless its place is open."""
    card = fact.obs
    assert isinstance(card, CardSeen)
    number = max(state.cards_seen, fact.n)
    if fact.at == STRUCK:
        return logged(state, fact, number)
    if fact.at == BURNED:
        return burn(state, fact)
    where = fact.at if fact.at is not None else wanted(card)
    plain = Fact(fact.n, card, None, fact.phase or state.phase, None, fact.ruled)
    arrived = arrive(state, plain, card, number)
    try:
        return place(arrived, Seen(fact.n, card), where, lenient, fact.ruled)
    except (CardQueued, CardFault, RuleRefusal) as error:
        return unplaced(arrived, plain, error, where)


def set_aside(
    state: TableState, fact: Fact, error: CardFault | RuleRefusal, box: int, number: int
) -> TableState:
    """Log a fact that does not fit; the round is disputed until a ruling."""
    place_box = error.params.get("box", box)
    entry = Fault(error.code, tuple(error.params.items()), len(state.log), int(place_box))
    verdict = state.verdict._replace(faults=(*state.verdict.faults, entry))
    state = logged(state, fact._replace(at=None, fault=error.code), number)
    return state._replace(verdict=verdict)


def take_fact(state: TableState, fact: Fact, lenient: bool) -> TableState:
    """Fold one fact of a log; what no longer fits is set aside."""
    if type(fact.obs) is CardSeen:
        return fold_card(state, fact, lenient)
    try:
        after = _act(state, fact.obs, lenient)
    except (CardFault, RuleRefusal) as error:
        return set_aside(state, fact, error, -1, state.cards_seen)
    return logged(after, fact._replace(fault=None), after.cards_seen)


def _act(state: TableState, obs: Observation, lenient: bool) -> TableState:
    """An act; folding anew forgives offers that were never made and stands that became superfluous."""
    if not lenient:
        return ACTS[type(obs)](state, obs)
    if isinstance(obs, Insurance | EvenMoney | InsuranceClosed) and state.phase != INSURANCE:
        return state
    if isinstance(obs, EvenMoney) and not offers.can_take_even_money(state, obs):
        return state
    if isinstance(obs, Peek) and state.phase == INSURANCE:
        state = offers.close_offers(state)
    if isinstance(obs, Decision | Reveal) and state.phase in (INSURANCE, PEEK):
        state = _pass_offers(state)
    if isinstance(obs, Decision):
        state = _pass_hands(state, obs)
        if obs.action == "stand" and not _stand_fits(state, obs):
            return state
    return ACTS[type(obs)](state, obs)


def _pass_offers(state: TableState) -> TableState:
    if state.phase == INSURANCE:
        state = offers.close_offers(state)
    return peeking.skip_peek(state) if state.phase == PEEK else state


def _pass_hands(state: TableState, obs: Decision) -> TableState:
    """Hands before a recorded decision stood, although after a correction they could still have acted."""
    at = state.current
    box_at = betting.find_box(state, obs.box)
    if at is None or owed_cards(state) or box_at < 0:
        return state
    for hand_at, hand in enumerate(state.boxes[box_at].hands):
        if hand.number == obs.hand and (box_at, hand_at) > (state.box_at, state.hand_at):
            boxes = play.infer_stands(state, box_at, hand_at)
            return play.advance(state, boxes, box_at, hand_at)
    return state


def owed_cards(state: TableState) -> bool:
    """Whether the box to act is owed a card."""
    return play.owed_at(state.boxes[state.box_at]) >= 0


def _stand_fits(state: TableState, obs: Decision) -> bool:
    """Whether a recorded stand still says something."""
    return play.is_idle_stand(state, obs) or play.can_decide(state, obs)


def pinned(state: TableState) -> tuple[Fact, ...]:
    """The log with every placed card pinned to where it was laid."""
    lying = {**places(state), **_before_splits(state)}
    return tuple([fact if fact.at is not None else fact._replace(at=lying.get(fact.n)) for fact in state.log])


def _before_splits(state: TableState) -> dict[int, Place]:
    """Cards that a split made the first of a new hand, with the hand that they were laid to."""
    came: dict[int, Place] = {}
    hands = {(box.box, hand.number): hand for box in state.boxes for hand in box.hands}
    made: dict[int, int] = {}
    for fact in state.log:
        obs = fact.obs
        if isinstance(obs, Decision) and obs.action == "split" and fact.fault is None:
            made[obs.box] = made.get(obs.box, 1) + 1
            came[hands[obs.box, made[obs.box]].cards[0].n] = (obs.box, obs.hand)
    return came


def refold(state: TableState, log: Iterable[Fact]) -> TableState:
    """The round folded again from another log: same table, same round, new facts (G-03, G-05)."""
    fresh = begin(state.book)
    fresh = fresh._replace(verdict=fresh.verdict._replace(paid_out=state.verdict.paid_out))
    for fact in log:
        fresh = take_fact(fresh, fact, fact.fault is None)
    return fresh
