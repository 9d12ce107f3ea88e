"""Insurance and even money, before the check and before the first hand plays."""

from dataclasses import replace

from controller.acts.catalogue import EvenMoney, Insurance
from controller.domain import Money, RuleSet
from controller.engine.constants import ACTIVE, BETS, DEAL, FROZEN, INSURANCE, NATURAL
from controller.engine.dealer import in_phase
from controller.engine.errors import permitted, refuse
from controller.engine.hands import up_rank
from controller.engine.round.betting import find_box
from controller.engine.round.hole_card import check_hole
from controller.engine.state import Box, Offers, TableState


def open_offers(state: TableState) -> TableState:
    """Offer insurance and even money on an open ace; without an offer go on to the check.

    NL-21, DE-05, SB-23, SB-28, FR-15, IT-20; no offer on a ten (DE-11).
    """
    asked = _eligible(state) if up_rank(state.dealer) == "A" else ()
    if not asked:
        return check_hole(state)
    return in_phase(replace(state, offers=Offers(asked, False, None)), INSURANCE)


def _eligible(state: TableState) -> tuple[tuple[int, int], ...]:
    """Return (box, seat) of each bettor who has to answer."""
    rules = state.book.rules
    return tuple(
        (box.box, seat)
        for box in state.boxes
        if not box.void and (may_insure(rules, box) or _may_take_even_money(rules, box))
        for seat, _ in box.bets
    )


def may_insure(rules: RuleSet, box: Box) -> bool:
    """Whether this box's hand may be insured; a blackjack only in a house that insures it."""
    return rules.insurance != "none" and (box.hands[0].status != NATURAL or rules.insure_blackjack)


def _may_take_even_money(rules: RuleSet, box: Box) -> bool:
    """Whether this box holds a blackjack that may be paid 1:1 at once (NL-25, DE-08)."""
    return rules.even_money and box.hands[0].status == NATURAL


def half_stake(stake: Money) -> Money:
    """The usual insurance bet: half of a stake, an odd minor unit left out (NL-21, DE-05, SB-24, FR-15)."""
    return Money(stake // 2)


def _verify_offer(state: TableState, box: int, seat: int) -> tuple[Box, Money]:
    """Return the box and the bettor's stake; refuse an answer without an offer."""
    if state.phase != INSURANCE:
        refuse("INSURANCE_CLOSED" if state.offers.closed else "INSURANCE_NOT_OFFERED", box=box, seat=seat)
    box_at = find_box(state, box)
    stake = dict(state.boxes[box_at].bets).get(seat) if box_at >= 0 else None
    if stake is None or state.boxes[box_at].void:
        refuse("NO_BET", box=box, seat=seat)
    return state.boxes[box_at], stake


def verify_insurance(state: TableState, bet: Insurance) -> None:
    """Refuse an insurance bet that is not offered, not exactly half, or above half, by the house."""
    box, stake = _verify_offer(state, bet.box, bet.seat)
    if not bet.stake:
        return
    rules = state.book.rules
    if not may_insure(rules, box):
        refuse("INSURANCE_NOT_ALLOWED", box=bet.box, seat=bet.seat)
    half = half_stake(stake)
    match rules.insurance:
        case "half":
            amount_fits = bet.stake == half
        case "up_to_half" | "none":
            amount_fits = True
    if 2 * bet.stake > stake or not amount_fits:
        refuse("INSURANCE_AMOUNT", box=bet.box, seat=bet.seat, stake=Money(bet.stake), limit=half)
    if rules.insurance == "half" and stake % 2 and rules.rounding == "exact":
        refuse("NOT_PAYABLE", stake=stake, numerator=1, denominator=2)


def insure(state: TableState, bet: Insurance) -> TableState:
    """A bettor insures, or declines with a stake of 0; the last answer counts while the offer is open."""
    verify_insurance(state, bet)
    return _answer(state, bet.box, bet.seat, Money(bet.stake), even=False)


def verify_even_money(state: TableState, take: EvenMoney) -> None:
    """Refuse even money where the house or the hand does not allow it (SB-26, FR-29, IT-27)."""
    box, _ = _verify_offer(state, take.box, take.seat)
    if not _may_take_even_money(state.book.rules, box):
        refuse("EVEN_MONEY_NOT_ALLOWED", box=take.box, seat=take.seat)


def can_take_even_money(state: TableState, take: EvenMoney) -> bool:
    """Whether even money is allowed."""
    return permitted(verify_even_money, state, take)


def take_even_money(state: TableState, take: EvenMoney) -> TableState:
    """Pay a blackjack 1:1 at once, for any hand of the dealer (NL-25, DE-08)."""
    verify_even_money(state, take)
    return _answer(state, take.box, take.seat, Money(0), even=True)


def _answer(state: TableState, number: int, seat: int, stake: Money, *, even: bool) -> TableState:
    """Record one bettor's answer in place of an earlier one; the last answer closes the offer."""
    box_at = find_box(state, number)
    box = state.boxes[box_at]
    insurance = [pair for pair in box.insurance if pair[0] != seat]
    takers = [taker for taker in box.even if taker != seat]
    if stake:
        insurance.append((seat, stake))
    if even:
        takers.append(seat)
    box = replace(box, insurance=tuple(sorted(insurance)), even=tuple(sorted(takers)))
    boxes = (*state.boxes[:box_at], box, *state.boxes[box_at + 1 :])
    asked = tuple(pair for pair in state.offers.asked if pair != (number, seat))
    state = replace(state, boxes=boxes, offers=replace(state.offers, asked=asked))
    return state if asked else close_offers(state)


def keep_insurance(state: TableState, bet: Insurance) -> TableState:
    """After a correction: the up card was no ace after all, but the insurance chips still lie there."""
    box_at = find_box(state, bet.box)
    if box_at < 0 or not bet.stake:
        return state
    box = state.boxes[box_at]
    kept = [pair for pair in box.insurance if pair[0] != bet.seat]
    box = replace(box, insurance=tuple(sorted([*kept, (bet.seat, Money(bet.stake))])))
    return replace(state, boxes=(*state.boxes[:box_at], box, *state.boxes[box_at + 1 :]))


def close_offers(state: TableState) -> TableState:
    """Every box has answered or declines by silence; insured hands may freeze (NL-24). Then the check."""
    boxes = state.boxes
    if state.book.rules.insurance_ends_turn:
        boxes = tuple(_frozen(box) for box in boxes)
    return check_hole(replace(state, boxes=boxes, offers=Offers((), True, None)))


def _frozen(box: Box) -> Box:
    """The box with its hand done where the box holder has insured and the house ends his turn by that."""
    hand = box.hands[0]
    holder = box.bets[0][0]
    if hand.status != ACTIVE or holder not in dict(box.insurance):
        return box
    return replace(box, hands=(replace(hand, status=FROZEN),))


def _verify_closing(state: TableState) -> None:
    """Insurance can be closed from the end of the deal on."""
    if state.phase in (BETS, DEAL):
        refuse("INSURANCE_NOT_OFFERED", box=0, seat=0)


def close_insurance(state: TableState) -> TableState:
    """Close the insurance; no effect when none is open."""
    _verify_closing(state)
    return close_offers(state) if state.phase == INSURANCE else state
