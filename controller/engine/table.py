"""The table over rounds: one observation in, the next state and its notices out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, cast, final, get_args

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
    ChipReading,
    Chips,
    Correct,
    End,
    Exposed,
    Observation,
    Paid,
    Ruling,
    ShoeLoaded,
    Void,
)
from controller.domain.table_events import (
    Credit,
    Drop,
    Fill,
    FloatCounted,
    Freeze,
    Message,
    Note,
    RestCard,
    RestCounting,
    ShoeShuffled,
    SlipVoided,
)
from controller.engine.amend.rulings import Refolding, rule, ruling_alerts
from controller.engine.constants import COMPLETE
from controller.engine.dealer import hidden_hole
from controller.engine.errors import CardFault, RuleRefusal, refuse
from controller.engine.facts import Fact
from controller.engine.hands import hole_of
from controller.engine.round.alerts import QUIET, alerts_of, too_many_alert
from controller.engine.round.banking import move_chips, next_bank, take_bank, take_chips
from controller.engine.round.folding import ACTS, acted, logged, set_aside, take_card
from controller.engine.round.payments import payment_alerts, rounds, verify_paid
from controller.engine.settle.float_account import house_win, moved, noted, with_drop
from controller.engine.settle.not_payable import NOT_PAYABLE, waiting, wanted
from controller.engine.settle.round_status import (
    RUNNING,
    in_progress,
    incomplete_code,
    is_final,
    judge,
    standing_faults,
)
from controller.engine.settle.settlement import NOTHING, pending, round_result
from controller.engine.shoe.composition import learn, shifted, too_many
from controller.engine.shoe.lifecycle import verify_load, verify_shuffle
from controller.engine.shoe.table_day import count_float, take_pending, use_slip, void_slip
from controller.engine.state import NO_HISTORY, OPEN, Shoe, TableState, begin, fresh_shoe
from controller.engine.watching import in_place, watched, with_discards


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


def step(state: TableState, obs: Observation) -> Step:
    """Take one observation. Never raises for anything that people or devices can report."""
    kind = type(obs)
    if kind is CardSeen:
        taken = _card(state, cast(CardSeen, obs))
    else:
        try:
            taken = _TAKE.get(kind, _fact)(state, obs)
        except RuleRefusal as refusal:
            return Step(state, (Refused(refusal.code, tuple(refusal.params.items())),))
    after, reported = watched(state, taken.state, obs)
    return Step(after, in_place(taken.notices, reported) if reported else taken.notices)


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
        return Step(after, alerts_of(before, after, obs))
    after = judge(after)
    ruled = type(obs) in _RULINGS
    notices = [] if ruled or not after.settlement.faults else _fault_alerts(before, after)
    notices += alerts_of(before, after, obs)
    if type(obs) is Correct and too_many(after.shoe, obs.rank, obs.suit):
        notices.append(too_many_alert(after, obs.rank, obs.suit))
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
        asked = waiting(state) if state.settlement.code == NOT_PAYABLE else ()
        return state.settlement.code, wanted(asked[0]) if asked else ()
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
    closed = replace(state, book=replace(book, past=NO_HISTORY, watch=None), watch=None)
    hole = hole_of(state.dealer) if hidden_hole(state.dealer) else None
    shoe = state.shoe
    if hole is not None and hole.n > shoe.earlier:
        shoe = learn(shoe, hole.card)
    if rules.shuffled_each_round:
        shuffle_due = False
        shoe = _shuffled(shoe)
    elif shoe.cut:
        shuffle_due = True
        shoe = replace(shoe, cut=False)
    if shoe.earlier:
        shoe = replace(shoe, earlier=0, burn_due=shoe.burn_due + shoe.burn_later, burn_later=0)
    bank = next_bank(book) if book.bank else 0
    past = book.past.added(closed)
    book = moved(book, house_win(state))
    after = replace(book, number=book.number + 1, shoe=shoe, past=past, bank=bank, shuffle_due=shuffle_due)
    return begin(take_pending(with_discards(state, after)))


def _shuffled(shoe: Shoe) -> Shoe:
    """The same packs, all in the shoe again (NL-01); one that is void or was told as ended stays so."""
    return replace(
        fresh_shoe(shoe.decks, shoe.size),
        number=shoe.number,
        loaded=shoe.loaded,
        ended=shoe.ended,
        void=shoe.void,
        burn_due=shoe.burn_later,
    )


def _ruling(state: TableState, obs: Ruling) -> Step:
    """A ruling on this round or, by its number, on one that was closed (G-04)."""
    old = _round(state, None if isinstance(obs, AmendClose) else obs.round)
    if old is not state:
        return _late_ruling(state, old, obs)
    ruled = _void(state, obs) if isinstance(obs, Void) else _refolded(state, rule(state, obs), obs)
    return Step(noted(ruled.state, state, ruled.state, obs), ruled.notices)


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
    ruled = rounds(old, obs)
    after = logged(ACTS[Paid](old, obs), Fact(0, obs, None, old.phase, ruled=ruled), old.cards_seen)
    after, notices = concluded(old, after, obs) if ruled else (after, ())
    notices = (*notices, *payment_alerts(after, obs))
    if old is state:
        return Step(after, notices)
    past = state.book.past.replaced(old, after)
    book = moved(replace(state.book, past=past), house_win(after) - house_win(old))
    return Step(replace(state, book=book), notices)


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
    state = noted(state, old, new, obs)
    notices = inner.notices
    if new.settlement.result is not None and any(type(notice) is Disputed for notice in notices):
        notices += (Settled(new.settlement.result),)
    return Step(state, notices)


def _no_fact_of_the_round(state: TableState, _: Observation) -> Step:
    """What chip sources see, and cards counted on their way out, is compared at the table's door.

    So does a table wait there, and only there.
    """
    return Step(state, QUIET)


def _note(state: TableState, obs: Note) -> Step:
    """A remark; refused where it names a round that has not begun."""
    if obs.round is not None and obs.round > state.book.number:
        refuse("NO_SUCH_ROUND", round=obs.round)
    return Step(state, QUIET)


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


def _verified(state: TableState, obs: Observation) -> Step:
    """An act that is refused where it is told wrongly, but fits whenever the round is folded again."""
    _VERIFY[type(obs)](state, obs)
    return _fact(state, obs)


def _money(state: TableState, obs: Observation) -> Step:
    """The table's own money: what moves the float is refused where it is told wrongly."""
    return _fact(_MONEY[type(obs)](state, obs), obs)


_MONEY: Final[dict[type, Callable[[TableState, Any], TableState]]] = {
    FloatCounted: count_float,
    Drop: with_drop,
    Fill: use_slip,
    Credit: use_slip,
    SlipVoided: void_slip,
}
_VERIFY: Final[dict[type, Callable[[TableState, Any], None]]] = {
    ShoeLoaded: verify_load,
    ShoeShuffled: verify_shuffle,
}
_RULINGS: Final = frozenset(get_args(Ruling))
_TAKE: Final[dict[type, Callable[[TableState, Any], Step]]] = {
    Bet: _bet,
    ChipReading: _no_fact_of_the_round,
    RestCounting: _no_fact_of_the_round,
    RestCard: _no_fact_of_the_round,
    Freeze: _no_fact_of_the_round,
    Message: _no_fact_of_the_round,
    Chips: _count_chips,
    Bank: _name_bank,
    Paid: _paid,
    Exposed: _exposed,
    Note: _note,
    **dict.fromkeys(_MONEY, _money),
    **dict.fromkeys(_VERIFY, _verified),
    **dict.fromkeys(_RULINGS, _ruling),
}
