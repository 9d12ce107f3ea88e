"""Fold a round's facts into its state, and the alerts about them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from controller.acts.catalogue import (
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Credit,
    CutCard,
    DealerSeated,
    Decision,
    DeskAct,
    DeviceSeen,
    Drop,
    End,
    EvenMoney,
    Exposed,
    Fill,
    FloatCounted,
    Freeze,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Leave,
    Limits,
    MoneyAct,
    Observation,
    Paid,
    Peek,
    Refolding,
    RestCard,
    RestCounting,
    Reveal,
    Ruling,
    ShoeAct,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
    SlipVoided,
    TableDay,
    Void,
    Written,
)
from controller.domain import Alert, Money, Notice, Rank, Suit
from controller.engine import betting, offers, play, shoe
from controller.engine.betting import find_box
from controller.engine.cards import dealt, place, places, wanted
from controller.engine.hands import dealer_turn, hidden_hole, hole_of
from controller.engine.shoe import (
    before_first_card,
    closing_at_end,
    closing_params,
    count_card,
    needs_shuffle,
)
from controller.engine.state import (
    BETS,
    BURNED,
    DEAL,
    DEALER,
    DRAW,
    PLAY,
    QUEUED,
    REVEAL,
    STRUCK,
    VOIDED,
    CardFault,
    CardQueued,
    Fact,
    Fault,
    Place,
    RuleRefusal,
    Seen,
    Stranded,
    TableState,
    refuse,
)


def _pay(state: TableState, obs: Paid) -> TableState:
    """Record a payout; a bettor's last payout replaces the earlier ones."""
    kept = [entry for entry in state.settlement.paid if entry[:2] != (obs.box, obs.seat)]
    paid = tuple(sorted([*kept, (obs.box, obs.seat, Money(obs.amount))]))
    return replace(state, settlement=replace(state.settlement, paid=paid))


def void(state: TableState, obs: Void) -> TableState:
    """Stakes go back; one box leaves all others untouched (G-06)."""
    if obs.box is None:
        return replace(state, settlement=replace(state.settlement, voided=True))
    at = betting.find_box(state, obs.box)
    if at < 0:
        if any(entry.box == obs.box for entry in state.settlement.faults):
            return state
        refuse("NO_SUCH_BOX_IN_ROUND", box=obs.box)
    return void_box(state, at)


def void_box(state: TableState, at: int) -> TableState:
    """The box takes no further part: nothing is owed to it, its turn passes."""
    box = replace(state.boxes[at], void=True)
    hands = tuple(replace(hand, status=VOIDED, owed=0) for hand in box.hands)
    boxes = (*state.boxes[:at], replace(box, hands=hands), *state.boxes[at + 1 :])
    due = tuple(target for target in state.due if target != box.box)
    asked = tuple(pair for pair in state.offers.asked if pair[0] != box.box)
    was_asked = bool(state.offers.asked)
    waits = bool(state.due)
    state = replace(state, boxes=boxes, due=due, offers=replace(state.offers, asked=asked))
    if state.phase == DEAL and waits and not due:
        return dealt(state)
    if was_asked and not asked:
        return offers.close_offers(state)
    if state.phase == PLAY:
        return play.advance(state, boxes, state.box_at, state.hand_at)
    return dealer_turn(state) if state.phase in (REVEAL, DRAW) else state


