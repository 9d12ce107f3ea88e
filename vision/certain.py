"""When is an index certain? Thresholds from measured risk, and the ink's colour as a second witness."""

from typing import Final

from vision.indices import Index
from vision.labels import SUITS

RANK_SURE: Final = 0.975
SUIT_SURE: Final = 0.985
INDEX_SURE: Final = 0.90
"""Least probabilities of rank, suit and of being an index at all."""

LEAST_PX: Final = 15.0
"""Indices under this height (rank and pip together) are never certain: their pips are four or five pixels."""

SMALL_PX: Final = 28.0
SMALL_BLACK_SURE: Final = 0.996
"""Below this height the leaves of a club run together: clubs and spades then need this much."""

RED_INK: Final = 0.17
"""Pips at least this red (dark in blue and green, light in red) are red."""

GREY_INK: Final = 0.12
"""Pips with less colour than this are black."""

RED_RANK: Final = 0.20
PALE_RANK: Final = 0.06
"""A rank redder than the first has no black pip, one less red than the second no red pip."""

BLACK_SUITS: Final = frozenset({"c", "s"})


def _redness(index: Index, part: int) -> float:
    blue, green, red = index.tints[part]
    return float((blue + green) / 2 - red)


def colours_agree(index: Index) -> bool:
    """Whether the ink's colour allows the suit, and rank and pip can be of one card.

    Read from the pixels, not by the network: it fails for other causes (a rank beside another card's pip, a
    suit guessed from a blurred shape).
    """
    black = SUITS[index.suit] in BLACK_SUITS
    rank, pip = _redness(index, 0), _redness(index, 1)
    grey = float(index.tints[1].max() - index.tints[1].min()) < GREY_INK
    if (black and pip > RED_INK) or (not black and grey):
        return False
    return not (grey and rank > RED_RANK) and not (pip > RED_INK and rank < PALE_RANK)


def is_certain(index: Index) -> bool:
    """Whether the index may be reported as a card."""
    if index.height < LEAST_PX or not index.whole:
        return False
    small_black = index.height < SMALL_PX and SUITS[index.suit] in BLACK_SUITS
    suit_sure = SMALL_BLACK_SURE if small_black else SUIT_SURE
    sure = index.p_rank >= RANK_SURE and index.p_suit >= suit_sure and index.p_index >= INDEX_SURE
    return sure and index.agreed and colours_agree(index)
