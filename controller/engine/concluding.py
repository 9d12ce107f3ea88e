"""Conclude a step: derive the round's status where it may have changed, and the new notices."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, final

from controller.acts.catalogue import RULINGS, Correct, End, Observation
from controller.domain import (
    Adjusted,
    Alert,
    BetResult,
    Difference,
    Disputed,
    Notice,
    Params,
    Settled,
)
from controller.engine.constants import COMPLETE
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.round.alerts import QUIET, alerts_of, too_many_alert
from controller.engine.round.banking import move_chips, next_bank
from controller.engine.settle.float_account import house_win, moved
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
from controller.engine.shoe.composition import learn, too_many
from controller.engine.shoe.table_day import take_pending
from controller.engine.state import NO_HISTORY, OPEN, Shoe, TableState, begin, fresh_shoe
from controller.engine.watching import with_discards

_RULED: Final = frozenset(RULINGS)


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


def concluded(before: TableState, after: TableState, obs: Observation) -> Step:
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
