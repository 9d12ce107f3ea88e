"""The table: one observation in, the next state and its notices out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, final

from controller.acts.catalogue import (
    RULINGS,
    AmendClose,
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Correct,
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
from controller.domain import (
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
from controller.engine.betting import (
    move_chips,
    next_bank,
    payment_alerts,
    rounds,
    take_bank,
    take_chips,
    verify_paid,
)
from controller.engine.folding import (
    QUIET,
    acted,
    alerts_of,
    apply,
    logged,
    set_aside,
    take_card,
    too_many_alert,
)
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.rulings import rule, ruling_alerts
from controller.engine.settle import (
    NOT_PAYABLE,
    NOTHING,
    RUNNING,
    house_win,
    in_progress,
    incomplete_code,
    is_final,
    judge,
    moved,
    noted,
    pending,
    round_result,
    standing_faults,
    waiting,
    wanted,
)
from controller.engine.shoe import (
    count_float,
    learn,
    shifted,
    take_pending,
    too_many,
    use_slip,
    verify_load,
    verify_shuffle,
    void_slip,
)
from controller.engine.state import (
    COMPLETE,
    NO_HISTORY,
    OPEN,
    CardFault,
    Fact,
    RuleRefusal,
    Shoe,
    TableState,
    begin,
    fresh_shoe,
    refuse,
)
from controller.engine.watching import in_place, watched, with_discards


@final
@dataclass(frozen=True, slots=True)
class Step:
    """The table after an observation, and its notices; a `Refused` changes nothing.

    Unpacks as `state, notices`.
    """

    state: TableState
    notices: tuple[Notice, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.state, self.notices))


def step(state: TableState, obs: Observation) -> Step:
    """Take one observation. Never raises for anything that people or devices can report."""
    if type(obs) is CardSeen:
        # A physical card is never refused: it is placed, queued, burned or set aside with an alert.
        taken = _concluded(state, take_card(state, obs), obs)
    else:
        try:
            taken = _taken(state, obs)
        except RuleRefusal as refusal:
            return Step(state, (Refused(refusal.code, tuple(refusal.params.items())),))
    after, reported = watched(state, taken.state, obs)
    return Step(after, in_place(taken.notices, reported) if reported else taken.notices)


def _taken(state: TableState, act: Observation) -> Step:
    """Take an act; the commonest cases come first, since a match compares in order."""
    match act:
        case Decision() | Close() | End() | Reveal() | Peek() | Insurance() | InsuranceClosed() | EvenMoney():
            return _fact(state, act)
        case CardSeen() | Leave():
            return _fact(state, act)
        case Bet():
            # A bet after a closed round begins the next one.
            return _fact(next_round(state) if is_final(state.settlement.status) else state, act)
        case Exposed():
            return _exposed(state, act)
        case Chips():
            return Step(take_chips(state, act), QUIET)
        case Bank():
            return Step(take_bank(state, act), QUIET)
        case _:
            return _taken_beside_play(state, act)


def _taken_beside_play(  # noqa: C901  # a case for each act
    state: TableState, act: Ruling | ShoeAct | MoneyAct | DeskAct
) -> Step:
    """Apply rulings, and acts on the shoe, the table's money and the table itself."""
    if isinstance(act, Written):
        return _noted(state, act)
    match act:
        case Paid():
            return _paid(state, act)
        case FloatCounted():
            return _fact(count_float(state, act), act)
        case Fill() | Credit() | Drop():
            return _fact(use_slip(state, act), act)
        case SlipVoided():
            return _fact(void_slip(state, act), act)
        # Refused where they are entered wrongly; folded again they fit.
        case ShoeLoaded():
            verify_load(state, act)
            return _fact(state, act)
        case ShoeShuffled():
            verify_shuffle(state, act)
            return _fact(state, act)
        case ChipReading() | RestCounting() | RestCard() | Freeze():
            return _noted(state, act)
        case CutCard() | ShoeEnded() | ShoeVoided() | Limits() | TableDay() | DealerSeated() | DeviceSeen():
            return _fact(state, act)
        case HoldsLifted():
            return _fact(state, act)
        case _:
            return _ruling(state, act)


def _fact(state: TableState, obs: Observation) -> Step:
    """An act of people: taken, or a contradiction that is set aside. Raises RuleRefusal."""
    fact = Fact(0, obs, None, state.phase)
    try:
        after = apply(state, obs)
    except CardFault as error:
        return _concluded(state, set_aside(state, fact, error, -1, state.cards_seen), obs)
    return _concluded(state, logged(after, acted(state, after, fact), after.cards_seen), obs)


