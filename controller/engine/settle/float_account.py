"""The expected float: the opening count and all later movements, in minor units.

Fills and the house's wins add to it. Credits, chips sold for the drop box, and payouts reduce it.
`Book.rack` contains the closed rounds; `float_due` adds the round on the table.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from controller.acts.catalogue import AmendStake, Credit, Drop, Fill, FloatCounted, Ruling
from controller.domain import BetResult
from controller.engine.settle.round_status import is_final
from controller.engine.state import Book, RuledMoney, Slip, TableState


def float_due(state: TableState) -> int:
    """Return the expected float; without an opening count it starts at 0."""
    return state.book.rack + house_win(state)


def house_win(state: TableState) -> int:
    """Return the house's win of a settled round: stakes less payouts; a payout not entered counts as due."""
    if not is_final(state.settlement.status):
        return 0
    won = 0
    for bet, given in payouts_of(state):
        won += bet.staked - (bet.returned if given is None else given)
    return won


def payouts_of(state: TableState) -> Iterator[tuple[BetResult, int | None]]:
    """Yield each bet of the result with its payout; None when the payout was not entered."""
    settlement = state.settlement
    given = {(box, seat): amount for box, seat, amount in settlement.paid}
    for bet in () if settlement.result is None else settlement.result.bets:
        yield bet, given.get((bet.box, bet.seat))


def with_count(state: TableState, obs: FloatCounted) -> TableState:
    """Begin the float anew with the count of the opening; another count is compared and moves nothing."""
    if obs.at != "open":
        return state
    rack = sum_of(obs) - house_win(state)
    book = replace(state.book, rack=rack, counted_in=state.book.number, ruled=())
    return replace(state, book=replace(book, counted_slips=len(book.slips)))


def moved(book: Book, amount: int) -> Book:
    """The book after so much has come to the float (below 0: has left it)."""
    return replace(book, rack=book.rack + amount) if amount else book


def slip_of(obs: Fill | Credit | Drop) -> Slip:
    """Return the slip of a float movement; its amount is negative when chips left the float."""
    match obs:
        case Fill():
            return Slip("fill", obs.slip, sum_of(obs))
        case Credit():
            return Slip("credit", obs.slip, -sum_of(obs))
        case Drop():
            return Slip("drop", obs.slip or "", -obs.amount)
        case _:
            assert_never(obs)


def with_slip(book: Book, slip: Slip) -> Book:
    """Return the book after a fill, a credit, or a drop."""
    return moved(replace(book, slips=(*book.slips, slip)), slip.amount)


def without_slip(book: Book, at: int) -> Book:
    """The book as if the money of the slip at an index had not moved; the count of an opening stands."""
    slip = book.slips[at]
    slips = (*book.slips[:at], slip._replace(void=True), *book.slips[at + 1 :])
    return moved(replace(book, slips=slips), 0 if at < book.counted_slips else -slip.amount)


def sum_of(obs: FloatCounted | Fill | Credit) -> int:
    """The sum of a count or slip, which says it or its pieces."""
    if obs.amount is not None:
        return obs.amount
    total = 0
    for value, pieces in obs.chips or ():
        total += value * pieces
    return total


def noted(after: TableState, old: TableState, new: TableState, obs: Ruling) -> TableState:
    """Return the table after a ruling, with the amount that it moved; `old` and `new` are the ruled round.

    The change of a closed round's win moves the float. A stake amended before the settlement moves no money
    yet: only the difference is recorded, and the result contains the rest.
    """
    change = house_win(new) - house_win(old)
    book = moved(after.book, change) if new.book.number != after.book.number else after.book
    entry: RuledMoney | None = None
    if change:
        entry = new.book.number, 0, 0, change
    elif isinstance(obs, AmendStake) and not is_final(new.settlement.status):
        laid = _stake(new, obs.box, obs.seat) - _stake(old, obs.box, obs.seat)
        if laid:
            entry = new.book.number, obs.box, obs.seat, laid
    if entry is not None:
        book = replace(book, ruled=_with(book.ruled, entry))
    return after if book is after.book else replace(after, book=book)


def _with(ruled: tuple[RuledMoney, ...], entry: RuledMoney) -> tuple[RuledMoney, ...]:
    """Add an amount to the movements by rulings: one entry per round and bettor, none for a sum of 0."""
    kept: list[RuledMoney] = []
    known = False
    for one in ruled:
        if one[:3] != entry[:3]:
            kept.append(one)
            continue
        known = True
        change = one[3] + entry[3]
        if change:
            kept.append((*entry[:3], change))
    return tuple(kept) if known else (*ruled, entry)


def _stake(state: TableState, number: int, seat: int) -> int:
    """Return a bettor's stake before the deal."""
    for box in state.boxes:
        if box.box == number:
            for at, stake in box.bets:
                if at == seat:
                    return stake
    return 0