def apply(state: TableState, act: Observation) -> TableState:  # noqa: C901, PLR0912  # a case for each act
    """Apply an act to the round or its shoe, on arrival or in a later fold.

    The most frequent cases come first: a match compares in order. Raises RuleRefusal and CardFault.
    """
    match act:
        case Decision():
            return play.decide(state, act)
        case Bet():
            return betting.place_bet(state, act)
        case Close():
            return betting.close(state) if state.phase == BETS else state
        case End():
            return replace(state, settlement=replace(state.settlement, ended=True))
        case Reveal():
            return offers.reveal(state, act)
        case Peek():
            return offers.peek(state, act)
        case Insurance():
            return offers.insure(state, act)
        case InsuranceClosed():
            return offers.close_insurance(state)
        case EvenMoney():
            return offers.take_even_money(state, act)
        case Exposed():
            if not hidden_hole(state.dealer):
                refuse("NO_HOLE_CARD")
            return state
        case Leave():
            at = betting.find_box(state, act.box)
            if at < 0 or act.seat not in dict(state.boxes[at].bets):
                refuse("NO_BET", box=act.box, seat=act.seat)
            return state
        case CardSeen() | Chips() | Bank():
            return state  # Cards go through `take_card`, players' own chips beside the round.
        case _:
            return _apply_beside_play(state, act)


def _apply_beside_play(  # noqa: C901, PLR0912  # a case for each act
    state: TableState, act: Ruling | ShoeAct | MoneyAct | DeskAct
) -> TableState:
    if isinstance(act, Written):
        return state
    match act:
        case Paid():
            return _pay(state, act)
        case Void():
            return void(state, act)
        case ShoeLoaded():
            return shoe.load_shoe(state, act)
        case CutCard():
            return shoe.cut_card(state, act)
        case ShoeShuffled():
            return shoe.shuffle(state, act)
        case ShoeEnded():
            return shoe.end_shoe(state, act)
        case ShoeVoided():
            return shoe.void_shoe(state, act)
        case HoldsLifted():
            return shoe.keep_shoe(state, act)
        case Limits():
            return shoe.set_limits(state, act)
        case TableDay():
            return shoe.set_day(state, act)
        # The following facts belong to no round.
        case ChipReading() | FloatCounted() | Fill() | Credit() | SlipVoided() | Drop():
            return state
        case RestCounting() | RestCard() | DealerSeated() | DeviceSeen() | Freeze():
            return state
        case _:
            # A ruling acts by rewriting facts, and lies at most in the place of an entry that was never made.
            _: Refolding = act
            return state


def logged(state: TableState, fact: Fact, number: int) -> TableState:
    """The state with one more fact in its log; `number` is the count of cards of the round."""
    return replace(state, log=state.log + (fact,), cards_seen=number)


def take_card(state: TableState, card: CardSeen) -> TableState:
    """Place a new card and log it; log a card that does not fit as set aside."""
    phase = state.phase
    where = None if card.to is None else wanted(card)
    if where == BURNED or (where is None and state.shoe.burn_due):
        return burn(state, Fact(0, card, BURNED, phase))
    number = state.cards_seen + 1
    if card.out is not None:
        return _taken_out(state, card, number)
    fact = Fact(number, card, None, phase)
    arrived = arrive(state, fact, card, number)
    try:
        after = place(arrived, Seen(number, card), where, False, False)
        return after if card.pose != "across" else freeze_across(arrived, after)
    except (CardQueued, CardFault, RuleRefusal) as error:
        return unplaced(arrived, fact, error, where)


def _taken_out(state: TableState, card: CardSeen, number: int) -> TableState:
    """Log a card that a ruling took out before it was laid: it has its number and lies nowhere."""
    if card.out == "burned":
        return burn(state, Fact(number, card, BURNED, state.phase))
    return logged(state, Fact(number, card, STRUCK, state.phase), number)


def put_up(before: TableState, after: TableState, number: int, hand: int) -> tuple[Stranded, ...]:
    """Return the chips that each seat of a box added between two states, for a double or split at `hand`."""
    totals = []
    for state in (before, after):
        lying: dict[int, int] = {}
        for box in state.boxes:
            for pair in [pair for entry in box.hands for pair in entry.stakes if box.box == number]:
                lying[pair[0]] = lying.get(pair[0], 0) + pair[1]
        totals.append(lying)
    old, new = totals
    added = [Stranded(seat, hand, Money(amount - old.get(seat, 0))) for seat, amount in sorted(new.items())]
    return tuple(entry for entry in added if entry.amount)


