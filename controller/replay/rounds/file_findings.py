"""What can be known of a file without its truth: time that jumps in a round, a stake unlike its bettor's."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from controller.domain.notices import Params
from controller.domain.observations import Bet
from controller.feed.feed_lines import FeedLine
from controller.feed.json_report import Json
from controller.replay.rounds.unlike_stakes import LaidStake, unlike_stakes

FindingCode = Literal["CLOCK_STEP", "STAKE_UNLIKE"]

STEP_S: Final = 1800.0
"""Seconds between two lines of a round: above it a clock was set, or the table stood still. Not measured."""

UNLIKE_MOST: Final = 20
"""So many of the stakes that are least like their bettor's others are named."""


class FileFinding(NamedTuple):
    """What a person should look at, and the line there.

    `likely` is how likely it is that nothing is wrong, from 0 to 1.
    """

    round: int
    line: FeedLine
    code: FindingCode
    params: Params
    likely: float

    def to_json(self) -> Json:
        """The object that a report has of it."""
        where = {"round": self.round, "line": self.line.number, "t": self.line.t}
        return {"type": "finding", **where, "code": self.code, "params": dict(self.params)}


class FileFindings:
    """Looks at the lines of a file in order; iterate for what a person should look at."""

    def __init__(self) -> None:
        """Nothing has been seen."""
        self._steps: list[FileFinding] = []
        self._stakes: list[LaidStake] = []
        self._t = 0.0

    def take(self, line: FeedLine, number: int, *, in_round: bool) -> None:
        """Look at one line of the round of this number; `in_round`: its bets are laid, it is not over."""
        passed = line.t - self._t
        if in_round and passed >= STEP_S:
            params = (("seconds", round(passed)),)
            self._steps.append(FileFinding(number, line, "CLOCK_STEP", params, STEP_S / passed))
        self._t = line.t
        if isinstance(line.obs, Bet) and line.obs.stake > 0:
            self._stakes.append(LaidStake(line, number, line.obs))

    def __iter__(self) -> Iterator[FileFinding]:
        """Steps of the clock, then the stakes that are least like what the same bettor lays else."""
        yield from self._steps
        for unlike in unlike_stakes(self._stakes)[:UNLIKE_MOST]:
            line, number, bet = unlike.laid
            params = (("box", bet.box), ("seat", bet.seat), ("stake", bet.stake), ("usual", unlike.usual))
            yield FileFinding(number, line, "STAKE_UNLIKE", params, 1 / unlike.times)
