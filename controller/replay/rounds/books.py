"""The table's books: what the float should hold at every moment, from the journal or a feed alone.

The float begins with the opening count. Fills come to it and credits leave it; chips that guests buy for what
goes into the drop box leave it, too; what the house wins comes to it, what it pays leaves it. All amounts are
in minor units of the table's currency.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, get_args

from controller.domain.notices import BetResult
from controller.domain.observations import Observation, Ruling
from controller.domain.table_events import Credit, Drop, Fill, FloatCounted, SlipVoided
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState
from controller.feed.table_step import TableStep
from controller.policy.state.rounds import round_of
from controller.replay.rounds.played import PlayedRound, rounds_of

MovedBy = Literal["open", "fill", "credit", "drop", "round", "check", "close"]
Reason = Literal["paid", "not_confirmed", "ruled"]
RULINGS: Final = get_args(Ruling)


class Movement(NamedTuple):
    """One thing that moved the float, or a count of it: `amount` is what came, or what was counted.

    `line` is the feed's, `round` 0 beside rounds, `expected` what the float should hold after it.
    """

    line: int
    t: float
    by: MovedBy
    round: int
    amount: int
    expected: int


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


class FloatAccount(NamedTuple):
    """The float from its opening to its closing; `counted` is None where it was not counted at closing."""

    movements: tuple[Movement, ...]
    expected: int
    counted: int | None
    explanations: tuple[Explanation, ...]

    @property
    def difference(self) -> int:
        """What was counted too much, negative where chips are missing; 0 without a closing count."""
        return 0 if self.counted is None else self.counted - self.expected

    def sum(self, by: MovedBy) -> int:
        """What all movements of a kind have brought."""
        return sum(one.amount for one in self.movements if one.by == by)


def books_of(steps: Sequence[TableStep]) -> FloatAccount:
    """Keep the books of these lines, in the order in which the table took them."""
    expected, counted = 0, None
    movements: list[Movement] = []
    won: dict[int, int] = {}
    rulings: list[Explanation] = []
    slips: dict[tuple[str, str], int] = {}
    for step in steps:
        line = step.line
        taken = any(True for played in step.played for _ in played.notices) or step.before is not step.after
        for by, number, amount in _moved(line.obs, step.before, step.after, won, slips):
            expected = amount if by == "open" else expected + (0 if by in ("check", "close") else amount)
            movements.append(Movement(line.number, line.t, by, number, amount, expected))
            if by == "close":
                counted = amount
            if by == "round" and isinstance(line.obs, RULINGS) and taken:
                rulings.append(Explanation("ruled", number, 0, 0, abs(amount)))
    found = (*rulings, *_unsure(rounds_of(steps)))
    off = abs((counted or 0) - expected) if counted is not None else 0
    ordered = sorted(found, key=lambda one: (one.amount != off, -one.amount, one.round))
    return FloatAccount(tuple(movements), expected, counted, tuple(ordered))


def _moved(
    obs: Observation,
    before: TableState,
    after: TableState,
    won: dict[int, int],
    slips: dict[tuple[str, str], int],
) -> Iterator[tuple[MovedBy, int, int]]:
    """What a line has moved: (by what, round, amount).

    `won` is what each round has brought so far, `slips` what each slip has, by its kind and number.
    """
    match obs:
        case FloatCounted() if before is not after:
            yield obs.at, 0, _sum(obs)
        case Fill() | Credit() if before is not after:
            by: MovedBy = "fill" if isinstance(obs, Fill) else "credit"
            slips[by, obs.slip] = _sum(obs) if isinstance(obs, Fill) else -_sum(obs)
            yield by, 0, slips[by, obs.slip]
        case SlipVoided(kind=kind, slip=slip) if before is not after:
            yield kind, 0, -slips.get((kind, slip), 0)
        case Drop(amount=amount) if before is not after:
            yield "drop", 0, -amount
    number = getattr(obs, "round", None) or before.book.number
    for one in dict.fromkeys((number, before.book.number)):
        within = round_of(after, one)
        if one not in won:
            # The books may begin after this round was settled: then only what is ruled from here on moves it.
            earlier = round_of(before, one)
            won[one] = 0 if earlier is None else house_win(earlier)
        now = 0 if within is None else house_win(within)
        if now != won[one]:
            yield "round", one, now - won[one]
            won[one] = now


def _sum(obs: FloatCounted | Fill | Credit) -> int:
    """The sum of a count or slip, which says it or its pieces."""
    if obs.amount is not None:
        return obs.amount
    return sum(value * pieces for value, pieces in obs.chips or ())


def house_win(state: TableState) -> int:
    """What the house has won in a settled round: stakes less what was handed back, where that is known."""
    if not is_final(state.settlement.status):
        return 0
    return sum(
        int(bet.staked) - (int(bet.returned) if given is None else given) for bet, given in payouts_of(state)
    )


def payouts_of(state: TableState) -> Iterator[tuple[BetResult, int | None]]:
    """Each bet of a round's result with what was handed back for it, None where nobody has said."""
    settlement = state.settlement
    given = {(box, seat): int(amount) for box, seat, amount in settlement.paid}
    for bet in () if settlement.result is None else settlement.result.bets:
        yield bet, given.get((bet.box, bet.seat))


def _unsure(rounds: Iterable[PlayedRound]) -> Iterator[Explanation]:
    """Payouts of all rounds: another sum than settled, or confirmed by nobody."""
    for state in (one.state for one in rounds):
        if not is_final(state.settlement.status):
            continue
        for bet, given in payouts_of(state):
            if given is None and bet.returned:
                yield Explanation("not_confirmed", state.book.number, bet.box, bet.seat, int(bet.returned))
            elif given is not None and given != bet.returned:
                amount = abs(given - int(bet.returned))
                yield Explanation("paid", state.book.number, bet.box, bet.seat, amount)
