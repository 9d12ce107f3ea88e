"""Fold a round anew after a ruling changed its facts.

A decision is reported, made by a card (a hit, a double laid across), or inferred (a stand). The first
ruling numbers all earlier decisions; a number never changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Decision,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Peek,
    Reveal,
    Void,
)
from controller.engine import betting, offers, play
from controller.engine.cards import place, places, short_before, wanted
from controller.engine.folding import acted, apply, arrive, burn, freeze_across, logged, set_aside, unplaced
from controller.engine.play import is_idle_stand
from controller.engine.state import (
    BURNED,
    INFERRED,
    INSURANCE,
    PEEK,
    STRUCK,
    Box,
    CardFault,
    CardQueued,
    Fact,
    Made,
    Place,
    RuleRefusal,
    Seen,
    TableState,
    begin,
    permitted,
    refuse,
)


def _fold_card(state: TableState, fact: Fact, lenient: bool) -> TableState:
    """Place a card of an earlier log again: where `fact.at` says it lay, else where it belongs now."""
    card = fact.obs
    assert isinstance(card, CardSeen)
    number = max(state.cards_seen, fact.n)
    if fact.at == STRUCK:
        return logged(state, fact, number)
    if fact.at == BURNED:
        return burn(state, fact)
    where = fact.at if fact.at is not None else wanted(card)
    chips = fact.chips if fact.at is not None else ()
    plain = replace(fact, at=None, phase=fact.phase or state.phase, fault=None, chips=chips)
    arrived = arrive(state, plain, card, number)
    try:
        after = place(arrived, Seen(fact.n, card), where, lenient, fact.ruled)
        return freeze_across(arrived, after) if card.pose == "across" and not chips else after
    except (CardQueued, CardFault, RuleRefusal) as error:
        return _strand(unplaced(arrived, replace(plain, at=fact.at), error, where), fact)


def take_fact(state: TableState, fact: Fact, lenient: bool) -> TableState:
    """Apply one fact of an earlier log again; set it aside when it no longer fits."""
    if type(fact.obs) is CardSeen:
        return _fold_card(state, fact, lenient)
    obs = fact.obs
    if isinstance(obs, Decision) and fact.chips:
        obs = obs._replace(seats=None, stakes=_frozen(state, fact))
    try:
        after = (
            _ruled_stake(state, obs)
            if fact.ruled and isinstance(obs, Bet)
            else _act(state, obs, lenient, fact.idle)
        )
    except (CardFault, RuleRefusal) as error:
        return _unfit(state, fact, error)
    done = fact if fact.chips else acted(state, after, fact)
    return logged(after, replace(done, fault=None), after.cards_seen)


def _ruled_stake(state: TableState, obs: Bet) -> TableState:
    """Place a stake that a supervisor entered, without a check of the limits."""
    return replace(state, boxes=betting.bet_boxes(state.boxes, obs))


def _unfit(state: TableState, fact: Fact, error: CardFault | RuleRefusal) -> TableState:
    """Set aside a fact that no longer fits; its chips stay on the layout until a ruling.

    A payout, and the void of a box without a stake, lose their subject: they stay in the log without a fault.
    """
    if isinstance(fact.obs, Paid | Void):
        return logged(state, replace(fact, fault=None), state.cards_seen)
    if isinstance(fact.obs, Insurance):
        state = offers.keep_insurance(state, fact.obs)
    return set_aside(_strand(state, fact), fact, error, -1, state.cards_seen)


def _frozen(state: TableState, fact: Fact) -> tuple[tuple[int, int], ...]:
    """The amounts that a double or split put up when it was accepted, 0 for who rode along."""
    box_at = betting.find_box(state, fact.box)
    seats = [seat for seat, _ in state.boxes[box_at].bets] if box_at >= 0 else []
    added = {entry.seat: entry.amount for entry in fact.chips}
    hands = state.boxes[box_at].hands if box_at >= 0 else ()
    there = {seat for hand in hands if hand.number == fact.chips[0].hand for seat, _ in hand.stakes}
    return tuple((seat, added.get(seat, 0)) for seat in seats if seat in there or seat in added)


def _strand(state: TableState, fact: Fact) -> TableState:
    """Chips were put up for a double or split that no longer fits: they lie there until a ruling."""
    box_at = betting.find_box(state, fact.box)
    if box_at < 0 or not fact.chips:
        return state
    box = state.boxes[box_at]
    box = replace(box, stranded=(*box.stranded, *fact.chips))
    return replace(state, boxes=(*state.boxes[:box_at], box, *state.boxes[box_at + 1 :]))


def _act(state: TableState, obs: Observation, lenient: bool, idle: bool) -> TableState:
    """An act, done again. Offers that were never made and stands that became superfluous count as passed.

    A stand that was `idle` when it was reported says nothing about the hands before it.
    """
    if not lenient:
        return apply(state, obs)
    if isinstance(obs, Insurance | EvenMoney | InsuranceClosed):
        return _offer(state, obs)
    if isinstance(obs, Peek) and state.phase == INSURANCE:
        state = offers.close_offers(state)
    early = isinstance(obs, Reveal) and obs.early
    if isinstance(obs, Decision | Reveal) and not early and state.phase in (INSURANCE, PEEK):
        state = _pass_offers(state)
    if isinstance(obs, Decision):
        state = state if idle else _pass_hands(state, obs)
        if obs.action == "stand" and not _stand_fits(state, obs):
            return state
    return apply(state, obs)


def _offer(state: TableState, obs: Insurance | EvenMoney | InsuranceClosed) -> TableState:
    """An answer to an offer; where nothing was to be offered only the chips count."""
    if isinstance(obs, Insurance) and state.phase != INSURANCE:
        return offers.keep_insurance(state, obs)
    if state.phase != INSURANCE:
        return state
    if isinstance(obs, EvenMoney) and not offers.can_take_even_money(state, obs):
        return state
    return apply(state, obs)


def _pass_offers(state: TableState) -> TableState:
    """Take an open offer or peek as over, since play went on when the facts were new."""
    if state.phase == INSURANCE:
        state = offers.close_offers(state)
    return offers.skip_peek(state) if state.phase == PEEK else state


def _pass_hands(state: TableState, obs: Decision) -> TableState:
    """Hands before a recorded decision stood, although after a correction they could still have acted."""
    at = state.current
    box_at = betting.find_box(state, obs.box)
    if at is None or _owed_cards(state) or box_at < 0:
        return state
    for hand_at, hand in enumerate(state.boxes[box_at].hands):
        later = (box_at, hand_at) > (state.box_at, state.hand_at)
        if hand.number == obs.hand and later and not short_before(state, (box_at, hand_at)):
            boxes = play.infer_stands(state, box_at, hand_at)
            return play.advance(state, boxes, box_at, hand_at)
    return state


def _owed_cards(state: TableState) -> bool:
    """Whether the box to act is owed a card."""
    return play.owed_at(state.boxes[state.box_at]) >= 0


def _stand_fits(state: TableState, obs: Decision) -> bool:
    """Whether a recorded stand is still possible, or its hand is already finished."""
    return play.is_idle_stand(state, obs) or play.can_decide(state, obs)


def pinned(state: TableState) -> tuple[Fact, ...]:
    """The log with each card's place written to its fact (`at`), so that cards stay where they were laid.

    Done again with a log that is pinned already it changes nothing.
    """
    lying = {**places(state), **_before_splits(state)}
    return tuple([fact if fact.at is not None else replace(fact, at=lying.get(fact.n)) for fact in state.log])


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


def refold(state: TableState, log: Iterable[Fact], strict: int = -1) -> TableState:
    """The round folded again from another log: same table, same round, new facts (G-03, G-05).

    The fact at index `strict` has to fit as if it were reported now.
    """
    fresh = begin(state.book)
    fresh = replace(fresh, settlement=replace(fresh.settlement, paid_out=state.settlement.paid_out))
    for index, fact in enumerate(log):
        fresh = take_fact(fresh, fact, was_accepted(fact) and index != strict)
    return fresh


def was_accepted(fact: Fact) -> bool:
    """Whether a fact was accepted on arrival: it has no fault, has a place, or is a decision."""
    return fact.fault is None or fact.at is not None or isinstance(fact.obs, Decision)


_Hand = tuple[int, int]
"""(box, hand) as the feed numbers them."""


def numbered(state: TableState) -> tuple[Fact, ...]:
    """The log with every card pinned to its place and every decision numbered."""
    used = _used(state.log)
    before = begin(state.book)
    log = []
    for entered in pinned(state):
        fact = replace(entered, idle=_is_idle(entered, before)) if not entered.made else entered
        after = take_fact(before, fact, was_accepted(fact))
        log.append(_marked(fact, before, after, used))
        before = after
    return tuple(log)


def find_decision(log: tuple[Fact, ...], made: Made) -> int:
    """Return the index of the fact that made a decision; refuse a decision that does not exist."""
    for index, fact in enumerate(log):
        if made in fact.made:
            return index
    return refuse("NO_SUCH_DECISION", box=made.box, hand=made.hand, nth=made.nth)


def _used(log: tuple[Fact, ...]) -> dict[_Hand, int]:
    """The highest number given so far to a decision of each hand."""
    used: dict[_Hand, int] = {}
    for fact in log:
        for box, hand, nth in fact.made:
            used[box, hand] = max(used.get((box, hand), 0), nth)
    return used


def _marked(fact: Fact, before: TableState, after: TableState, used: dict[_Hand, int]) -> Fact:
    """The fact with numbers for those of its decisions that have none yet."""
    known = {(made.box, made.hand) for made in fact.made}
    fresh = [hand for hand in _decided(fact, before, after) if hand not in known]
    if not fresh:
        return fact
    for hand in fresh:
        used[hand] = used.get(hand, 0) + 1
    return replace(fact, made=(*fact.made, *[Made(*hand, used[hand]) for hand in fresh]))


def _is_idle(fact: Fact, before: TableState) -> bool:
    """Whether the fact is a stand of a hand that was already finished."""
    return isinstance(fact.obs, Decision) and permitted(_verify_idle, before, fact.obs)


def _verify_idle(before: TableState, decision: Decision) -> None:
    """Refuse a stand that means something, and one of a hand that is none."""
    if not is_idle_stand(before, decision):
        refuse("STAND_NOT_ALLOWED", box=decision.box, hand=decision.hand)


def _decided(fact: Fact, before: TableState, after: TableState) -> Iterator[_Hand]:
    """Yield the hands that this fact decided: first the inferred stands, then the hand that it names."""
    drawn: _Hand | None = None
    if after.boxes is not before.boxes:
        for old, new in zip(before.boxes, after.boxes, strict=False):
            if old is not new:
                yield from _inferred(old, new)
                drawn = drawn or (_drawn(old, new, fact.n) if isinstance(fact.obs, CardSeen) else None)
    if isinstance(fact.obs, Decision):
        yield fact.obs.box, fact.obs.hand
    if drawn is not None:
        yield drawn


def _inferred(old: Box, new: Box) -> Iterator[_Hand]:
    """Hands of a box that stand now because something later has come."""
    stood = {hand.number for hand in old.hands if hand.status == INFERRED}
    for hand in new.hands:
        if hand.status == INFERRED and hand.number not in stood:
            yield new.box, hand.number


def _drawn(old: Box, new: Box, number: int) -> _Hand | None:
    """The hand of the box that hit or doubled by this card, since it was owed none."""
    for hand in new.hands:
        if hand.cards and hand.cards[-1].n == number:
            for was in old.hands:
                if was.number == hand.number and len(was.cards) > 1 and not was.owed:
                    return new.box, hand.number
    return None