def freeze_across(before: TableState, after: TableState) -> TableState:
    """After a card laid across: keep the second stakes with its fact, where it was a double."""
    fact = after.log[-1]
    at = places(after).get(fact.n, (0, 0))
    chips = put_up(before, after, *at)
    if not chips:
        return after
    return replace(after, log=(*after.log[:-1], replace(fact, box=at[0], chips=chips)))


def acted(before: TableState, after: TableState, fact: Fact) -> Fact:
    """The fact of an accepted act, with the stakes that it put up."""
    obs = fact.obs
    if not isinstance(obs, Decision) or obs.action not in ("double", "split"):
        return fact
    chips = put_up(before, after, obs.box, obs.hand)
    return replace(fact, box=obs.box, chips=chips)


def arrive(state: TableState, fact: Fact, card: CardSeen, number: int) -> TableState:
    """The card has left the shoe, wherever it will lie: counted and in the log."""
    counted = count_card(state.shoe, card.rank, card.suit)
    return replace(state, log=state.log + (fact,), cards_seen=number, shoe=counted)


def burn(state: TableState, fact: Fact) -> TableState:
    """A burned card: it left the shoe and belongs to no hand (FR-01).

    Burned early, before the round has ended in which the shoe was brought, it is one of those due then; a
    card of the round that a ruling has burned is none of them.
    """
    card = fact.obs
    assert isinstance(card, CardSeen)
    state = arrive(state, fact, card, max(state.cards_seen, fact.n))
    due, later = state.shoe.burn_due, state.shoe.burn_later
    if due:
        due -= 1
    elif later and not fact.n:
        later -= 1
    return replace(state, shoe=replace(state.shoe, burn_due=due, burn_later=later))


def unplaced(
    arrived: TableState, fact: Fact, error: CardQueued | CardFault | RuleRefusal, where: Place | None
) -> TableState:
    """The card waits for the rank of another one, or is set aside as a fault."""
    state = replace(arrived, log=arrived.log[:-1])
    if isinstance(error, CardQueued):
        return logged(state, replace(fact, fault=QUEUED), state.cards_seen)
    return set_aside(state, fact, error, where[0] if where is not None else -1, state.cards_seen)


def set_aside(
    state: TableState, fact: Fact, error: CardFault | RuleRefusal, box: int, number: int
) -> TableState:
    """Log a fact that does not fit; the round is disputed until a ruling."""
    place_box = error.params.get("box", box)
    entry = Fault(error.code, tuple(error.params.items()), len(state.log), int(place_box))
    settlement = replace(state.settlement, faults=(*state.settlement.faults, entry))
    state = logged(state, replace(fact, fault=error.code), number)
    return replace(state, settlement=settlement)


QUIET: Final[tuple[Notice, ...]] = ()


def alerts_of(before: TableState, after: TableState, obs: Observation) -> tuple[Notice, ...]:
    """Return the alerts of this observation alone; `judge` derives its effect on the round."""
    alerts = _ALERTS.get(type(obs))
    if alerts is None or (isinstance(obs, CardSeen) and obs.out is not None):
        return QUIET
    return alerts(before, after, obs)


