"""The status of a round: open, settled, voided, or disputed with the first fact that does not fit."""

from dataclasses import replace
from typing import Final

from controller.acts.catalogue import Void
from controller.domain import BetResult, RoundStatus
from controller.engine.constants import BETS, COMPLETE, DRAW
from controller.engine.errors import RuleRefusal
from controller.engine.facts import Fault
from controller.engine.settle.not_payable import rounded_down, waiting
from controller.engine.settle.settlement import pending, refund, round_result, settle
from controller.engine.state import OPEN, Box, TableState

RUNNING: Final = "open"
SETTLED: Final = "settled"
VOIDED: Final = "voided"
DISPUTED: Final = "disputed"


def is_final(status: RoundStatus) -> bool:
    """Whether a round of this status has a result to pay: settled, or void with all stakes returned."""
    return status in (SETTLED, VOIDED)


def standing_faults(state: TableState) -> tuple[Fault, ...]:
    """Faults that no void of their box has settled."""
    faults = state.settlement.faults
    if not faults:
        return faults
    void = {fact.obs.box for fact in state.log if isinstance(fact.obs, Void)}
    return tuple(entry for entry in faults if entry.box < 1 or entry.box not in void)


def judge(state: TableState) -> TableState:
    """The state with the settlement that follows from its cards, faults and voids.

    `paid_out` keeps the last settlement that went out, also while a correction leaves the round disputed or
    open again: those chips have been paid, and the next settlement is given as a difference to them.
    """
    settlement = state.settlement
    if settlement.voided or (state.boxes and _all_void(state.boxes)):
        return _closed(state, VOIDED, refund(state))
    faults = standing_faults(state)
    if faults:
        return _disputed(state, faults[0].code)
    if state.phase == COMPLETE and not _unread(state):
        try:
            return _closed(state, SETTLED, settle(state, state.book.rules))
        except RuleRefusal as refusal:
            if waiting(state):
                return _disputed(state, refusal.code)
            return _closed(state, SETTLED, settle(state, rounded_down(state.book.rules)))
    if settlement.ended:
        return _disputed(state, incomplete_code(state))
    running = replace(settlement, status=RUNNING, code=None, result=None)
    return replace(state, settlement=OPEN if running == OPEN else running)


def _all_void(boxes: tuple[Box, ...]) -> bool:
    """Whether each box was voided separately."""
    void = 0
    for box in boxes:
        if box.void:
            void += 1
    return void == len(boxes)


def incomplete_code(state: TableState) -> str:
    """Why a round that should be over is not: the dealer stopped on 16 or less, or facts are missing."""
    return "DEALER_STOOD_ON_16" if state.phase == DRAW else "ROUND_INCOMPLETE"


def _unread(state: TableState) -> bool:
    """Whether a card that affects the result has no rank yet."""
    if state.dealer.unread:
        return True
    for box in state.boxes:
        for hand in box.hands:
            if hand.unread and not box.void:
                return True
    return False


def _closed(state: TableState, status: RoundStatus, bets: tuple[BetResult, ...]) -> TableState:
    """The round with its final result."""
    result = round_result(state, status, bets)
    settlement = replace(state.settlement, status=status, code=None, result=result, paid_out=bets)
    return replace(state, settlement=settlement)


def _disputed(state: TableState, code: str) -> TableState:
    """The round in dispute: `code` says why, and nothing is returned."""
    result = round_result(state, DISPUTED, pending(state))
    return replace(state, settlement=replace(state.settlement, status=DISPUTED, code=code, result=result))


def in_progress(state: TableState) -> bool:
    """Whether the round has a stake, a card, or a fault."""
    return bool(state.boxes) or state.phase != BETS or bool(state.settlement.faults)
