"""Replay beyond a missing ruling: end the held round as disputed, and begin the next one.

No live table does this. A replay asks for it, to show the lines after the held round.
"""

from dataclasses import replace

from controller.domain import RoundResult
from controller.engine.concluding import next_round
from controller.engine.settle.round_status import DISPUTED
from controller.engine.settle.settlement import pending, round_result
from controller.engine.state import TableState
from controller.engine.table import step
from controller.policy.lines.shoe_count import line_of
from controller.policy.state.holds import COUNT_DUE
from controller.policy.state.run import TableRun, standing


def leave_held_round(run: TableRun) -> tuple[TableRun, TableState, RoundResult]:
    """End the round of a held table; its cards and the waiting cards count as dealt.

    Returns the table before the next round, the disputed round, and its result.
    """
    state = run.state
    result = round_result(state, DISPUTED, pending(state))
    for hold in run.holds:
        if hold.code == COUNT_DUE:
            # The cards after it came out of this shoe, whether its packs were counted or not.
            state = step(state, line_of(hold)).state
    for kept in run.kept:
        state = step(state, kept.card._replace(to="burn", box=None, hand=None)).state
    for hold in run.holds:
        state = standing(state, hold.code)
    why = run.holds[0].code if run.holds else None
    settlement = replace(run.state.settlement, status=DISPUTED, code=why, result=result, ended=True)
    closed = replace(state, settlement=settlement)
    after = TableRun(next_round(closed), lost=run.lost, last_card_ms=run.last_card_ms)
    return after, closed, result
