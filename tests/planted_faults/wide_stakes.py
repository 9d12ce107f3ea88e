"""Bettors who each lay stakes of a spread of their own, as a shift has them without any fault."""

from math import exp
from random import Random
from typing import Final

from tests.planted_faults.plants import Shift

USUAL: Final = (500, 1000, 2500, 5000)
SIGMAS: Final = (0.2, 0.5, 0.8)
UNIT: Final = 500


def with_wide_stakes(shift: Shift, seed: int) -> Shift:
    """The same shift with stakes that are distributed lognormally about what each box lays as a rule."""
    random = Random(seed)
    bettors: dict[int, tuple[int, float]] = {}
    lines = []
    for line in shift.lines:
        if line["obs"] != "bet":
            lines.append(line)
            continue
        usual, sigma = bettors.setdefault(line["box"], (random.choice(USUAL), random.choice(SIGMAS)))
        stake = max(1, round(usual * exp(random.gauss(0, sigma)) / UNIT)) * UNIT
        lines.append({**line, "stake": stake})
    return shift._replace(lines=lines)
