"""What can be known of a file without its truth: time that jumps in a round, a stake unlike its bettor's."""

from statistics import median
from typing import Final

from controller.domain.observations import Bet
from controller.feed.json_report import Json
from controller.feed.reading import FeedLine

STEP_S: Final = 1800.0
"""Seconds between two lines of a round: above it a clock was set, or the table stood still. Not measured."""

STAKES_MIN: Final = 4
"""Stakes of a bettor before one of them can be unlike the others."""

UNLIKE: Final = 8
"""How many times the bettor's median a stake is unlike it; a digit typed too much makes ten of it. Not
measured."""


class FileFindings:
    """Looks at the lines of a file in order; `found` has what a person should look at."""

    def __init__(self) -> None:
        """Nothing has been seen."""
        self.found: Final[list[Json]] = []
        self._t = 0.0
        self._stakes: dict[tuple[int, int], list[int]] = {}

    def take(self, line: FeedLine, number: int, *, in_round: bool) -> None:
        """Look at one line of the round of this number."""
        passed = line.t - self._t
        if in_round and passed >= STEP_S:
            self._add(line, number, "CLOCK_STEP", seconds=round(passed))
        self._t = line.t
        if isinstance(line.obs, Bet) and line.obs.stake:
            self._stake(line, number, line.obs)

    def _stake(self, line: FeedLine, number: int, bet: Bet) -> None:
        known = self._stakes.setdefault((bet.box, bet.seat), [])
        usual = round(median(known)) if len(known) >= STAKES_MIN else bet.stake
        if bet.stake >= UNLIKE * usual or UNLIKE * bet.stake <= usual:
            self._add(line, number, "STAKE_UNLIKE", box=bet.box, seat=bet.seat, stake=bet.stake, usual=usual)
        known.append(bet.stake)

    def _add(self, line: FeedLine, number: int, code: str, **params: int) -> None:
        where = {"round": number, "line": line.number, "t": line.t}
        self.found.append({"type": "finding", **where, "code": code, "params": params})
