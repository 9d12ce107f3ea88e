"""The table over rounds: one observation in, the next state and its notices out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, cast, final, get_args

from controller.domain.cards import Rank, Suit
from controller.domain.notices import (
    Adjusted,
    Alert,
    BetResult,
    Difference,
    Disputed,
    Notice,
    Params,
    Refused,
    Settled,
)
from controller.domain.observations import (
    AmendClose,
    Bank,
    Bet,
    CardSeen,
    Chips,
    Correct,
    End,
    Exposed,
    Observation,
    Paid,
    Reveal,
    Ruling,
    Void,
)
from controller.engine.banking import move_chips, next_bank, take_bank, take_chips
from controller.engine.betting import find_box
from controller.engine.card_placement import places
from controller.engine.composition import learn, shifted, too_many
from controller.engine.constants import BETS, COMPLETE, DEALER, QUEUED
from controller.engine.dealer import hidden_hole
from controller.engine.errors import CardFault, RuleRefusal
from controller.engine.facts import Fact
from controller.engine.folding import ACTS, acted, logged, set_aside, take_card
from controller.engine.hands import hole_of
from controller.engine.payments import payment_alerts, verify_paid
from controller.engine.round_status import (
    RUNNING,
    in_progress,
    incomplete_code,
    is_final,
    judge,
    standing_faults,
)
from controller.engine.rulings import Refolding, rule, ruling_alerts
from controller.engine.settle import NOTHING, pending, round_result
from controller.engine.state import NO_HISTORY, OPEN, TableState, begin, fresh_shoe


@final
@dataclass(frozen=True, slots=True)
class Step:
    """The table after an observation and what there is to say about it; a `Refused` changes nothing.

    Unpacks as `state, notices`.
    """

    state: TableState
    notices: tuple[Notice, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.state, self.notices))


QUIET: Final[tuple[Notice, ...]] = ()


def step(state: TableState, obs: Observation) -> Step:
    """Take one observation. Never raises for anything that people or devices can report."""
    kind = type(obs)
    if kind is CardSeen:
        return _card(state, cast(CardSeen, obs))
    try:
        return _TAKE.get(kind, _fact)(state, obs)
    except RuleRefusal as refusal:
        return Step(state, (Refused(refusal.code, tuple(refusal.params.items())),))


def _bet(state: TableState, bet: Bet) -> Step:
    """A bet after a closed round begins the next one."""
    if is_final(state.settlement.status):
        state = next_round(state)
    return _fact(state, bet)


def _fact(state: TableState, obs: Observation) -> Step:
    """An act of people: taken, or a contradiction that is set aside. Raises RuleRefusal."""
    fact = Fact(0, obs, None, state.phase)
    try:
        after = ACTS[type(obs)](state, obs)
    except CardFault as error:
        return concluded(state, set_aside(state, fact, error, -1, state.cards_seen), obs)
    return concluded(state, logged(after, acted(state, after, fact), after.cards_seen), obs)


def _card(state: TableState, card: CardSeen) -> Step:
    """A physical card is never refused: it is placed, queued, burned or set aside with an alert."""
    return concluded(state, take_card(state, card), card)


def concluded(before: TableState, after: TableState, obs: Observation) -> Step:
    """Find the round's status where it may have changed, and say what is new."""
    if after.phase != COMPLETE and after.settlement is OPEN and before.settlement is OPEN:
        if type(obs) is not CardSeen:
            turned = _turned_alerts(before, after) if type(obs) is Reveal else QUIET
            return Step(after, tuple(turned))
        return Step(after, _card_alerts(before, after, obs))
    after = judge(after)
    ruled = type(obs) in _RULINGS
    notices = [] if ruled or not after.settlement.faults else _fault_alerts(before, after)
    if type(obs) is CardSeen:
        notices += _card_alerts(before, after, obs)
    if type(obs) is Correct and too_many(after.shoe, obs.rank, obs.suit):
        notices.append(_too_many(after, obs.rank, obs.suit))
    if type(obs) is Reveal:
        notices += _turned_alerts(before, after)
    if type(obs) is End:
        return _ended(before, after, notices)
    notices += _changes(before, after, ruled=ruled)
    return Step(_with_chips(before, after), tuple(notices))


def _fault_alerts(before: TableState, after: TableState) -> list[Notice]:
    """An alert for every fault that stands now and did not stand before."""
    known = {(entry.code, entry.fact) for entry in before.settlement.faults}
    round_number = after.book.number
    return [
        Alert(entry.code, "critical", round_number, entry.params)
        for entry in after.settlement.faults
        if (entry.code, entry.fact) not in known
    ]


