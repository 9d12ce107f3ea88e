"""The round as it was meant: what was in truth dealt and decided, settled without any fault or ruling."""

from typing import Final

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Decision,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Reveal,
)
from controller.domain import Card, Refused
from controller.engine import TableState, expected, new_table, step
from controller.engine.constants import BETS
from controller.engine.settle.round_status import SETTLED
from controller.runtime.api import TableSnapshot

MEANT: Final = (
    Bet,
    Close,
    Decision,
    Insurance,
    EvenMoney,
    InsuranceClosed,
    Reveal,
)
"""What people enter of a round beside its cards."""

Amounts = dict[tuple[int, int], tuple[int, int]]
"""(staked, returned) by (box, seat), in minor units."""


class CleanRound:
    """Follows one round after the other; knows nothing of a round that people at the screens take part in."""

    def __init__(self) -> None:
        """Begin without a round."""
        self._number = 0
        self._state: TableState | None = None
        self._stuck: Card | None = None

    def follow(self, snapshot: TableSnapshot, *, autoplay: bool) -> None:
        """Begin anew with each round of the table, before its first bet."""
        state = snapshot.state
        if state.book.number != self._number:
            self._number = state.book.number
            fresh = state.phase == BETS and not state.boxes
            self._state = new_table(state.book.rules) if fresh else None
            self._stuck = None
        if not autoplay:
            self._state = None

    def take_decided(self, observation: Observation) -> None:
        """Take what was in truth decided; a card that waits for it follows."""
        if not isinstance(observation, MEANT):
            return
        self._take(observation)
        if self._stuck is not None:
            stuck, self._stuck = self._stuck, None
            if self._state is not None and expected(self._state).code == "REVEAL":
                self._take(Reveal())
            self.dealt(stuck)

    def dealt(self, card: Card) -> None:
        """Take a card, given to whom it belonged."""
        self._take(CardSeen(card.rank, card.suit))

    def stuck(self, card: Card) -> None:
        """Take a card that came out with the one before it: whose it is, the next decision says."""
        self._stuck = card

    def pays(self) -> Amounts | None:
        """What the round pays; None where that is not known, or not yet."""
        if self._state is None or self._state.settlement.status != SETTLED:
            return None
        return amounts(self._state)

    def _take(self, observation: Observation) -> None:
        if self._state is None:
            return
        state, notices = step(self._state, observation)
        refused = any(isinstance(notice, Refused) for notice in notices)
        self._state = None if refused else state


def amounts(state: TableState) -> Amounts:
    """What each bettor of a settled round put up and gets back."""
    result = state.settlement.result
    return {} if result is None else {(bet.box, bet.seat): (bet.staked, bet.returned) for bet in result.bets}
