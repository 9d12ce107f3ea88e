"""How lucky the cards of a round were: what each has changed, less what it would have changed on average."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from controller.analyser import Analysis
from controller.analyser.values import (
    ACE,
    KINDS,
    best_total,
    blackjack_kind,
    draw_chances,
    fresh_shoe,
    natural_pays,
)
from controller.domain import RuleSet
from tests.analyser.choices import Cards, Choices

NATURAL: Final = 22
"""Stands for a blackjack among the totals that a bettor stands on."""


class Worth:
    """Values of hands by which luck is measured. They need not be exact: any would do."""

    def __init__(self, analysis: Analysis, choices: Choices) -> None:
        self.rules: Final[RuleSet] = analysis.rules
        self.choices: Final = choices
        self.mean: Final = -analysis.edge_percent / 100.0
        self.deals: Final = {(*deal.cards, deal.up): deal for deal in analysis.deals}
        self._shoe: Final = fresh_shoe(analysis.rules.decks)
        self.standing: Final = lru_cache(maxsize=None)(self._standing)

    def _standing(self, total: int, hard: int, aces: int, cards: int) -> float:
        """A stake that stands on a total against a dealer's hand, cards drawn from a shoe that never ends."""
        dealer = best_total(hard, aces)
        if cards == 2 and dealer == 21:
            return 0.0 if total == NATURAL else -1.0
        if cards > 1 and total == NATURAL:
            return natural_pays(self.rules)
        soft = dealer != hard
        hits_soft_17 = self.rules.dealer_hits_soft_17 and soft and dealer == 17
        if cards > 1 and dealer >= 17 and not hits_soft_17:
            return 1.0 if dealer > 21 or total > dealer else float(total == dealer) - 1.0
        size = float(self._shoe.sum())
        return sum(
            float(self._shoe[kind])
            / size
            * self.standing(total, hard + kind + 1, aces + (kind == ACE), cards + 1)
            for kind in range(KINDS)
        )

    def taken(self, up: int, split: int | None, cards: Cards) -> float:
        """A hand that has taken a card and goes on as it likes best."""
        choice = self.choices.of(up, split).get(cards)
        return -1.0 if choice is None else choice.value


class RoundLuck:
    """Adds the luck of a round up, card by card. Kinds are points less one; `total` is in opening stakes."""

    def __init__(self, worth: Worth) -> None:
        self._worth: Final = worth
        self._left: Final = fresh_shoe(worth.rules.decks)
        self._looked_for: int | None = None
        self.total = 0.0

    def dealt(self, cards: tuple[int, int], up: int, hole: int | None) -> None:
        """The opening deal, and the dealer's look at his face-down card where the house has him look."""
        low, high = sorted(cards)
        deal = self._worth.deals[low + 1, high + 1, up + 1]
        self.total += deal.value - self._worth.mean
        for kind in (*cards, up):
            self._left[kind] -= 1.0
        kind_looked_for = blackjack_kind(up)
        if self._worth.rules.peek == "none" or kind_looked_for is None:
            return
        chance = float(self._left[kind_looked_for] / self._left.sum())
        natural = not deal.plays
        found, not_found = (
            (0.0, natural_pays(self._worth.rules)) if natural else (-1.0, max(deal.plays.values()))
        )
        mean = chance * found + (1.0 - chance) * not_found
        self.total += (found if hole == kind_looked_for else not_found) - mean
        self._looked_for = kind_looked_for

    def drawn(self, kind: int, value: Callable[[int], float]) -> None:
        """A card that a bettor has drawn; `value` says what each would make of his hand."""
        chances = draw_chances(self._left, self._looked_for)
        self.total += value(kind) - sum(
            float(chances[one]) * value(one) for one in range(KINDS) if chances[one]
        )
        self._left[kind] -= 1.0

    def shown(self, kind: int, value: Callable[[int], float]) -> None:
        """A card that the dealer has drawn or turned; the one that he is known not to have cannot come."""
        chances = self._left.copy()
        if self._looked_for is not None:
            chances[self._looked_for] = 0.0
            self._looked_for = None
        size = float(chances.sum())
        mean = sum(float(chances[one]) / size * value(one) for one in range(KINDS) if chances[one])
        self.total += value(kind) - mean
        self._left[kind] -= 1.0
