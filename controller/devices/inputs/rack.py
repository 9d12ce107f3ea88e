"""The counter of the discard rack beside the table's own count: a difference is an alert, never a change."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen
from controller.engine.constants import BETS
from controller.engine.state import TableState
from controller.ports.sources import Trouble
from controller.runtime.api import TableSnapshot


class CountRange(NamedTuple):
    """How many cards may lie in the rack: while a round is on, some of its cards may be there already."""

    least: int
    most: int

    def __str__(self) -> str:
        """Write it for an alert: one number, or both ends."""
        return str(self.most) if self.least == self.most else f"{self.least}-{self.most}"


class RackMonitor:
    """Compares a count with the cards dealt before it, once both have rested; tells each difference once."""

    def __init__(self, name: str, tolerance: int, settle_ms: int) -> None:
        """`tolerance` cards of difference are no difference."""
        self.name = name
        self._tolerance = tolerance
        self._settle_ns = settle_ms * 1_000_000
        self._counted: int | None = None
        self._due: CountRange | None = None
        self._moved_ns = 0
        self._reported: tuple[int, CountRange] | None = None
        self._mixed: int | None = None

    def counted(self, cards: int, mono_ns: int) -> None:
        """Take what the counter says."""
        if cards != self._counted:
            self._counted, self._moved_ns = cards, mono_ns

    def forget(self) -> None:
        """Forget the last count, because the counter is gone: later cards were not counted by it."""
        self._counted = None

    def judge(self, snapshot: TableSnapshot, now_ns: int) -> Trouble | None:
        """Look at the table; a trouble when a difference has rested long enough and was not reported yet.

        Cards of two shoes lie in the rack where one was brought, or shuffled, inside a round: nobody knows
        which of the old ones were taken out, so nothing is compared before the next shoe.
        """
        shoe = snapshot.state.shoe
        if shoe.earlier:
            self._mixed = shoe.number
        due = None if shoe.number == self._mixed else cards_due(snapshot)
        if due != self._due:
            self._due, self._moved_ns = due, now_ns
        counted = self._counted
        if due is None or counted is None or now_ns - self._moved_ns < self._settle_ns:
            return None
        if due.least - self._tolerance <= counted <= due.most + self._tolerance:
            self._reported = None
            return None
        if self._reported == (counted, due):
            return None
        self._reported = counted, due
        params = (("name", self.name), ("counted", counted), ("expected", str(due)))
        return Trouble("RACK_DIFFERS", params, hold=False)


def cards_due(snapshot: TableSnapshot) -> CountRange | None:
    """Tell how many cards of this shoe are in the rack; None while they are taken out to be shuffled."""
    if snapshot.rules.shuffled_each_round or snapshot.expected.code == "NEW_SHOE":
        return None
    state = snapshot.state
    seen = state.shoe.seen
    return CountRange(seen if state.phase == BETS else seen - _cards_on_felt(state), seen)


def _cards_on_felt(state: TableState) -> int:
    """Count the cards of the round that may still lie on the felt, those without a place too."""
    return sum(isinstance(fact.obs, CardSeen) for fact in state.log)
