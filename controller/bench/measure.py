"""Fair timing of several programs in one run: turn by turn, so that a busy moment hits all of them."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import process_time
from typing import NamedTuple

Play = Callable[[int], object]
"""Plays that many rounds and returns what it has kept of them."""


class Contestant(NamedTuple):
    """One program: its name and version, the part of a round that it keeps, its preparation with a seed."""

    name: str
    version: str
    keeps: str
    prepare: Callable[[int], Play]


class Speed(NamedTuple):
    """Rounds a second of one contestant: each run, and the middle one."""

    name: str
    version: str
    keeps: str
    runs: tuple[float, ...]

    @property
    def rounds_per_s(self) -> float:
        """The median of all runs."""
        return median(self.runs)


def race(contestants: Sequence[Contestant], rounds: int, repeats: int) -> list[Speed]:
    """Let each play `rounds` rounds, `repeats` times in turn, after one untimed round each."""
    plays = [contestant.prepare(1) for contestant in contestants]
    for play in plays:
        play(max(1, rounds // 20))
    laps = [[rounds / timed(play, rounds) for play in plays] for _ in range(repeats)]
    return [
        Speed(contestant.name, contestant.version, contestant.keeps, tuple(runs))
        for contestant, runs in zip(contestants, zip(*laps, strict=True), strict=True)
    ]


def timed(play: Play, rounds: int) -> float:
    """Return the seconds of processor time; memory is released after the clock has stopped.

    Other programs on the machine do not count, and the cyclic garbage collector is off, as in `timeit`.
    """
    with undisturbed():
        start = process_time()
        kept = play(rounds)
        seconds = process_time() - start
    del kept
    return seconds


@contextmanager
def undisturbed() -> Iterator[None]:
    """Collect garbage now, and not inside the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
