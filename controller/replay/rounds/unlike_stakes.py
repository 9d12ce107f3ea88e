"""Stakes that are many times what the same bettor lays else, or a small part of it: a slip of a key."""

from collections.abc import Iterable, Sequence
from statistics import median_low
from typing import Final, NamedTuple

from controller.domain.observations import Bet
from controller.feed.feed_lines import FeedLine

TIMES: Final = 4
"""From here on a stake is unlike. Who doubles after two losses comes to it as well: the list begins with
those that are most unlike, and a nought too many is ten times."""

OFTEN: Final = 20
"""Who lays such a stake, or one more unlike, more often than once in so many rounds, does it on purpose."""

STAKES_LEAST: Final = 8
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


def unlike_stakes(laid: Iterable[LaidStake]) -> list[UnlikeStake]:
    """Every such stake of a file, the least like first; in a round a bettor's last one counts."""
    stakes: dict[tuple[int, int], dict[int, LaidStake]] = {}
    for one in laid:
        stakes.setdefault((one.bet.box, one.bet.seat), {})[one.round] = one
    enough = [list(by_round.values()) for by_round in stakes.values() if len(by_round) >= STAKES_LEAST]
    found = [unlike for of_bettor in enough for unlike in _unlike(of_bettor)]
    return sorted(found, key=lambda one: (-one.times, one.laid.line.number))


def _unlike(laid: Sequence[LaidStake]) -> list[UnlikeStake]:
    usual = median_low(one.bet.stake for one in laid)
    compared = [UnlikeStake(one, usual, _times(one.bet.stake, usual)) for one in laid]
    found = [one for one in compared if one.times >= TIMES]
    return [one for one in found if _is_rare(one, found, len(laid))]


def _times(stake: int, usual: int) -> float:
    return max(stake / usual, usual / stake)


def _is_rare(unlike: UnlikeStake, found: Sequence[UnlikeStake], stakes: int) -> bool:
    """Whether the bettor lays as much, or as little, in hardly any of so many rounds."""
    above = unlike.laid.bet.stake > unlike.usual
    alike = [one for one in found if one.times >= unlike.times and (one.laid.bet.stake > one.usual) is above]
    return len(alike) <= max(1, stakes // OFTEN)
