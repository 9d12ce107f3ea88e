"""Readings of chip sources: each bettor's latest stake, and the amounts that may lie there.

A reading is no bet. Chips that differ from the entered stake are asked before the deal; after it they
hold the table.
"""

from typing import Final, NamedTuple

from controller.acts.catalogue import ChipReading, Observation, Paid
from controller.engine.constants import BETS, BUST, COMPLETE, NATURAL, PLAY, SURRENDERED, VOIDED
from controller.engine.round.betting import stake_of
from controller.engine.settle.round_status import is_final
from controller.engine.state import Box, Hand, TableState

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
