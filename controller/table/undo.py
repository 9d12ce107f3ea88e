"""What a dealer may take back: the last decision, or "no more bets", until the next card."""

from controller.domain.observations import AmendClose, AmendDecision, CardSeen, Decision, Reveal
from controller.engine.constants import DEAL
from controller.engine.state import TableState


def may_undo(state: TableState, amend: AmendDecision | AmendClose) -> bool:
    """Whether this takes back the last thing told, while neither a card nor a turning has come since."""
    if isinstance(amend, AmendClose):
        return state.phase == DEAL and not state.cards_seen
    if amend.action is not None or amend.round not in (None, state.book.number):
        return False
    return (amend.box, amend.hand, amend.nth) == last_decision(state)


def last_decision(state: TableState) -> tuple[int, int, int] | None:
    """Box, hand and number of the last decision that was made; None where a card has come since."""
    for index in range(len(state.log) - 1, -1, -1):
        told = state.log[index].obs
        if isinstance(told, CardSeen | Reveal):
            return None
        if isinstance(told, Decision):
            return told.box, told.hand, _number(state, index)
    return None


def _number(state: TableState, index: int) -> int:
    """Which decision of its hand the fact at `index` of the log is."""
    own = state.log[index].obs
    assert isinstance(own, Decision)
    before = [fact.obs for fact in state.log[:index]]
    return 1 + sum(
        isinstance(told, Decision) and (told.box, told.hand) == (own.box, own.hand) for told in before
    )
