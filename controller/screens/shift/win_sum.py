"""What the house has won of rounds, and how far that may lie from what the rules let expect."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Self

VARIANCE: Final = 1.33
"""Of what one box wins, in squared opening stakes: 24,000 rounds of the engine with basic strategy gave 1.32
to 1.34 for two houses."""
COVARIANCE: Final = 0.51
"""Of two boxes of one round, which meet the same dealer; measured in the same rounds."""


def variance_of(stakes: Iterable[int]) -> float:
    """Of what the boxes of one round win together, from the opening stakes of each, in their square."""
    boxes = list(stakes)
    own = sum(stake * stake for stake in boxes)
    return VARIANCE * own + COVARIANCE * (sum(boxes) ** 2 - own)


class WinSum(NamedTuple):
    """Of some rounds, in minor units; `opened` are the opening stakes, `variance` is in squared units."""

    won: int = 0
    staked: int = 0
    opened: int = 0
    variance: float = 0.0

    @classmethod
    def of_round(cls, won: int, staked: int, opening: Mapping[tuple[int, int], int]) -> Self:
        """One round; `opening` are the opening stakes by box and seat."""
        boxes: dict[int, int] = {}
        for (box, _), stake in opening.items():
            boxes[box] = boxes.get(box, 0) + stake
        return cls(won, staked, sum(boxes.values()), variance_of(boxes.values()))

    def plus(self, other: "WinSum") -> "WinSum":
        """Both together."""
        return WinSum(
            self.won + other.won,
            self.staked + other.staked,
            self.opened + other.opened,
            self.variance + other.variance,
        )
