"""The distribution of the dealer's final hand, exact, for many remaining shoes at once."""

from functools import lru_cache
from typing import Final

import numpy as np

from controller.analyser.points import ACE, KINDS, TEN, Floats, best_total

OUTCOMES: Final = 7
"""The dealer ends on 17, 18, 19, 20, 21, bust, or with a blackjack: indices 0 to 6."""
BUST: Final = 5
BLACKJACK: Final = 6

Draws = tuple[int, ...]
"""How many cards of each kind the dealer draws to his up card."""


@lru_cache(maxsize=2 * KINDS)
def final_hands(up: int, hits_soft_17: bool) -> tuple[tuple[Draws, int, int], ...]:
    """(cards drawn, outcome, number of orders in which they can come) for an up card of this kind, sorted."""
    ended: dict[Draws, tuple[int, int]] = {}
    drawing: dict[Draws, int] = {(0,) * KINDS: 1}
    while drawing:
        further: dict[Draws, int] = {}
        for cards, orders in drawing.items():
            for kind in range(KINDS):
                more = (*cards[:kind], cards[kind] + 1, *cards[kind + 1 :])
                further[more] = further.get(more, 0) + orders
        drawing = {}
        for cards, orders in further.items():
            outcome = _outcome(up, cards, hits_soft_17)
            if outcome is None:
                drawing[cards] = orders
            else:
                ended[cards] = (outcome, orders)
    return tuple((cards, *ended[cards]) for cards in sorted(ended))


def _outcome(up: int, cards: Draws, hits_soft_17: bool) -> int | None:
    """Return the outcome of this hand; None while the dealer draws."""
    hard = up + 1 + sum(count * (kind + 1) for kind, count in enumerate(cards))
    aces = cards[ACE] + (up == ACE)
    total = best_total(hard, aces)
    if total > 21:
        return BUST
    if total < 17 or (total == 17 and hits_soft_17 and total != hard):
        return None
    return BLACKJACK if total == 21 and sum(cards) == 1 else total - 17


def blackjack_kind(up: int) -> int | None:
    """Return the kind of the hole card that would make a blackjack; None when none does."""
    return {ACE: TEN, TEN: ACE}.get(up)


def outcome_chances(up: int, hits_soft_17: bool, decks: Floats) -> Floats:
    """Chances of the outcomes, shape (..., 7), of shoes of shape (..., 10) without the up card.

    The chance of a hand is the number of its orders, times the ways to pick its cards in one order, over
    those to pick as many cards at all.
    """
    held = np.maximum(decks, 0.0)
    size = decks.sum(axis=-1)
    chances = np.zeros((*decks.shape[:-1], OUTCOMES))
    ways = _Ways(held)
    for cards, outcome, orders in final_hands(up, hits_soft_17):
        chances[..., outcome] += orders * ways.of(cards) / ways.any(sum(cards), size)
    return chances


class _Ways:
    """Ways to pick cards in a fixed order; products of the first kinds are kept from hand to hand."""

    def __init__(self, held: Floats) -> None:
        self._held = held
        self._draws: list[int] = []
        self._products: list[Floats] = [np.ones(held.shape[:-1])]
        self._all: list[Floats] = [np.ones(held.shape[:-1])]
        self._picks = [[np.ones(held.shape[:-1])] for _ in range(KINDS)]

    def of(self, cards: Draws) -> Floats:
        """The product over the kinds, from the first kind on that differs from the hand before."""
        same = 0
        while same < len(self._draws) and self._draws[same] == cards[same]:
            same += 1
        del self._draws[same:], self._products[same + 1 :]
        for kind in range(same, KINDS):
            before = self._products[-1]
            self._products.append(before * self._pick(kind, cards[kind]) if cards[kind] else before)
            self._draws.append(cards[kind])
        return self._products[-1]

    def _pick(self, kind: int, count: int) -> Floats:
        picks = self._picks[kind]
        while len(picks) <= count:
            picks.append(picks[-1] * np.maximum(self._held[..., kind] - (len(picks) - 1), 0.0))
        return picks[count]

    def any(self, count: int, size: Floats) -> Floats:
        """Return the number of ways to draw `count` cards of any kind."""
        while len(self._all) <= count:
            self._all.append(self._all[-1] * (size - (len(self._all) - 1)))
        return self._all[count]