def _card_alerts(before: TableState, after: TableState, card: CardSeen) -> tuple[Notice, ...]:
    """Unread cards, impossible composition, a shuffle, burn or fresh shoe that was due."""
    shoe = after.shoe
    due = needs_shuffle(after) and before_first_card(before) and not before_first_card(after)
    closed = shoe.ended or shoe.void
    quiet = card.rank is not None and not due and shoe.seen <= shoe.size and before.shoe.burn_due == 0
    if quiet and not shoe.excess and not closed:
        return QUIET
    number = after.book.number
    alerts: list[Notice] = []
    if card.rank is None and _needs_rank(after):
        alerts.append(Alert("CARD_UNREAD", "warning", number, (("card", after.cards_seen),)))
    if shoe.excess:
        alerts.append(too_many_alert(after, card.rank, card.suit))
    if shoe.seen > shoe.size:
        alerts.append(Alert("SHOE_OVERRUN", "warning", number, (("cards", shoe.size),)))
    if closed:
        alerts.append(Alert("SHOE_DUE", "critical", number, (("decks", shoe.decks),)))
    if due:
        alerts.append(Alert("SHUFFLE_DUE", "critical", number))
    if shoe.burn_due and after.cards_seen > before.cards_seen:
        alerts.append(Alert("BURN_MISSED", "warning", number, (("cards", shoe.burn_due),)))
    return tuple(alerts)


def too_many_alert(state: TableState, rank: Rank | None, suit: Suit | None) -> Alert:
    """More cards of a kind than the shoe holds."""
    params = (("rank", str(rank)), ("suit", suit or ""), ("decks", state.shoe.decks))
    return Alert("TOO_MANY_OF_A_KIND", "warning", state.book.number, params)


def _needs_rank(after: TableState) -> bool:
    """Whether the round waits for the rank of the last card; a hole card and a face-down double can wait."""
    fact = after.log[-1]
    if fact.fault is not None or fact.at is not None:
        return fact.fault == QUEUED
    at = places(after)[fact.n]
    if at == DEALER:
        hole = hole_of(after.dealer)
        return hole is None or hole.n != fact.n
    box = after.boxes[find_box(after, at[0])]
    hand = next(hand for hand in box.hands if hand.number == at[1])
    return not (hand.doubled and isinstance(fact.obs, CardSeen) and fact.obs.face == "down")


def _turned_alerts(before: TableState, after: TableState, _: Reveal) -> tuple[Notice, ...]:
    """An alert where the turned card is one more of its kind than the shoe holds."""
    hole = hole_of(after.dealer)
    if hole is None or after.shoe is before.shoe or not after.shoe.excess:
        return QUIET
    return (too_many_alert(after, *hole.card),)


def _cut_alerts(before: TableState, after: TableState, _: CutCard) -> tuple[Notice, ...]:
    """Before the first card of a round the shuffle is due at once; later the round is finished first.

    A shoe has one cut card: a second one is said, and the later one counts.
    """
    number = after.book.number
    alerts = [Alert("CUT_CARD_AGAIN", "warning", number)] if before.shoe.cut_seen else []
    if not before.shoe.cut and before_first_card(before):
        alerts.append(Alert("SHUFFLE_DUE", "critical", number))
    return tuple(alerts)


def _pack_alerts(_: TableState, after: TableState, obs: ShoeLoaded) -> tuple[Notice, ...]:
    """A shoe of other packs than the rule set asks for, or its text allows besides."""
    rules = after.book.rules
    if rules.may_load(obs.decks):
        return QUIET
    params = (("decks", obs.decks), ("wanted", rules.decks))
    return (Alert("SHOE_PACKS_DIFFER", "warning", after.book.number, params),)


def _closing_alerts(_: TableState, after: TableState, obs: ShoeEnded) -> tuple[Notice, ...]:
    """Return the alert of a closing count that does not close; a shoe that was not loaded has no count."""
    if not after.shoe.loaded:
        return QUIET
    count = closing_at_end(after, obs.cards or ())
    if count.closes:
        return QUIET
    return (Alert("SHOE_INCOMPLETE", "critical", after.book.number, closing_params(after, count)),)


_ALERTS: Final[dict[type, Callable[[TableState, TableState, Any], tuple[Notice, ...]]]] = {
    CardSeen: _card_alerts,
    Reveal: _turned_alerts,
    CutCard: _cut_alerts,
    ShoeLoaded: _pack_alerts,
    ShoeEnded: _closing_alerts,
}
