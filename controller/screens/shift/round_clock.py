"""Where a round's seconds go: bets, deal, decisions, the dealer's draw, settlement; and how long it waited.

The one place that knows: the pit's page, the columns of `stand17 table` and the shift's report ask here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

PhaseName = Literal["bets", "deal", "turns", "dealer", "pay", "waits"]

SECOND_US: Final = 1_000_000


@dataclass(kw_only=True)
class RoundClock:
    """When the parts of a round began, and when it was held: microseconds, 0 where it has not come so far."""

    began_us: int = 0
    first_card_us: int = 0
    dealt_us: int = 0
    decided_us: int = 0
    turned_us: int = 0
    settled_us: int = 0
    ended_us: int = 0
    held: list[tuple[int, int]] = field(default_factory=list)
    """From when until when somebody had to answer, hold by hold; they may overlap."""

    def take(self, obs: str, at_us: int) -> None:
        """Note what an observation begins; the last decision counts, of all else the first."""
        match obs:
            case "card":
                self.first_card_us = self.first_card_us or at_us
            case "decision":
                self.dealt_us, self.decided_us = self.dealt_us or at_us, at_us
            case "insurance_closed" | "peek":
                self.dealt_us = self.dealt_us or at_us
            case "reveal":
                self.turned_us = self.turned_us or at_us
            case "end":
                self.ended_us = at_us

    def seconds(self) -> dict[PhaseName, float]:
        """How long each part took, together the whole round; a part that it does not have is left out.

        `waits` is beside them: a hold is in the part in which it stood.
        """
        starts: tuple[tuple[PhaseName, int], ...] = (
            ("deal", self.first_card_us),
            ("turns", self.dealt_us),
            # Without a card to turn the bank begins when the last box has decided.
            ("dealer", self.turned_us or (self.decided_us if self.settled_us else 0)),
            ("pay", self.settled_us),
        )
        spent: dict[PhaseName, int] = {}
        part: PhaseName = "bets"
        since = self.began_us
        for name, at_us in starts:
            if at_us:
                until = max(since, min(at_us, self.settled_us or at_us))
                spent[part] = until - since
                part, since = name, until
        spent[part] = self.ended_us - since
        spent["waits"] = self.waited_us
        return {name: us / SECOND_US for name, us in spent.items() if us > 0}

    @property
    def waited_us(self) -> int:
        """How long at least one of the holds was there."""
        waited = until = 0
        for begins, ends in sorted(self.held):
            waited += max(0, ends - max(until, begins))
            until = max(until, ends)
        return waited


def mean_seconds(rounds: Sequence[RoundClock]) -> dict[PhaseName, float]:
    """The mean seconds of each part over these rounds."""
    sums: dict[PhaseName, float] = {}
    for one in rounds:
        for name, spent in one.seconds().items():
            sums[name] = sums.get(name, 0.0) + spent
    return {name: spent / len(rounds) for name, spent in sums.items()}
