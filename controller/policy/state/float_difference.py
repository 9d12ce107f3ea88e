"""A closing count that differs from the float: what may explain it, the likeliest first."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import FloatCounted
from controller.domain import Params
from controller.engine.settle.float_account import float_due, payouts_of, sum_of
from controller.engine.settle.round_status import is_final
from controller.engine.state import Book, RuledMoney, TableState

FLOAT_DIFFERS: Final = "FLOAT_DIFFERS"
Reason = Literal["paid", "not_confirmed", "ruled"]
NAMED_MAX: Final = 3
"""Rounds that the alert names; all of them stand on the page of the shift and in its report."""


class Explanation(NamedTuple):
    """What may explain a difference at closing.

    `amount` is by how much the float would be off if the fact were none: what was handed back otherwise than
    settled, a payout that nobody has confirmed, what a ruling has changed. `box` is 0 for a whole round.
    """

    reason: Reason
    round: int
    box: int
    seat: int
    amount: int


def difference_of(state: TableState, counted: int) -> int:
    """What was counted too much, negative where chips are missing; 0 where no opening was counted."""
    return counted - float_due(state) if state.book.counted_in else 0


def explanations(book: Book, rounds: Iterable[TableState], off: int) -> tuple[Explanation, ...]:
    """What may have made a difference of `off` since the opening: what is as large, then the largest."""
    since = [state for state in rounds if state.book.number >= book.counted_in]
    found = (*_ruled(book.ruled, since), *_unsure(since))
    return tuple(sorted(found, key=lambda one: (one.amount != abs(off), -one.amount, one.round)))


def alert_params(state: TableState, count: FloatCounted) -> Params:
    """What the alert says: the sums, and the rounds that are the likeliest to explain it."""
    off = difference_of(state, sum_of(count))
    found = explanations(state.book, (*state.book.past, state), off)
    likeliest = [*dict.fromkeys(str(one.round) for one in found)][:NAMED_MAX]
    due = float_due(state)
    known: tuple[tuple[str, int], ...] = (("counted", sum_of(count)), ("expected", due), ("difference", off))
    return (*known, ("rounds", ", ".join(likeliest)))


def _ruled(ruled: Iterable[RuledMoney], rounds: Iterable[TableState]) -> Iterator[Explanation]:
    """What rulings have moved: a result by itself, a stake by what became of it."""
    by_number = {state.book.number: state for state in rounds}
    for number, box, seat, amount in ruled:
        within = by_number.get(number)
        moved = _became(within, box, seat, amount) if box and within is not None else amount
        if moved:
            yield Explanation("ruled", number, box, seat, abs(moved))


def _became(state: TableState, box: int, seat: int, laid: int) -> int:
    """What chips more or less in a bettor's stake have won or lost."""
    for bet, _ in payouts_of(state):
        if (bet.box, bet.seat) == (box, seat) and bet.staked and is_final(state.settlement.status):
            return (int(bet.returned) - int(bet.staked)) * laid // int(bet.staked)
    return 0


def _unsure(rounds: Iterable[TableState]) -> Iterator[Explanation]:
    """Payouts of all rounds: another sum than settled, or confirmed by nobody."""
    for state in rounds:
        if not is_final(state.settlement.status):
            continue
        for bet, given in payouts_of(state):
            if given is None and bet.returned:
                yield Explanation("not_confirmed", state.book.number, bet.box, bet.seat, int(bet.returned))
            elif given is not None and given != bet.returned:
                amount = abs(given - int(bet.returned))
                yield Explanation("paid", state.book.number, bet.box, bet.seat, amount)
