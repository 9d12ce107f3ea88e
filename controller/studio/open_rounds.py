"""Rounds that are not over: they are not shown, and where one swallows the rest of a file, that is said."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from controller.domain.observations import ShoeLoaded
from controller.replay.played_rounds import PlayedRound
from controller.studio.studio_step import StudioStep


class OpenRound(NamedTuple):
    """A round that is not over: the last step shown before it (0 without any), how many lines it has.

    `stuck`: more lines than any round that is over has, so the lines of later rounds are among them.
    """

    number: int
    at: int
    lines: int
    stuck: bool


def open_rounds(
    rounds: Sequence[PlayedRound], over: Mapping[int, object], steps: Sequence[StudioStep]
) -> tuple[OpenRound, ...]:
    """The rounds of a file that are not among those `over`."""
    longest = max((len(one.lines) for one in rounds if one.number in over), default=0)
    return tuple(
        OpenRound(one.number, _before(one, steps), len(one.lines), len(one.lines) > longest)
        for one in rounds
        if one.number not in over
    )


def _before(left: PlayedRound, steps: Sequence[StudioStep]) -> int:
    earlier = (at for at, step in enumerate(steps) if step.round < left.number)
    return max(earlier, default=0)


def shoes_of(stuck: Iterable[OpenRound], steps: Sequence[StudioStep]) -> list[range]:
    """The steps of each shoe that a stuck round was dealt from, up to that round.

    A card that was read as another one leads there: one of its kind is one too many before the shoe is out.
    """
    fresh = [at for at, step in enumerate(steps) if isinstance(step.taken.line.obs, ShoeLoaded)]
    return [range(max((at for at in fresh if at <= one.at), default=0), one.at + 1) for one in stuck]
