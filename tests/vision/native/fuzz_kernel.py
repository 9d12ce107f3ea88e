"""Random calls of the bindings, many with something wrong: each gives a result or an error with a code.

`make sanitize` runs it under gcc's sanitizers, where a byte read or written past an array ends the process:

    python -m tests.vision.native.fuzz_kernel --calls 20000 --seed 1
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import numpy as np

from controller.domain import TableError
from vision.geometry import Image, Points
from vision.native import (
    FIELDS,
    EvenRule,
    GainRule,
    PairRule,
    SpotRule,
    crops_at,
    darkest_means,
    evened_crops,
    is_compiled,
    paired,
    pieces_of_ink,
    sampled,
    spots_of,
    survey_patches,
)

ODD: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, -1e308, 5e-324, -1.0, 2.0**31, 2.0**63)
SIDES: Final = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 255, 256, 257, 320)
WRONG_NUMBERS: Final = (-1, 0, 1, 2**31 - 1, 2**31, 2**63, 3.5, None, "7")
WRONG_KINDS: Final = (np.float32, np.float64, np.int8, np.uint16, bool)
"""Other kinds of pixels than the reader's."""


class Dice:
    """Arguments by chance; `right` is the share of those that are as they should be."""

    def __init__(self, seed: int, right: float = 0.93) -> None:
        """The same seed gives the same arguments."""
        self.rng, self.right = np.random.default_rng(seed), right

    def wrong(self) -> bool:
        """Whether the next argument is made wrong."""
        return bool(self.rng.random() > self.right)

    def side(self) -> int:
        """A length in pixels."""
        return int(self.rng.choice(SIDES))

    def number(self, right: int) -> Any:
        """A whole number, or something else in its place."""
        return self.rng.choice(np.array(WRONG_NUMBERS, object)) if self.wrong() else right

    def tones_of(self, *shape: int) -> Image:
        """Bytes of a shape: noise, one tone, or black and white."""
        made, kind = self.rng.integers(0, 256, shape, np.uint8), self.rng.random()
        if kind < 0.2:
            return np.full(shape, self.rng.integers(0, 256), np.uint8)
        return np.where(made < 128, 20, 230).astype(np.uint8) if kind < 0.4 else made

    def bytes_of(self, *shape: int) -> Any:
        """The same, of another shape or kind where it is made wrong."""
        if self.wrong():
            shape = tuple(max(0, side + int(self.rng.integers(-1, 2))) for side in shape)
            shape = shape[: int(self.rng.integers(0, len(shape) + 1))] if self.rng.random() < 0.3 else shape
        made = self.tones_of(*shape)
        return made.astype(self.rng.choice(np.array(WRONG_KINDS, object))) if self.wrong() else made

    def picture(self, height: int, width: int) -> Any:
        """A picture, or a view of a larger one: a part, turned, mirrored, thinned, or without an end."""
        turn = int(self.rng.integers(0, 8))
        if turn == 0:
            return self.tones_of(height + 2, width + 3, 3)[1:-1, 2:-1]
        if turn == 1:
            return self.tones_of(width, height, 3).swapaxes(0, 2 if self.wrong() else 1)
        if turn == 2:
            return self.tones_of(height, width, 3)[::-1, ::-1]
        if turn == 3:
            return self.tones_of(2 * height, 2 * width, 3)[::2, ::2]
        if turn == 4 and self.wrong():
            return np.broadcast_to(np.uint8(7), (height, 2**40, 3))
        return self.bytes_of(height, width, 3)

    def numbers(self, *shape: int, scale: float = 100) -> Points:
        """Numbers of a shape, now and then none that calculate."""
        if self.wrong():
            shape = tuple(max(0, side + int(self.rng.integers(-1, 2))) for side in shape)
        made = self.rng.normal(0, scale, shape)
        if made.size and self.rng.random() < 0.3:
            some = self.rng.random(shape) < 0.2
            made = np.where(some, self.rng.choice(ODD, shape), made)
        return made

    def rule(self, like: tuple[float, ...]) -> tuple[float, ...]:
        """The numbers of a rule, one of them now and then another."""
        return tuple(float(self.rng.choice(ODD)) if self.wrong() else value for value in like)


SPOT_RULE: Final = (4.0, 110.0, 2.0, 0.12, 1.5, 0.6, 1.7, 20.0)
PAIR_RULE: Final = (
    *(2.0, 2.0, 60.0, 1.5, 0.5, 2.0, 0.3, 3.0, 1.0, 0.5, 2.0, 0.3, 1.5),
    *(0.5, 3.0, 0.2, 2.0, 1.2, 4.0, 20.0, 2.0),
)  # fmt: skip
GAIN_RULE: Final = (0.97, 230.0, 0.8, 6.0)


def spot_rule(dice: Dice) -> SpotRule:
    """A rule of spots."""
    low, high, shortest, filled, place, least, most, contrast = dice.rule(SPOT_RULE)
    return SpotRule((low, high), shortest, filled, place, (least, most), contrast)


