"""The standing of the round for acts that change with time: a late bet, an open card's rank, an undo."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Decision, Reveal
from controller.engine.amend.decisions import numbered
from controller.engine.constants import BETS, DEAL
from controller.engine.facts import Made
from controller.engine.state import TableState
from controller.policy.state.rounds import waits_for_rank


class StandingTable(NamedTuple):
    """A table as `controller.acts.declaring.Standing` asks it."""

    state: TableState

    def bets_are_open(self) -> bool:
        """Whether the round takes bets."""
        return self.state.phase == BETS

    def waits_for_rank(self, card: int) -> bool:
        """Whether an open card has no rank; a card dealt face down is not read."""
        seen = [fact.obs for fact in self.state.log if fact.n == card]
        face_down = any(isinstance(one, CardSeen) and one.face == "down" for one in seen)
        return waits_for_rank(self.state, card) and not face_down

    def was_last(self, box: int, hand: int, nth: int, round_: int | None) -> bool:
        """Whether this decision is the last entry, with no card or reveal after it."""
        return round_ in (None, self.state.book.number) and last_decision(self.state) == (box, hand, nth)

    def was_just_closed(self) -> bool:
        """Whether the bets are closed and no card was dealt since."""
        return self.state.phase == DEAL and not self.state.cards_seen


def last_decision(state: TableState) -> Made | None:
    """Return the last entered decision; None when a card or reveal came after it."""
    for fact in reversed(numbered(state)):
        if isinstance(fact.obs, CardSeen | Reveal):
            return None
        if isinstance(fact.obs, Decision):
            own = (fact.obs.box, fact.obs.hand)
            return next((made for made in fact.made if (made.box, made.hand) == own), None)
    return None
