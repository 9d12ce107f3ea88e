"""The table over rounds: one observation in, the next state and its notices out."""

from dataclasses import replace

from controller.acts.catalogue import (
    AmendClose,
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
from controller.domain import (
    Alert,
    Disputed,
    Refused,
    Settled,
)
from controller.engine.amend.rulings import rule, ruling_alerts
from controller.engine.concluding import Step, concluded, next_round
from controller.engine.errors import CardFault, RuleRefusal, refuse
from controller.engine.facts import Fact
from controller.engine.round.alerts import QUIET
from controller.engine.round.banking import take_bank, take_chips
from controller.engine.round.folding import acted, apply, logged, set_aside, take_card
from controller.engine.round.payments import payment_alerts, rounds, verify_paid
from controller.engine.settle.float_account import house_win, moved, noted
from controller.engine.settle.round_status import (
    in_progress,
    is_final,
    judge,
)
from controller.engine.shoe.composition import shifted
from controller.engine.shoe.lifecycle import verify_load, verify_shuffle
from controller.engine.shoe.table_day import count_float, use_slip, void_slip
from controller.engine.state import TableState
from controller.engine.watching import in_place, watched


def step(state: TableState, obs: Observation) -> Step:
    """Take one observation. Never raises for anything that people or devices can report."""
    if type(obs) is CardSeen:
        # A physical card is never refused: it is placed, queued, burned or set aside with an alert.
        taken = concluded(state, take_card(state, obs), obs)
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
        return concluded(state, set_aside(state, fact, error, -1, state.cards_seen), obs)
    return concluded(state, logged(after, acted(state, after, fact), after.cards_seen), obs)


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
    ruled = concluded(before, after, obs)
    return Step(ruled.state, ruled.notices + ruling_alerts(ruled.state, obs))


def _paid(state: TableState, obs: Paid) -> Step:
    """Record a payout of the settled round, or of the round that it names."""
    old = _round(state, obs.round)
    verify_paid(old, obs)
    ruled = rounds(old, obs)
    after = logged(apply(old, obs), Fact(0, obs, None, old.phase, ruled=ruled), old.cards_seen)
    after, notices = concluded(old, after, obs) if ruled else (after, ())
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


def _noted(state: TableState, obs: Observation) -> Step:
    """Accept an entry that changes no state: a chip sighting, a card counted on its way out, a note.

    Refuses a round that has not begun.
    """
    number = getattr(obs, "round", None)
    if number is not None and number > state.book.number:
        refuse("NO_SUCH_ROUND", round=number)
    return Step(state, QUIET)