def pair_rule(dice: Dice) -> PairRule:
    """A rule of pairs, its fields filled from the front."""
    values, rule = iter(dice.rule(PAIR_RULE)), PairRule()
    for name, kind in PairRule._fields_:
        pair = getattr(kind, "_length_", 0)
        setattr(rule, name, (next(values), next(values)) if pair else next(values))
    return rule


def call_ink(dice: Dice) -> object:
    """`pieces_of_ink`."""
    cell = int(dice.rng.choice([8, 8, 16, 24]))
    rows, columns = int(dice.rng.integers(0, 12)), int(dice.rng.integers(0, 40))
    picture = dice.picture(rows * cell + int(dice.rng.integers(0, 9)), columns * cell + dice.side() % 9)
    paper = dice.bytes_of(rows, columns)
    shares = tuple(dice.number(int(dice.rng.integers(0, 257))) for _ in range(int(dice.rng.integers(0, 6))))
    return pieces_of_ink(picture, dice.bytes_of(rows, columns), paper, dice.number(cell), shares)


def call_spots(dice: Dice) -> object:
    """`spots_of`."""
    pieces = np.abs(dice.numbers(int(dice.rng.integers(0, 300)), FIELDS, scale=300))
    return spots_of(pieces, spot_rule(dice), float(dice.rng.choice([*ODD, 200, 230])))


def call_pairs(dice: Dice) -> object:
    """`paired`."""
    count = int(dice.rng.integers(0, 200))
    shapes = ((count, 2), (count, 2, 2), (count,), (count,))
    spots = [dice.numbers(*shape) for shape in shapes[: 3 if dice.wrong() else 4]]
    unions, room = (dice.number(int(dice.rng.integers(0, 300))) for _ in range(2))
    return paired(spots, pair_rule(dice), unions, room)


def call_sample(dice: Dice) -> object:
    """`sampled`."""
    height, width, step = dice.side(), dice.side(), int(dice.rng.integers(1, 9))
    first = int(dice.rng.integers(0, step))
    rows, columns = (max(0, -(-(side - first) // step)) for side in (height, width))
    numbers = (dice.number(number) for number in (first, step, rows, columns))
    return sampled(dice.picture(height, width), *numbers)


def call_means(dice: Dice) -> object:
    """`darkest_means`."""
    return darkest_means(dice.picture(2 * dice.side(), 2 * dice.side() * int(dice.rng.integers(1, 4))))


def call_crops(dice: Dice) -> object:
    """`crops_at`."""
    terms = int(dice.rng.choice([2, 3]))
    matrices = dice.numbers(
        int(dice.rng.integers(0, 6)), terms, 3, scale=float(dice.rng.choice([0.1, 3, 1e6]))
    )
    sides = (dice.number(max(1, dice.side() % 80)) for _ in range(2))
    return crops_at(dice.picture(dice.side(), dice.side()), matrices, *sides)


def call_even(dice: Dice) -> object:
    """`evened_crops`."""
    count, height, width = int(dice.rng.integers(0, 4)), 2 * (dice.side() % 40), dice.side() // 2 * 2
    floor, tone, bright = dice.rule((20.0, 230.0, 0.8))
    rule = EvenRule(int(dice.rng.integers(-5, 50)), floor, tone, bright)
    crops = dice.bytes_of(count, height, width, 3)
    return evened_crops(crops, rule, folded=bool(dice.rng.random() < 0.5))


def call_survey(dice: Dice) -> object:
    """`survey_patches`."""
    scale = int(dice.rng.integers(1, 6))
    height, width = scale * dice.side(), scale * int(dice.rng.choice([*SIDES, 1023, 1024, 1025]))
    picture = dice.picture(min(height, 200) // scale * scale, width)
    return survey_patches(picture, dice.number(scale), dice.number(4), GainRule(*dice.rule(GAIN_RULE)))


CALLS: Final[tuple[Callable[[Dice], object], ...]] = (
    call_ink,
    call_spots,
    call_pairs,
    call_sample,
    call_means,
    call_crops,
    call_even,
    call_survey,
)


def arrays_in(result: object) -> list[Image]:
    """The arrays of a result, to be looked at."""
    parts = result if isinstance(result, tuple) else (result,)
    return [part for part in parts if isinstance(part, np.ndarray)]


def fuzz(calls: int, seed: int) -> dict[str, Any]:
    """So many calls; how many gave a result, and which errors the others raised. Any other error goes on."""
    dice, codes, started = Dice(seed), Counter[str](), perf_counter()
    for number in range(calls):
        try:
            with np.errstate(all="ignore"):
                codes["result" if arrays_in(CALLS[number % len(CALLS)](dice)) else "left to OpenCV"] += 1
        except TableError as error:
            codes[error.code] += 1
    seconds = round(perf_counter() - started, 1)
    return {"compiled": is_compiled(), "seed": seed, "calls": calls, "seconds": seconds, **codes}


def main() -> None:
    """Print the figures as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(json.dumps(fuzz(asked.calls, asked.seed)))  # noqa: T201  # a program of its own


if __name__ == "__main__":
    main()
