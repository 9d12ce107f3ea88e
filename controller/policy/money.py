"""Money at the door: chips that a source has counted, payouts, slips, and a float that differs.

A chip source's reading is no bet. Chips that differ from the entered stake are asked before the deal; after
it they hold the table.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import ChipReading, Credit, Drop, Fill, FloatCounted, Observation, Paid
from controller.acts.money import PayoutKnown
from controller.domain import BetResult, Money, Params, TableError
from controller.engine.betting import due, stake_of
from controller.engine.settle import AT_ONCE, SETTLED, float_due, is_final, payouts_of, slip_of, sum_of
from controller.engine.state import (
    BETS,
    BUST,
    COMPLETE,
    NATURAL,
    PLAY,
    SURRENDERED,
    VOIDED,
    Book,
    Box,
    Hand,
    RuledMoney,
    TableState,
)
from controller.policy.holds import is_void, round_of
from controller.policy.line import DEVICES, PIT_ROLES, Person, TableOptions

_CARDS_TO_DOUBLE: Final = 2
"""Chips are added to a hand of so many cards, for a double or a split; to no longer one."""


class StakeReading(NamedTuple):
    """The chips in a bettor's circle.

    `answered`: in this round a person accepted them as they lie.
    """

    box: int
    seat: int
    amount: int
    answered: bool = False


class CountedChips(NamedTuple):
    """The newest certain readings.

    `payouts` are totals handed back in this round, as (box, seat, amount), not yet reported: the round
    has no result, or the pit has to rule on that bettor's payout.
    """

    stakes: tuple[StakeReading, ...] = ()
    payouts: tuple[tuple[int, int, int], ...] = ()


NO_CHIPS: Final = CountedChips()


def _with_reading(counted: CountedChips, reading: ChipReading) -> CountedChips:
    """The readings with one more in place of the last of that bettor; one without an amount leaves none."""
    bettor, amount = (reading.box, reading.seat), reading.amount
    if reading.kind == "payout":
        paid = [one for one in counted.payouts if one[:2] != bettor]
        if amount is not None:
            paid.append((*bettor, amount))
        return counted._replace(payouts=tuple(sorted(paid)))
    if any(one[:3] == (*bettor, amount) for one in counted.stakes):
        return counted
    kept = [one for one in counted.stakes if one[:2] != bettor]
    if amount is not None:
        kept.append(StakeReading(*bettor, amount))
    return counted._replace(stakes=tuple(sorted(kept)))


def with_answer(counted: CountedChips, box: int, seat: int) -> CountedChips:
    """Return the readings after a person accepted this bettor's chips."""
    return counted._replace(
        stakes=tuple(
            [one._replace(answered=True) if one[:2] == (box, seat) else one for one in counted.stakes]
        )
    )


def _in_next_round(counted: CountedChips) -> CountedChips:
    """Return the readings for the next round: stakes remain and are asked again."""
    return CountedChips(tuple([one._replace(answered=False) for one in counted.stakes]))


def chips_after(
    counted: CountedChips, before: TableState, after: TableState, observation: Observation
) -> CountedChips:
    """The readings after an observation was taken."""
    if isinstance(observation, ChipReading):
        return _with_reading(counted, observation)
    if isinstance(observation, Paid) and counted.payouts:
        # The payout was entered, by the source or a person: that reading is used up.
        known = (observation.box, observation.seat)
        return counted._replace(payouts=tuple([one for one in counted.payouts if one[:2] != known]))
    return counted if before.book.number == after.book.number else _in_next_round(counted)


def differing(state: TableState, counted: CountedChips) -> tuple[StakeReading, ...]:
    """While bets are open: the circles in which something else lies than was entered."""
    if state.phase != BETS:
        return ()
    return tuple([one for one in counted.stakes if one.amount != stake_of(state, one.box, one.seat)])


def changed(state: TableState, counted: CountedChips) -> tuple[StakeReading, ...]:
    """From the first card to the result: the circles in which an amount lies that cannot be the stake."""
    if state.phase in (BETS, COMPLETE) or is_final(state.settlement.status):
        return ()
    return tuple([one for one in counted.stakes if not _may_lie(state, one)])


def _may_lie(state: TableState, reading: StakeReading) -> bool:
    """Whether this amount can be the bettor's stake now, by the table's state.

    At the box to act, the chips for a double or split may come before or after its entry. A stake that was
    lost, halved or paid during play may be taken away at any later time.
    """
    at = next((index for index, box in enumerate(state.boxes) if box.box == reading.box), None)
    if at is None:
        return reading.amount == 0
    box, seat = state.boxes[at], reading.seat
    if state.phase == PLAY and at == state.box_at:
        return _least(box, seat) <= reading.amount <= _most(box, seat)
    sums = {0}
    for hand in box.hands:
        sums = {lying + more for lying in sums for more in _amounts(box, hand, seat)}
    return reading.amount in sums


def entered_stake(state: TableState, box: int, seat: int) -> int:
    """Return the entered stake: the bet, with the additions for doubles and splits."""
    if state.phase == BETS:
        return stake_of(state, box, seat)
    return sum(_stake(hand, seat) for entry in state.boxes if entry.box == box for hand in entry.hands)


def _stake(hand: Hand, seat: int) -> int:
    return sum(stake for owner, stake in hand.stakes if owner == seat)


