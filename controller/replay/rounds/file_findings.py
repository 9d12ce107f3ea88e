"""Findings in a file without its truth: clock steps, odd stakes, two dealers, equal rounds."""

from collections.abc import Iterable, Iterator, Sequence
from math import log2
from statistics import median_low
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, DealerSeated, End, Observation
from controller.domain import RANKS, SUITS, Params
from controller.feed.feed_lines import FeedLine
from controller.feed.replay import Json

FindingCode = Literal["CLOCK_STEP", "ROUND_REPEATED", "STAKE_UNLIKE", "TWO_DEALERS"]

SHOE_CAUSES: Final = frozenset(("SHUFFLE_DUE", "SHOE_DUE"))
OF_A_SHOE: Final = SHOE_CAUSES | {"SHOE_OVERRUN", "TOO_MANY_OF_A_KIND"}
"""Alerts about the shoe as a whole. A shoe that was not reported raises them at one card after another."""

_REPEATED_BITS: Final = 40.0
"""A round with so much in its cards is no accident when it comes twice: in 480 rounds about one pair in
ten million shifts."""

STEP_S: Final = 1800.0
"""Seconds between two lines of a round: above it a clock was set, or the table stood still. Not measured."""

_UNLIKE_MOST: Final = 20
"""So many of the stakes that are least like their bettor's others are named."""


class FileFinding(NamedTuple):
    """A line that a person should check.

    `likely` is the likelihood that nothing is wrong, from 0 to 1.
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
    """Examines the lines of a file in order; iterate for the findings."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self._steps: list[FileFinding] = []
        self._stakes: list[LaidStake] = []
        self._t = 0.0
        self._dealer = ""
        self._words: list[Observation] = []
        """What the running round says, word for word."""
        self._begins: tuple[FeedLine, int] | None = None
        self._rounds: dict[tuple[Observation, ...], int] = {}

    def take(self, line: FeedLine, number: int, *, in_round: bool) -> None:
        """Look at one line of the round of this number; `in_round`: its bets are laid, it is not over."""
        passed = line.t - self._t
        if in_round and passed >= STEP_S:
            params = (("seconds", round(passed)),)
            self._steps.append(FileFinding(number, line, "CLOCK_STEP", params, STEP_S / passed))
        self._t = line.t
        if isinstance(line.obs, Bet) and line.obs.stake > 0:
            self._stakes.append(LaidStake(line, number, line.obs))
        if isinstance(line.obs, DealerSeated):
            self._seat(line, number, line.obs)
        self._repeat(line, number)

    def _seat(self, line: FeedLine, number: int, seated: DealerSeated) -> None:
        """Note a dealer who comes while another one sits there."""
        if seated.at == "in" and self._dealer not in ("", seated.id):
            params = (("id", seated.id), ("before", self._dealer))
            self._steps.append(FileFinding(number, line, "TWO_DEALERS", params, 0.5))
        if seated.at == "in" or seated.id == self._dealer:
            self._dealer = seated.id if seated.at == "in" else ""

    def _repeat(self, line: FeedLine, number: int) -> None:
        """Note a round with the same lines as an earlier one; the cleared table ends it."""
        self._begins = self._begins or (line, number)
        self._words.append(line.obs)
        if not isinstance(line.obs, End):
            return
        said, (first, of_round) = tuple(self._words), self._begins
        before = self._rounds.setdefault(said, of_round)
        if before != of_round and _bits(said) >= _REPEATED_BITS:
            params = (("before", before),)
            self._steps.append(FileFinding(of_round, first, "ROUND_REPEATED", params, 0.1))
        self._words, self._begins = [], None

    def __iter__(self) -> Iterator[FileFinding]:
        """Clock, dealers and repeated rounds, then the stakes that are least like the bettor's others."""
        yield from self._steps
        for unlike in _unlike_stakes(self._stakes)[:_UNLIKE_MOST]:
            line, number, bet = unlike.laid
            params = (("box", bet.box), ("seat", bet.seat), ("stake", bet.stake), ("usual", unlike.usual))
            yield FileFinding(number, line, "STAKE_UNLIKE", params, 1 / unlike.times)


def _bits(said: Iterable[Observation]) -> float:
    """Return the information in the cards of a round: 52 kinds for a read suit, else 13."""
    cards = [one for one in said if isinstance(one, CardSeen) and one.rank is not None]
    return sum(log2(len(RANKS) * (len(SUITS) if card.suit else 1)) for card in cards)


TIMES: Final = 4
"""A stake is unlike from so many times the bettor's median on, or so small a part of it."""

SPREAD: Final = 2
"""And it lies beyond the bettor's own spread: so many times the next one in its direction. In 60 rounds of
stakes drawn from a lognormal distribution (sigma 0.2 to 0.8) 1 bettor in 20 has such a stake by chance."""

_STAKES_LEAST: Final = 8
"""With fewer stakes of a bettor nothing is usual yet."""


class LaidStake(NamedTuple):
    """A stake, the line that reported it, the number of its round."""

    line: FeedLine
    round: int
    bet: Bet


class UnlikeStake(NamedTuple):
    """Such a stake, the bettor's median in minor units, how many times the one is the other."""

    laid: LaidStake
    usual: int
    times: float


def _unlike_stakes(laid: Iterable[LaidStake]) -> list[UnlikeStake]:
    """Every such stake of a file, the least like first; in a round a bettor's last one counts."""
    stakes: dict[tuple[int, int], dict[int, LaidStake]] = {}
    for one in laid:
        stakes.setdefault((one.bet.box, one.bet.seat), {})[one.round] = one
    enough = [list(by_round.values()) for by_round in stakes.values() if len(by_round) >= _STAKES_LEAST]
    found = [unlike for of_bettor in enough for unlike in _unlike(of_bettor)]
    return sorted(found, key=lambda one: (-one.times, one.laid.line.number))


def _unlike(laid: Sequence[LaidStake]) -> list[UnlikeStake]:
    """The bettor's largest and smallest stake, where they lie beyond the spread of all others."""
    usual = median_low(one.bet.stake for one in laid)
    least, less, *_, more, most = sorted(laid, key=lambda one: one.bet.stake)
    found = []
    if most.bet.stake >= max(TIMES * usual, SPREAD * more.bet.stake):
        found.append(UnlikeStake(most, usual, most.bet.stake / usual))
    if least.bet.stake <= min(usual / TIMES, less.bet.stake / SPREAD):
        found.append(UnlikeStake(least, usual, usual / least.bet.stake))
    return found
