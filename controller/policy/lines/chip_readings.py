"""Readings of chip sources: payouts become facts, stakes are compared with the entered ones."""

from typing import Final

from controller.acts.catalogue import ChipReading, Paid
from controller.domain import Params, TableError
from controller.engine.constants import BETS
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState
from controller.policy.lines.desk import Desk
from controller.policy.state.counted_chips import NO_CHIPS, StakeReading, changed, differing, entered_stake
from controller.policy.state.holds import STAKE_ASKED, STAKE_CHANGED, WRONG_PAYOUT
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import Person
from controller.policy.state.payouts import payout_of

CHIPS: Final = Person("chips")
"""Who reports what a chip source has counted before it could be taken."""


def read_chips(desk: Desk, line: TableLine, reading: ChipReading) -> None:
    """Take a source's reading during any hold. Raises NO_BET for a payout to a seat without a bet."""
    desk.fact(reading, line.by, line.mark)
    if reading.kind == "payout" and reading.amount:
        within = _paid_round(desk.state)
        if within is None or (reading.box, reading.seat) not in _bettors(within):
            raise TableError("NO_BET", box=reading.box, seat=reading.seat)
        if within is not desk.state:
            _enter_late(desk, line, reading, within)


def watch(desk: Desk, mark: int) -> None:
    """Tell the payouts that a source has counted once they can be, and hold for a stake that has changed."""
    if desk.run.chips == NO_CHIPS:
        return
    if desk.run.chips.payouts and is_final(desk.state.settlement.status):
        _enter_counted(desk, mark)
    for reading in changed(desk.state, desk.run.chips):
        if not reading.answered and not _is_held(desk, reading):
            params = _params(desk.state, reading)
            desk.alert(STAKE_CHANGED, mark, params)
            desk.hold_for(STAKE_CHANGED, mark, params, box=reading.box)


def ask_stakes(desk: Desk, mark: int) -> bool:
    """Begin a hold for each circle whose chips differ from the entered stake; False without such a hold."""
    if not desk.run.chips.stakes:
        return False
    asked = [one for one in differing(desk.state, desk.run.chips) if not one.answered]
    for reading in asked:
        desk.hold_for(STAKE_ASKED, mark, _params(desk.state, reading), box=reading.box)
    return bool(asked) and not desk.house.in_shadow


def _params(state: TableState, reading: StakeReading) -> Params:
    found = entered_stake(state, reading.box, reading.seat)
    return (("box", reading.box), ("seat", reading.seat), ("stake", reading.amount), ("told", found))


def _is_held(desk: Desk, reading: StakeReading) -> bool:
    """Whether the table is held because of these chips."""
    place = (STAKE_CHANGED, reading.box, reading.seat)
    return any((hold.code, hold.box, hold.get("seat")) == place for hold in desk.run.holds)


def _paid_round(state: TableState) -> TableState | None:
    """The round that is paid: this one, or while bets are open the one before."""
    return state if state.phase != BETS else next(iter(state.book.past.latest(1)), None)


def _bettors(state: TableState) -> frozenset[tuple[int, int]]:
    return frozenset((box.box, seat) for box in state.boxes for seat, _ in box.bets)


def _enter_counted(desk: Desk, mark: int) -> None:
    """Enter each counted payout, except for a bettor whose wrong payout awaits a ruling."""
    paid = {entry[:2]: entry[2] for entry in desk.state.settlement.paid}
    wrong = [(hold.get("box"), hold.get("seat")) for hold in desk.run.holds if hold.code == WRONG_PAYOUT]
    bettors = _bettors(desk.state)
    for box, seat, amount in desk.run.chips.payouts:
        known = (box, seat) in bettors and (box, seat) not in wrong
        if known and paid.get((box, seat)) != amount:
            _enter_payout(desk, Paid(box, seat, amount, how="measured"), CHIPS, mark)


def _enter_late(desk: Desk, line: TableLine, reading: ChipReading, closed: TableState) -> None:
    """A payout that came to rest after the next bet is that of the round before."""
    paid = {entry[:2]: entry[2] for entry in closed.settlement.paid}
    place, amount = (reading.box, reading.seat), reading.amount
    if amount is not None and is_final(closed.settlement.status) and paid.get(place) != amount:
        given = Paid(*place, amount, closed.book.number, "measured")
        _enter_payout(desk, given, line.by, line.mark)


def _enter_payout(desk: Desk, given: Paid, by: Person, mark: int) -> None:
    """Take a payout, and put it into the books."""
    desk.fact(given, by, mark)
    payout = payout_of(desk.state, given, by)
    if payout is not None:
        desk.note_payout(payout, by, mark)