def _card_alerts(before: TableState, after: TableState, card: CardSeen) -> tuple[Notice, ...]:
    """Unread cards, impossible composition, a shuffle or burn that was due."""
    shoe = after.shoe
    due = before.phase == BETS and after.phase != BETS and after.book.shuffle_due
    quiet = card.rank is not None and not due and shoe.seen <= shoe.size and before.shoe.burn_due == 0
    if quiet and not shoe.excess:
        return QUIET
    number = after.book.number
    alerts: list[Notice] = []
    if card.rank is None and _needs_rank(after):
        alerts.append(Alert("CARD_UNREAD", "warning", number, (("card", after.cards_seen),)))
    if shoe.excess:
        alerts.append(_too_many(after, card.rank, card.suit))
    if shoe.seen > shoe.size:
        alerts.append(Alert("SHOE_OVERRUN", "warning", number, (("cards", shoe.size),)))
    if due:
        alerts.append(Alert("SHUFFLE_DUE", "critical", number))
    if shoe.burn_due and after.cards_seen > before.cards_seen:
        alerts.append(Alert("BURN_MISSED", "warning", number, (("cards", shoe.burn_due),)))
    return tuple(alerts)


def _turned_alerts(before: TableState, after: TableState) -> list[Notice]:
    """An alert where the turned card is one more of its kind than the shoe holds."""
    hole = hole_of(after.dealer)
    if hole is None or after.shoe is before.shoe or not after.shoe.excess:
        return []
    return [_too_many(after, *hole.card)]


def _too_many(state: TableState, rank: Rank | None, suit: Suit | None) -> Alert:
    """More cards of a kind than the shoe holds."""
    params = (("rank", str(rank)), ("suit", suit or ""), ("decks", state.shoe.decks))
    return Alert("TOO_MANY_OF_A_KIND", "warning", state.book.number, params)


def _needs_rank(after: TableState) -> bool:
    """Whether the last card, unread, keeps the round waiting: no hole card, no double dealt face down."""
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


def _changes(before: TableState, after: TableState, *, ruled: bool) -> list[Notice]:
    """Settled, settled anew, voided or disputed, where that is new."""
    old, new = before.settlement, after.settlement
    notices: list[Notice] = []
    number = after.book.number
    if new.result is None:
        return _reopened(before, after)
    if is_final(new.status):
        moved = () if old.paid_out is None else differences(old.paid_out, new.paid_out or ())
        if moved:
            notices.append(Adjusted(number, moved))
        if ruled or old.status != new.status or moved:
            notices.append(Settled(new.result))
    elif new.code is not None and (old.status != new.status or _first(before) != _first(after)):
        notices.append(Disputed(number, new.code, _first(after)[1]))
    return notices


def _reopened(before: TableState, after: TableState) -> list[Notice]:
    """After a correction the round waits for a card or a decision again; it is told as open."""
    if before.settlement.status == RUNNING:
        return []
    return [Settled(round_result(after, RUNNING, pending(after)))]


def _first(state: TableState) -> tuple[str | None, Params]:
    """The code of a dispute, with the card and the parameters of the first fact that does not fit."""
    faults = standing_faults(state)
    if not faults:
        return state.settlement.code, ()
    card = state.log[faults[0].fact].n
    return faults[0].code, (*((("card", card),) if card else ()), *faults[0].params)


def differences(before: tuple[BetResult, ...], after: tuple[BetResult, ...]) -> tuple[Difference, ...]:
    """Every bettor for whom what came back, or what he had put up, has changed."""
    old = {(bet.box, bet.seat): bet for bet in before}
    new = {(bet.box, bet.seat): bet for bet in after}
    moved = []
    for box, seat in sorted(old.keys() | new.keys()):
        was = old.get((box, seat), BetResult(box, seat, NOTHING, NOTHING, ()))
        now = new.get((box, seat), BetResult(box, seat, NOTHING, NOTHING, ()))
        if (was.returned, was.staked) != (now.returned, now.staked):
            moved.append(Difference(box, seat, was.returned, now.returned, was.staked, now.staked))
    return tuple(moved)


def _ended(before: TableState, after: TableState, notices: list[Notice]) -> Step:
    """The table is cleared: a settled round closes, one without a result closes in dispute."""
    if not in_progress(before):
        return Step(before, QUIET)
    settlement = after.settlement
    if not is_final(settlement.status):
        if before.phase != COMPLETE:
            notices.append(Alert(incomplete_code(before), "critical", after.book.number))
        notices += _changes(before, after, ruled=False)
        if settlement.result is not None:
            notices.append(Settled(settlement.result))
    return Step(next_round(after), tuple(notices))


