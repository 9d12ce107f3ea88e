"""What the float in the rack should hold: its opening count, and everything that has moved it since.

Fills come to it and credits leave it; chips that guests buy for what goes into the drop box leave it, too;
what the house wins comes to it, what it pays leaves it. All amounts are in minor units. Rounds that are
closed are in `Book.rack` already, the one on the table is added where somebody asks.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from controller.acts.catalogue import AmendStake, Credit, Drop, Fill, FloatCounted, Ruling
from controller.domain import BetResult
from controller.engine.settle.round_status import is_final
from controller.engine.state import Book, RuledMoney, Slip, TableState


def float_due(state: TableState) -> int:
    """What the float should hold now; counted from nothing where nobody has counted it at the opening."""
    return state.book.rack + house_win(state)


def house_win(state: TableState) -> int:
    """What the house has won in a settled round: stakes less what was handed back, where that is known."""
    if not is_final(state.settlement.status):
        return 0
    won = 0
    for bet, given in payouts_of(state):
        won += bet.staked - (bet.returned if given is None else given)
    return won


def payouts_of(state: TableState) -> Iterator[tuple[BetResult, int | None]]:
    """Each bet of a round's result with what was handed back for it, None where nobody has entered it."""
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
    """What a line has brought to the float; what left it counts below 0."""
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
    """The book after a fill, a credit, or chips that were bought for what went into the box."""
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
    """The table after a ruling, with what it has moved; `old` and `new` are the round that it is about.

    A closed round's change comes to the float here. A stake that is entered anew before the round settles
    moves nothing yet: what was laid more or less is kept, and what became of it stands in the result.
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
    """What rulings have moved, one entry a round and bettor; what was taken back has moved nothing."""
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
    """What a bettor has laid before the cards."""
    for box in state.boxes:
        if box.box == number:
            for at, stake in box.bets:
                if at == seat:
                    return stake
    return 0
