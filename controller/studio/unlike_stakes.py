"""Stakes that are many times what the same bettor lays else, or a small part of it: a slip of a key."""

from collections.abc import Sequence
from statistics import median_low
from typing import Final, NamedTuple

from controller.domain.observations import Bet
from controller.studio.studio_step import StudioStep

TIMES: Final = 4
"""From here on a stake is unlike. Who doubles after two losses comes to it as well: the list begins with
those that are most unlike, and a nought too many is ten times."""

OFTEN: Final = 20
"""Who lays such a stake, or one more unlike, more often than once in so many rounds, does it on purpose."""

STAKES_LEAST: Final = 8
"""With fewer stakes of a bettor nothing is usual yet."""


class UnlikeStake(NamedTuple):
    """The step at which a stake was told, it and the bettor's median in minor units, how many times."""

    at: int
    box: int
    stake: int
    usual: int
    times: float


def unlike_stakes(steps: Sequence[StudioStep]) -> list[UnlikeStake]:
    """Every such stake of a file, the least like first; in a round a bettor's last one counts."""
    laid: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}
    for at, step in enumerate(steps):
        obs = step.taken.line.obs
        if isinstance(obs, Bet) and obs.stake > 0:
            laid.setdefault((obs.box, obs.seat), {})[step.round] = (at, obs.stake)
    found = [
        unlike
        for (box, _), stakes in laid.items()
        if len(stakes) >= STAKES_LEAST
        for unlike in _unlike(box, list(stakes.values()))
    ]
    return sorted(found, key=lambda one: (-one.times, one.at))


def _unlike(box: int, stakes: Sequence[tuple[int, int]]) -> list[UnlikeStake]:
    usual = median_low(stake for _, stake in stakes)
    compared = [UnlikeStake(at, box, stake, usual, max(stake / usual, usual / stake)) for at, stake in stakes]
    found = [one for one in compared if one.times >= TIMES]
    return [one for one in found if _is_rare(one, found, len(stakes))]


def _is_rare(unlike: UnlikeStake, found: Sequence[UnlikeStake], stakes: int) -> bool:
    """Whether the bettor lays as much, or as little, in hardly any of so many rounds."""
    alike = [
        one
        for one in found
        if one.times >= unlike.times and (one.stake > one.usual) is (unlike.stake > unlike.usual)
    ]
    return len(alike) <= max(1, stakes // OFTEN)