def next_round(state: TableState) -> TableState:
    """Close the round into the book and wait for bets."""
    book = state.book
    rules, shuffle_due = book.rules, book.shuffle_due
    closed = replace(state, book=replace(book, past=NO_HISTORY))
    hole = hole_of(state.dealer) if hidden_hole(state.dealer) else None
    shoe = state.shoe if hole is None else learn(state.shoe, hole.card)
    if rules.shuffled_each_round:
        shoe = fresh_shoe(shoe.decks, shoe.size)
    elif shoe.cut:
        shuffle_due = True
        shoe = replace(shoe, cut=False)
    bank = next_bank(book) if book.bank else 0
    past = book.past.added(closed)
    after = replace(book, number=book.number + 1, shoe=shoe, past=past, bank=bank, shuffle_due=shuffle_due)
    return begin(after)


def _ruling(state: TableState, obs: Ruling) -> Step:
    """A ruling on this round or, by its number, on one that was closed (G-04)."""
    old = _round(state, None if isinstance(obs, AmendClose) else obs.round)
    if old is not state:
        return _late_ruling(state, old, obs)
    return _void(state, obs) if isinstance(obs, Void) else _refolded(state, rule(state, obs), obs)


def _round(state: TableState, number: int | None) -> TableState:
    """The round of this number, which may be the present one. Raises RuleRefusal."""
    if number is None or number == state.book.number:
        return state
    for old in state.book.past:
        if old.book.number == number:
            return old
    raise RuleRefusal("NO_SUCH_ROUND", round=number)


def _refolded(before: TableState, after: TableState, obs: Refolding) -> Step:
    """What is new after a ruling, and what the ruling says by itself."""
    ruled = concluded(before, after, obs)
    return Step(ruled.state, ruled.notices + ruling_alerts(ruled.state, obs))


def _paid(state: TableState, obs: Paid) -> Step:
    """What was handed back, of the round that is settled and not ended or of the one that is named."""
    old = _round(state, obs.round)
    verify_paid(old, obs)
    after = logged(ACTS[Paid](old, obs), Fact(0, obs, None, old.phase), old.cards_seen)
    alerts = payment_alerts(after, obs)
    if old is state:
        return Step(after, alerts)
    past = state.book.past.replaced(old, after)
    return Step(replace(state, book=replace(state.book, past=past)), alerts)


def _exposed(state: TableState, obs: Exposed) -> Step:
    """The face-down card was seen: the pit has to know, and play goes on where nobody rules otherwise."""
    seen = _fact(state, obs)
    alert = Alert("HOLE_CARD_EXPOSED", "critical", state.book.number, (("who", obs.who),))
    return Step(seen.state, (*seen.notices, alert))


def _void(state: TableState, obs: Void) -> Step:
    """A void is a fact of its round: it stays in force when the round is folded again."""
    if not in_progress(state):
        raise RuleRefusal("NOTHING_TO_VOID")
    after = ACTS[Void](state, obs)
    fact = Fact(0, obs, None, state.phase)
    return concluded(state, judge(logged(after, fact, after.cards_seen)), obs)


def _late_ruling(state: TableState, old: TableState, obs: Ruling) -> Step:
    """Rule on a closed round: the running one stays as it is, but for the count of the shoe."""
    book = state.book
    inner = _void(old, obs) if isinstance(obs, Void) else _refolded(old, judge(rule(old, obs)), obs)
    new = inner.state
    past = book.past.replaced(old, replace(new, book=replace(new.book, chips=())))
    chips = new.book.chips if old.book.bank else book.chips
    state = replace(state, book=replace(book, past=past, chips=chips))
    if new.shoe != old.shoe and not book.rules.shuffled_each_round:
        start = shifted(book.shoe, old.shoe, new.shoe)
        state = replace(
            state, book=replace(state.book, shoe=start), shoe=shifted(state.shoe, old.shoe, new.shoe)
        )
    notices = inner.notices
    if new.settlement.result is not None and any(type(notice) is Disputed for notice in notices):
        notices += (Settled(new.settlement.result),)
    return Step(state, notices)


def _count_chips(state: TableState, obs: Chips) -> Step:
    return Step(take_chips(state, obs), QUIET)


def _name_bank(state: TableState, obs: Bank) -> Step:
    return Step(take_bank(state, obs), QUIET)


def _with_chips(before: TableState, after: TableState) -> TableState:
    """With the players' own chips moved by what this settlement changes (NL-29)."""
    if not after.book.chips or after.settlement.paid_out is before.settlement.paid_out:
        return after
    chips = move_chips(after.book, before.settlement.paid_out or (), after.settlement.paid_out or ())
    return replace(after, book=replace(after.book, chips=chips))


_RULINGS: Final = frozenset(get_args(Ruling))
_TAKE: Final[dict[type, Callable[[TableState, Any], Step]]] = {
    Bet: _bet,
    Chips: _count_chips,
    Bank: _name_bank,
    Paid: _paid,
    Exposed: _exposed,
    **dict.fromkeys(_RULINGS, _ruling),
}
