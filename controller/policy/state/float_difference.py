"""Explanations of a closing count that differs from the float, the likeliest first."""

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
    """A possible explanation of a difference at closing.

    `amount` is the difference that this fact would explain: a payout other than settled, an unconfirmed
    payout, or the change by a ruling. `box` is 0 for a whole round.
    """

    reason: Reason
    round: int
    box: int
    seat: int
    amount: int


def difference_of(state: TableState, counted: int) -> int:
    """Return the counted less the expected float, negative for missing chips; 0 without an opening count."""
    return counted - float_due(state) if state.book.counted_in else 0


def explanations(book: Book, rounds: Iterable[TableState], off: int) -> tuple[Explanation, ...]:
    """Return the explanations of a difference since the opening: equal amounts first, then the largest."""
    since = [state for state in rounds if state.book.number >= book.counted_in]
    found = (*_ruled(book.ruled, since), *_unsure(since))
    return tuple(sorted(found, key=lambda one: (one.amount != abs(off), -one.amount, one.round)))


def alert_params(state: TableState, count: FloatCounted) -> Params:
    """Return the alert's parameters: the sums, and the rounds of the likeliest explanations."""
    off = difference_of(state, sum_of(count))
    found = explanations(state.book, (*state.book.past, state), off)
    likeliest = [*dict.fromkeys(str(one.round) for one in found)][:NAMED_MAX]
    due = float_due(state)
    known: tuple[tuple[str, int], ...] = (("counted", sum_of(count)), ("expected", due), ("difference", off))
    return (*known, ("rounds", ", ".join(likeliest)))


def _ruled(ruled: Iterable[RuledMoney], rounds: Iterable[TableState]) -> Iterator[Explanation]:
    """Yield the changes by rulings: a result as it is, a stake by its effect on the result."""
    by_number = {state.book.number: state for state in rounds}
    for number, box, seat, amount in ruled:
        within = by_number.get(number)
        moved = _became(within, box, seat, amount) if box and within is not None else amount
        if moved:
            yield Explanation("ruled", number, box, seat, abs(moved))


def _became(state: TableState, box: int, seat: int, laid: int) -> int:
    """Return the win or loss of a stake's additional or removed chips."""
    for bet, _ in payouts_of(state):
        if (bet.box, bet.seat) == (box, seat) and bet.staked and is_final(state.settlement.status):
            return (int(bet.returned) - int(bet.staked)) * laid // int(bet.staked)
    return 0


def _unsure(rounds: Iterable[TableState]) -> Iterator[Explanation]:
    """Yield the payouts that differ from the settlement or were not confirmed."""
    for state in rounds:
        if not is_final(state.settlement.status):
            continue
        for bet, given in payouts_of(state):
            if given is None and bet.returned:
                yield Explanation("not_confirmed", state.book.number, bet.box, bet.seat, int(bet.returned))
            elif given is not None and given != bet.returned:
                amount = abs(given - int(bet.returned))
                yield Explanation("paid", state.book.number, bet.box, bet.seat, amount)
