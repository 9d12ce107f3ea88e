"""What a dealer may take back: the last decision, or "no more bets", until the next card."""

from controller.acts.catalogue import AmendClose, AmendDecision, CardSeen, Decision, Reveal
from controller.engine.amend.decisions import numbered
from controller.engine.constants import DEAL
from controller.engine.facts import Made
from controller.engine.state import TableState


def may_undo(state: TableState, amend: AmendDecision | AmendClose) -> bool:
    """Whether this takes back the last thing entered, while neither a card nor a turning has come since."""
    if isinstance(amend, AmendClose):
        return state.phase == DEAL and not state.cards_seen
    if amend.action is not None or amend.round not in (None, state.book.number):
        return False
    return (amend.box, amend.hand, amend.nth) == last_decision(state)


def last_decision(state: TableState) -> Made | None:
    """The last decision that was entered and made; None where a card or a turning has come since."""
    for fact in reversed(numbered(state)):
        if isinstance(fact.obs, CardSeen | Reveal):
            return None
        if isinstance(fact.obs, Decision):
            own = (fact.obs.box, fact.obs.hand)
            return next((made for made in fact.made if (made.box, made.hand) == own), None)
    return None
