"""What people have entered for a round, as the pit can put it right: stakes, decisions, answers, payouts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from controller.acts.catalogue import AmendDecision, CardSeen, Decision, EvenMoney, Insurance, InsuranceClosed
from controller.acts.money import PayoutKnown
from controller.engine.amend.decisions import numbered
from controller.engine.constants import INSURANCE
from controller.engine.facts import Fact, Made
from controller.engine.round.payments import due
from controller.engine.settle.not_payable import NOT_PAYABLE
from controller.engine.settle.round_status import is_final
from controller.engine.state import Box, History, TableState
from controller.i18n.numbers import units
from controller.runtime.api import TableSnapshot
from controller.screens.felt import boxes_view, cards_aside, dealer_view
from controller.screens.pit.ruling_view import (
    BoxFacts,
    DecisionRow,
    HandFacts,
    LaidRound,
    RoundFacts,
    RulingFacts,
    SeatFacts,
)
from controller.screens.shapes.chips import LaidChips

KnownPayouts = tuple[tuple[int, int, PayoutKnown], ...]
"""How what each bettor of the present round was given is known: (box, seat, how)."""

NO_CHIPS: Final = LaidChips(())
ANSWERS: Final = (Insurance, EvenMoney, InsuranceClosed)


def facts_of(snapshot: TableSnapshot) -> RulingFacts:
    """The present round and closed ones, newest first; made from the state that screens may see.

    A snapshot has the round before; `with_round` adds the one that is asked for.
    """
    state = snapshot.state
    past = reversed(tuple(state.book.past))
    rounds = (
        _round_facts(state, closed=False, known=snapshot.known),
        *(_round_facts(old, closed=True) for old in past),
    )
    return RulingFacts(seq=snapshot.seq, first_round=snapshot.first_round, rounds=rounds)


def with_round(snapshot: TableSnapshot, closed: TableState | None) -> TableSnapshot:
    """The snapshot with one more closed round, where there is one that it does not have yet."""
    state = snapshot.state
    known = [old.book.number for old in state.book.past]
    if closed is None or closed.book.number in known:
        return snapshot
    past = History((), (closed, *state.book.past))
    return snapshot._replace(state=replace(state, book=replace(state.book, past=past)))


def _round_facts(state: TableState, *, closed: bool, known: KnownPayouts = ()) -> RoundFacts:
    log = numbered(state)
    return RoundFacts(
        round=state.book.number,
        closed=closed,
        boxes=tuple(_box_facts(state, log, box, known) for box in state.boxes),
        laid=_laid(state) if closed else None,
        insurance=state.phase == INSURANCE or any(isinstance(fact.obs, ANSWERS) for fact in log),
        peek=state.offers.peeked,
        turned=state.dealer.revealed,
    )


def _laid(state: TableState) -> LaidRound:
    """The closed round as it lay, its stakes in few chips."""
    result = state.settlement.result
    return LaidRound(
        boxes=boxes_view(state, result, (), {}, NO_CHIPS),
        dealer=dealer_view(state, result),
        aside=cards_aside(state),
    )


def _box_facts(state: TableState, log: tuple[Fact, ...], box: Box, known: KnownPayouts) -> BoxFacts:
    return BoxFacts(
        box=box.box,
        seats=tuple(_seat_facts(state, box, seat, known) for seat, _ in box.bets),
        hands=tuple(
            HandFacts(hand=hand.number, decisions=tuple(_decisions(log, box.box, hand.number)))
            for hand in box.hands
        ),
    )


def _seat_facts(state: TableState, box: Box, seat: int, known: KnownPayouts) -> SeatFacts:
    insured = dict(box.insurance).get(seat, 0)
    owed, paid = _payout(state, box.box, seat)
    return SeatFacts(
        seat=seat,
        stake=units(dict(box.bets)[seat]),
        insurance=units(insured),
        even_money=seat in box.even,
        due=None if owed is None else units(owed),
        paid=None if paid is None else units(paid),
        how=next((how for at, bettor, how in known if (at, bettor) == (box.box, seat)), None),
    )


def _payout(state: TableState, box: int, seat: int) -> tuple[int | None, int | None]:
    """What the settlement gives the bettor and the payout that was entered; None where there is none yet."""
    settled = state.settlement
    if not is_final(settled.status) and settled.code != NOT_PAYABLE:
        return None, None
    paid = {(at, bettor): amount for at, bettor, amount in settled.paid}
    return due(state, box, seat), paid.get((box, seat))


def _decisions(log: tuple[Fact, ...], box: int, hand: int) -> Iterator[DecisionRow]:
    """The decisions of a hand in order of their numbers, those that were ruled never made included."""
    of_hand = [(made, fact) for fact in log for made in fact.made if (made.box, made.hand) == (box, hand)]
    for made, fact in sorted(of_hand, key=lambda entry: entry[0].nth):
        yield _row(fact, made)


def _row(fact: Fact, made: Made) -> DecisionRow:
    """How a fact made this decision: it was entered, a card came for the hand, or for one behind it."""
    obs, hand = fact.obs, (made.box, made.hand)
    if isinstance(obs, Decision | AmendDecision) and (obs.box, obs.hand) == hand:
        return DecisionRow(nth=made.nth, action=obs.action, known="entered")
    if isinstance(obs, CardSeen) and fact.at == hand:
        return DecisionRow(nth=made.nth, action="double" if obs.pose == "across" else "hit", known="card")
    return DecisionRow(nth=made.nth, action="stand", known="inferred")
