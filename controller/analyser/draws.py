"""The chance of each card that a player may draw, while a card of the dealer may lie face down."""

import numpy as np

from controller.analyser.points import Floats


def draw_chances(decks: Floats, looked_for: int | None) -> Floats:
    """Chance of each kind as the next card, of shoes of shape (..., 10).

    `looked_for` is the kind that the face-down card is known not to be, because the dealer has looked for
    his blackjack: the shoe then counts that card too, and those of the kind are the likelier to come.
    """
    held = np.maximum(decks, 0.0)
    size = decks.sum(axis=-1, keepdims=True)
    if looked_for is None:
        return np.asarray(held / size)
    wanted = held[..., looked_for : looked_for + 1]
    others = size - wanted
    chances = held * (others - 1) / (others * (size - 1))
    chances[..., looked_for] = (wanted / (size - 1))[..., 0]
    return np.asarray(chances)
