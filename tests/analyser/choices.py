"""What somebody does at each hand who plays as the analysis does, and what he expects of it."""

from functools import lru_cache
from typing import Final, NamedTuple

from controller.analyser.edge import Analysis, HandPlay, opening_terms
from controller.analyser.values import (
    DOUBLE,
    HIT,
    KINDS,
    STAND,
    SURRENDER,
    AgainstDealer,
    fresh_shoe,
    hands_with,
    opened_split,
    play,
)

Cards = tuple[int, ...]
"""How many cards of each kind a hand holds."""

_NAMES: Final[dict[int, HandPlay]] = {STAND: "stand", HIT: "hit", DOUBLE: "double", SURRENDER: "surrender"}


class Choice(NamedTuple):
    """What to do with a hand, and what the hand is worth then, in opening stakes."""

    play: HandPlay
    value: float


class Choices:
    """The plays of one house, worked out when they are first asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self._rules: Final = analysis.rules
        self._splits: Final = {
            (deal.cards[0] - 1, deal.up - 1) for deal in analysis.deals if deal.best == "split"
        }
        self._found: Final[dict[tuple[int, int | None], dict[Cards, Choice]]] = {}

    def splits(self, kind: int, up: int) -> bool:
        """Whether a pair of this kind is split; split again it is, too, as often as the house allows."""
        return (kind, up) in self._splits

    def of(self, up: int, split: int | None) -> dict[Cards, Choice]:
        """The choice at each hand but for splitting: of an opening deal, or from a pair of this kind."""
        known = self._found.get((up, split))
        if known is None:
            known = self._found[up, split] = self._worked_out(up, split)
        return known

    def _worked_out(self, up: int, split: int | None) -> dict[Cards, Choice]:
        table = AgainstDealer(self._rules, up)
        left = fresh_shoe(self._rules.decks)
        left[up] -= 1.0
        hands = hands_with(split)
        if split is None:
            values = play(table, hands, (left - hands.counts)[None], opening_terms(table, hands))
        else:
            values = opened_split(table, split, left)
        return {
            cards: Choice(_NAMES[int(best)], float(value))
            for cards, best, value in zip(_cards(split), values.best, values.chosen[0], strict=True)
        }


@lru_cache(maxsize=KINDS + 1)
def _cards(split: int | None) -> tuple[Cards, ...]:
    return tuple(tuple(int(count) for count in row) for row in hands_with(split).counts)
