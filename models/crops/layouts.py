"""Decks with rare index layouts: pip beside the rank, larger or far smaller than it, peek indices.

A network trained on the usual layout names no card with the pip beside the rank, and refuses many small
indices. Half of these pictures show ranks of 8 to 24 pixels.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from vision.synth import CARD_HEIGHTS_PX, CardStyle, DeckArt, drawn_deck, random_style

_SMALL_SHARE: Final = 0.5
_SMALL_RANK_PX: Final = (8.0, 24.0)
"""Share of the pictures with ranks of such a height, evenly spread in its logarithm."""

_CARD_LEAST_PX: Final = 45.0
"""Least long side of a card in its picture: on a smaller one an index has no pixels to speak of."""

_StyleChange = Callable[[np.random.Generator, CardStyle], CardStyle]


def pip_beside(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    """The pip to the right of the rank, at any level between tops and feet."""
    rank = float(rng.uniform(0.11, 0.19))
    return style._replace(
        rank_height=rank,
        rank_stretch=float(rng.uniform(0.6, 1.0)),
        pip_height=rank * float(rng.uniform(0.5, 1.0)),
        gap=rank * float(rng.uniform(0.05, 0.3)),
        pip_level=float(rng.choice([0.0, 0.5, 1.0, rng.uniform()])),
    )


def _larger(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    return style._replace(
        pip_height=style.rank_height * float(rng.uniform(1.0, 1.5)),
        gap=style.rank_height * float(rng.uniform(0.03, 0.25)),
    )


def _far_smaller(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    return style._replace(
        pip_height=style.rank_height * float(rng.uniform(0.3, 0.5)),
        gap=style.rank_height * float(rng.uniform(0.04, 0.4)),
    )


def _close_or_far(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    share = rng.uniform(0.0, 0.05) if rng.random() < 0.5 else rng.uniform(0.4, 0.8)
    return style._replace(gap=style.rank_height * float(share))


def _peek(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    """A small index in the very corner."""
    rank = float(rng.uniform(0.055, 0.085))
    return style._replace(
        rank_height=rank,
        pip_height=rank * float(rng.uniform(0.6, 1.0)),
        gap=rank * float(rng.uniform(0.05, 0.3)),
        margin_x=float(rng.uniform(0.008, 0.022)),
        margin_y=float(rng.uniform(0.010, 0.025)),
    )


LAYOUTS: Final[tuple[tuple[float, _StyleChange], ...]] = (
    (0.40, pip_beside),
    (0.12, _larger),
    (0.16, _far_smaller),
    (0.10, _close_or_far),
    (0.10, _peek),
    (0.12, lambda _, style: style),
)
"""Share of the decks that have each layout; the last is the usual one."""


def layout_deck(rng: np.random.Generator, held_out: bool = False) -> DeckArt:
    """A drawn deck of one of the LAYOUTS; `held_out` takes only fonts that training never sees."""
    change = LAYOUTS[int(rng.choice(len(LAYOUTS), p=[share for share, _ in LAYOUTS]))][1]
    return drawn_deck(change(rng, random_style(rng, held_out)))


def card_heights_px(rng: np.random.Generator, deck: DeckArt) -> tuple[float, float]:
    """Least and greatest long side of a deck's cards in a picture: of small ranks, or as everywhere."""
    if rng.random() >= _SMALL_SHARE:
        return CARD_HEIGHTS_PX
    least, most = (rank_px / deck.rank_share for rank_px in _SMALL_RANK_PX)
    return max(least, _CARD_LEAST_PX), most