def _ruling(state: TableState, obs: Ruling) -> Step:
    """Apply a ruling to this round or, by its number, to a closed round (G-04)."""
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
    """Conclude a ruling, and add its own alerts."""
    ruled = _concluded(before, after, obs)
    return Step(ruled.state, ruled.notices + ruling_alerts(ruled.state, obs))


def _paid(state: TableState, obs: Paid) -> Step:
    """Record a payout of the settled round, or of the round that it names."""
    old = _round(state, obs.round)
    verify_paid(old, obs)
    ruled = rounds(old, obs)
    after = logged(apply(old, obs), Fact(0, obs, None, old.phase, ruled=ruled), old.cards_seen)
    after, notices = _concluded(old, after, obs) if ruled else (after, ())
    notices = (*notices, *payment_alerts(after, obs))
    if old is state:
        return Step(after, notices)
    past = state.book.past.replaced(old, after)
    book = moved(replace(state.book, past=past), house_win(after) - house_win(old))
    return Step(replace(state, book=book), notices)


def _exposed(state: TableState, obs: Exposed) -> Step:
    """Report the exposed hole card to the pit; play continues until a ruling."""
    seen = _fact(state, obs)
    alert = Alert("HOLE_CARD_EXPOSED", "critical", state.book.number, (("who", obs.who),))
    return Step(seen.state, (*seen.notices, alert))


def _void(state: TableState, obs: Void) -> Step:
    """A void is a fact of its round: it stays in force when the round is folded again."""
    if not in_progress(state):
        raise RuleRefusal("NOTHING_TO_VOID")
    after = apply(state, obs)
    fact = Fact(0, obs, None, state.phase)
    return _concluded(state, judge(logged(after, fact, after.cards_seen)), obs)


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


def _noted(state: TableState, obs: Observation) -> Step:
    """Accept an entry that changes no state: a chip sighting, a card counted on its way out, a note.

    Refuses a round that has not begun.
    """
    number = getattr(obs, "round", None)
    if number is not None and number > state.book.number:
        refuse("NO_SUCH_ROUND", round=number)
    return Step(state, QUIET)


_RULED: Final = frozenset(RULINGS)


def _concluded(before: TableState, after: TableState, obs: Observation) -> Step:
    """Derive the round's status where it may have changed; return the state with the new notices."""
    if after.phase != COMPLETE and after.settlement is OPEN and before.settlement is OPEN:
        return Step(after, alerts_of(before, after, obs))
    after = judge(after)
    ruled = type(obs) in _RULED
    notices = [] if ruled or not after.settlement.faults else _fault_alerts(before, after)
    notices += alerts_of(before, after, obs)
    if type(obs) is Correct and too_many(after.shoe, obs.rank, obs.suit):
        notices.append(too_many_alert(after, obs.rank, obs.suit))
    if type(obs) is End:
        return _ended(before, after, notices)
    notices += _changes(before, after, ruled=ruled)
    return Step(_with_chips(before, after), tuple(notices))


def _fault_alerts(before: TableState, after: TableState) -> list[Notice]:
    """Return an alert for every new fault."""
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
    """After a correction the round waits for a card or a decision again; it goes out as open."""
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
    """Return the bettors whose return or stake changed."""
    old = {(bet.box, bet.seat): bet for bet in before}
    new = {(bet.box, bet.seat): bet for bet in after}
    moved = []
    for box, seat in sorted(old.keys() | new.keys()):
        was = old.get((box, seat), BetResult(box, seat, NOTHING, NOTHING, ()))
        now = new.get((box, seat), BetResult(box, seat, NOTHING, NOTHING, ()))
        if (was.returned, was.staked) != (now.returned, now.staked):
            moved.append(Difference(box, seat, was.returned, now.returned, was.staked, now.staked))
    return tuple(moved)


def _with_chips(before: TableState, after: TableState) -> TableState:
    """Move the players' own chips by the change of this settlement (NL-29)."""
    if not after.book.chips or after.settlement.paid_out is before.settlement.paid_out:
        return after
    chips = move_chips(after.book, before.settlement.paid_out or (), after.settlement.paid_out or ())
    return replace(after, book=replace(after.book, chips=chips))


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
    """Return a full shoe of the same packs (NL-01); a void or ended shoe stays void or ended."""
    return replace(
        fresh_shoe(shoe.decks, shoe.size),
        number=shoe.number,
        loaded=shoe.loaded,
        ended=shoe.ended,
        void=shoe.void,
        burn_due=shoe.burn_later,
    )
