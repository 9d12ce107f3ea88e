"""Insurance and even money, the face-down card, and the acts that are legal now."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple, assert_never

from controller.acts.catalogue import CardSeen, Decision, EvenMoney, Insurance, Peek, Reveal
from controller.acts.round import Action
from controller.domain import Money, RuleSet
from controller.engine.betting import find_box
from controller.engine.hands import (
    TEN_OR_ACE,
    dealer_turn,
    depends,
    hidden_hole,
    hole_of,
    in_phase,
    makes_blackjack,
    turn_hole,
    turned,
    up_rank,
)
from controller.engine.play import VERIFY, infer_stands, start_play
from controller.engine.settle import in_progress
from controller.engine.shoe import learn
from controller.engine.state import (
    ACTIVE,
    BETS,
    DEAL,
    FROZEN,
    INSURANCE,
    NATURAL,
    PEEK,
    PLAY,
    REVEAL,
    Box,
    CardFault,
    Offers,
    RuleRefusal,
    Seen,
    TableState,
    fault,
    permitted,
    refuse,
)


def peeked(state: TableState, blackjack: bool | None) -> TableState:
    """Return the state with the result of the peek."""
    return replace(state, offers=replace(state.offers, peeked=blackjack))


def _check_hole(state: TableState) -> TableState:
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


def _verify_peek(state: TableState, peek: Peek) -> None:
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
    _verify_peek(state, seen)
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


def _verify_reveal(state: TableState, reveal: Reveal) -> None:
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
    _verify_reveal(state, turn)
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


def open_offers(state: TableState) -> TableState:
    """Offer insurance and even money on an open ace; without an offer go on to the check.

    NL-21, DE-05, SB-23, SB-28, FR-15, IT-20; no offer on a ten (DE-11).
    """
    asked = _eligible(state) if up_rank(state.dealer) == "A" else ()
    if not asked:
        return _check_hole(state)
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


def _verify_insurance(state: TableState, bet: Insurance) -> None:
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
    _verify_insurance(state, bet)
    return _answer(state, bet.box, bet.seat, Money(bet.stake), even=False)


def _verify_even_money(state: TableState, take: EvenMoney) -> None:
    """Refuse even money where the house or the hand does not allow it (SB-26, FR-29, IT-27)."""
    box, _ = _verify_offer(state, take.box, take.seat)
    if not _may_take_even_money(state.book.rules, box):
        refuse("EVEN_MONEY_NOT_ALLOWED", box=take.box, seat=take.seat)


def can_take_even_money(state: TableState, take: EvenMoney) -> bool:
    """Whether even money is allowed."""
    return permitted(_verify_even_money, state, take)


def take_even_money(state: TableState, take: EvenMoney) -> TableState:
    """Pay a blackjack 1:1 at once, for any hand of the dealer (NL-25, DE-08)."""
    _verify_even_money(state, take)
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
    return _check_hole(replace(state, boxes=boxes, offers=Offers((), True, None)))


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


ActName = (
    Action
    | Literal["bet", "close", "insurance", "even_money", "insurance_closed", "peek", "reveal", "void", "end"]
)


class OfferedAct(NamedTuple):
    """An act on the screens; `code` is None when it is allowed, else the reason why not.

    `reason` refines a code such as DOUBLE_NOT_ALLOWED. `hand` is 0 and `seat` -1 where they do not apply;
    `amount_minor` is the usual amount of an insurance bet.
    """

    action: ActName
    box: int = 0
    hand: int = 0
    seat: int = -1
    code: str | None = None
    reason: str | None = None
    amount_minor: Money = Money(0)


class _Forbidden(NamedTuple):
    """The reason why an act is not allowed; both fields are None for an allowed act."""

    code: str | None = None
    reason: str | None = None


def legal(state: TableState) -> tuple[OfferedAct, ...]:
    """Every act of people that belongs to this phase, allowed or not, in the order of the screens' keys."""
    acts = _acts_of_phase(state)
    if hidden_hole(state.dealer) and state.phase != INSURANCE:
        acts.append(_reveal(state))
    if in_progress(state):
        acts += [OfferedAct("void"), OfferedAct("end")]
    return tuple(acts)


def _acts_of_phase(state: TableState) -> list[OfferedAct]:
    """The acts that people do in this phase; void, end and turning the hole card come beside them."""
    match state.phase:
        case "play":
            return _decisions(state)
        case "insurance":
            return _answers(state)
        case "peek":
            return [OfferedAct("peek", code=_forbidden(_verify_peek, state, Peek(False)).code)]
        case "bets":
            return [OfferedAct("bet"), OfferedAct("close", code=None if state.boxes else "NO_BETS")]
        case "deal" | "reveal" | "draw" | "complete":
            return []
        case phase:
            assert_never(phase)


def _forbidden(verify: Callable[..., object], *args: Any) -> _Forbidden:
    """Return the refusal that `verify` raises."""
    try:
        verify(*args)
    except (RuleRefusal, CardFault) as refusal:
        reason = refusal.params.get("reason")
        return _Forbidden(refusal.code, None if reason is None else str(reason))
    return _Forbidden()


def _decisions(state: TableState) -> list[OfferedAct]:
    """The five decisions of the hand to act."""
    at = state.current
    if at is None:
        return []
    box, hand = at
    acts = []
    for action, verify in VERIFY.items():
        code, reason = _forbidden(verify, state, Decision(box.box, hand.number, action))
        acts.append(OfferedAct(action, box.box, hand.number, code=code, reason=reason))
    return acts


def _answers(state: TableState) -> list[OfferedAct]:
    """Insurance and even money of each bettor, and closing the offer."""
    acts = []
    for box in state.boxes:
        for seat, stake in box.bets:
            half = half_stake(stake)
            code, reason = _forbidden(_verify_insurance, state, Insurance(box.box, seat, half))
            insurance = OfferedAct(
                "insurance", box.box, seat=seat, code=code, reason=reason, amount_minor=half
            )
            code, reason = _forbidden(_verify_even_money, state, EvenMoney(box.box, seat))
            acts += [insurance, OfferedAct("even_money", box.box, seat=seat, code=code, reason=reason)]
    return [*acts, OfferedAct("insurance_closed")]


def _reveal(state: TableState) -> OfferedAct:
    """Offer the reveal. The offer does not depend on the hole card's reading, so that nothing leaks."""
    code, reason = _forbidden(_verify_reveal, state, Reveal())
    known_from_the_card = code in ("REVEAL_NEEDS_RANK", "PEEK_CONTRADICTS", "HOLE_CARD_CONTRADICTS")
    if known_from_the_card or state.phase == PEEK:
        return OfferedAct("reveal")
    return OfferedAct("reveal", code=code, reason=reason)
