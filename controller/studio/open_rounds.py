"""Rounds that are not over: the first places to look at, but for one that was just being dealt."""

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from controller.acts.catalogue import ShoeLoaded
from controller.engine.settle.round_status import DISPUTED
from controller.replay.rounds.played import PlayedRound
from controller.studio.studio_step import StudioStep


class OpenRound(NamedTuple):
    """A round that is not over: its first step (0 where it has none), how many lines it has.

    `stuck`: disputed, or held, or with more lines than any round that is over has: those of later rounds are
    among them. Any other was just being dealt when the file ended. `follows`: it waits for what the round
    before it waits for already.
    """

    number: int
    at: int
    lines: int
    stuck: bool
    follows: bool = False


def open_rounds(
    rounds: Sequence[PlayedRound], over: Set[int], steps: Sequence[StudioStep]
) -> tuple[OpenRound, ...]:
    """The rounds of a file that are not among those `over`."""
    longest = max((len(one.lines) for one in rounds if one.number in over), default=0)
    held = {step.round for step in steps[-1:] if step.taken.holds}
    left = {one.number: one for one in rounds if one.number not in over}
    return tuple(
        OpenRound(
            one.number,
            next((at for at, step in enumerate(steps) if step.round == one.number), 0),
            len(one.lines),
            stuck=len(one.lines) > longest or one.number in held or _is_disputed(one),
            follows=_waits_for(one) is not None and _waits_for(one) == _waits_for(left.get(one.number - 1)),
        )
        for one in left.values()
    )


def _waits_for(one: PlayedRound | None) -> str | None:
    """The fault that keeps a round from its end, None where none does."""
    return None if one is None else one.state.settlement.code


def _is_disputed(one: PlayedRound) -> bool:
    return one.result is not None and one.result.status == DISPUTED


def shoes_of(stuck: Iterable[OpenRound], steps: Sequence[StudioStep]) -> list[range]:
    """The steps of each shoe that a stuck round was dealt from, up to that round.

    A card that was read as another one leads there: one of its kind is one too many before the shoe is out.
    """
    fresh = [at for at, step in enumerate(steps) if isinstance(step.taken.line.obs, ShoeLoaded)]
    return [range(max((at for at in fresh if at <= one.at), default=0), one.at + 1) for one in stuck]