def _amounts(box: Box, hand: Hand, seat: int) -> frozenset[int]:
    """Return the possible amounts of one hand: its stake, or its remainder after a settlement in play."""
    stake = _stake(hand, seat)
    if box.void or hand.status in (BUST, VOIDED):
        return frozenset((stake, 0))
    if hand.status == SURRENDERED:
        return frozenset((stake, stake // 2, stake - stake // 2, 0))
    if hand.status == NATURAL:
        return frozenset((stake, 0, 2 * stake, 2 * stake + stake // 2, 2 * stake + (stake + 1) // 2))
    return frozenset((stake,))


def _least(box: Box, seat: int) -> int:
    """The bet before anything was added; nothing where a hand of the box is already lost."""
    gone = any(hand.status in (BUST, SURRENDERED, VOIDED) for hand in box.hands)
    return 0 if gone or box.void else dict(box.bets).get(seat, 0)


def _most(box: Box, seat: int) -> int:
    """Everything that was entered, and as much again for each hand that may still be doubled or split."""
    found = sum(_stake(hand, seat) for hand in box.hands)
    return found + sum(_stake(hand, seat) for hand in box.hands if len(hand.cards) <= _CARDS_TO_DOUBLE)


HowKnown = PayoutKnown | Literal["computed"]
"""`computed`: nobody has confirmed it, the next bet or the cleared table says that it was paid as settled."""


class Payout(NamedTuple):
    """One payout in the books; amounts include the stakes that are handed back."""

    round: int
    box: int
    seat: int
    expected: Money
    paid: Money
    how: HowKnown

    @property
    def difference(self) -> Money:
        """The amount that the bettor got too much; negative when the bettor got too little."""
        return Money(self.paid - self.expected)


def payout_of(state: TableState, given: Paid, by: Person) -> Payout | None:
    """Return the payout of a report; None when its round is not kept any more."""
    number = given.round or state.book.number
    within = round_of(state, number)
    if within is None or within.settlement.result is None:
        return None
    expected = due(within, given.box, given.seat)
    how = known(given, by, expected)
    return Payout(number, given.box, given.seat, expected, Money(given.amount), how)


def known(given: Paid, by: Person, expected: Money) -> PayoutKnown:
    """Return the source of an amount; a person's line with the due amount and no source is a confirmation."""
    if by.role in DEVICES:
        return "measured"
    if given.how is not None:
        return given.how
    return "confirmed" if given.amount == expected else "entered"


def not_confirmed(state: TableState) -> tuple[Payout, ...]:
    """Return the unreported payouts of this settled round, by box and seat."""
    number = state.book.number
    return tuple(
        [
            Payout(number, bet.box, bet.seat, bet.returned, bet.returned, "computed")
            for bet in not_entered(state)
            if bet.returned
        ]
    )


def not_entered(state: TableState) -> tuple[BetResult, ...]:
    """Return the bettors of this settled round whose payout was not reported.

    A stake that was lost or halved during play is taken at once, without a later report.
    """
    settlement = state.settlement
    if settlement.status != SETTLED or settlement.result is None:
        return ()
    found = {entry[:2] for entry in settlement.paid}
    return tuple(
        [
            bet
            for bet in settlement.result.bets
            if (bet.box, bet.seat) not in found and any(part.outcome not in AT_ONCE for part in bet.parts)
        ]
    )


def require_payouts(state: TableState, options: TableOptions) -> None:
    """Raise PAYOUT_NOT_TOLD where the house wants every payout reported before the table goes on."""
    if not options.paid_by_next_bet:
        for bet in not_entered(state):
            raise TableError("PAYOUT_NOT_TOLD", box=bet.box, seat=bet.seat)


def require_known_way(state: TableState, given: Paid, by: Person, options: TableOptions) -> None:
    """Raise PAYOUT_TO_ENTER where a tap confirms winnings, and the house enters or measures them.

    A stake that is taken or stays is confirmed with a tap in every house: nothing was given. So is a
    correction of a payout that has been reported before.
    """
    confirms = given.how == "confirmed" and by.role not in PIT_ROLES
    within = round_of(state, given.round or state.book.number)
    if not confirms or options.payouts in ("confirm", None) or within is None or is_void(within):
        return
    result = within.settlement.result
    if any(entry[:2] == (given.box, given.seat) for entry in within.settlement.paid):
        return
    for bet in result.bets if result is not None else ():
        if (bet.box, bet.seat) == (given.box, given.seat) and winnings(bet):
            raise TableError("PAYOUT_TO_ENTER", box=bet.box, seat=bet.seat)


def winnings(bet: BetResult) -> Money:
    """Return the bettor's winnings without the stakes; 0 when the dealer gives nothing."""
    return Money(sum([max(part.returned - part.stake, 0) for part in bet.parts]))


SLIP_ALIKE: Final = "SLIP_ALIKE"
_ALIKE_MS: Final = 1000
"""Nobody writes and enters two slips so fast. Not measured."""


class SlipEntered(NamedTuple):
    """A fill, credit or drop without its number, and when it was entered, in milliseconds."""

    entry: Fill | Credit | Drop
    number: str
    amount: int
    t_ms: int

    def is_again(self, last: "SlipEntered | None") -> bool:
        """Whether the same people entered the same sum within the same second."""
        return last is not None and last.entry == self.entry and 0 <= self.t_ms - last.t_ms <= _ALIKE_MS


def slip_after(last: SlipEntered | None, observation: Observation, t_ms: int) -> SlipEntered | None:
    """The last slip after an observation was taken at a time."""
    if not isinstance(observation, Fill | Credit | Drop):
        return last
    amount = abs(slip_of(observation).amount)
    if isinstance(observation, Drop):
        return SlipEntered(observation._replace(slip=None), observation.slip or "", amount, t_ms)
    plain = observation._replace(slip="", amount=amount, chips=None)
    return SlipEntered(plain, observation.slip, amount, t_ms)


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
