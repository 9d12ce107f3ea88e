"""When is an index certain? Thresholds from measured risk, and the ink's colour as a second witness."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from vision.classifier.index_reading import Index
from vision.labels import RANKS, SUITS

RANK_SURE: Final = 0.975
SUIT_SURE: Final = 0.985
INDEX_SURE: Final = 0.90
"""Least probabilities of rank, suit and of being an index at all."""

INDEX_SURE_TWICE: Final = 0.60
"""Enough of the last where the index at the opposite corner of the same card says the same."""

TEN_SURE: Final = 0.80
"""Enough of it for a ten: few other things turn into one by being half hidden."""

TEN: Final = RANKS.index("10")

LEAST_PX: Final = 15.0
LEAST_BLACK_PX: Final = 20.0
"""Indices under these heights (rank and pip together) are never certain: their pips are four or five pixels;
clubs and spades need some more."""

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
    return (blue + green) / 2 - red


def colours_agree(index: Index) -> bool:
    """Whether the ink's colour allows the suit, and rank and pip can be of one card.

    Read from the pixels, not by the network: it fails for other causes (a rank beside another card's pip, a
    suit guessed from a blurred shape).
    """
    black = SUITS[index.suit] in BLACK_SUITS
    rank, pip = _redness(index, 0), _redness(index, 1)
    grey = max(index.tints[1]) - min(index.tints[1]) < GREY_INK
    if (black and pip > RED_INK) or (not black and grey):
        return False
    return not (grey and rank > RED_RANK) and not (pip > RED_INK and rank < PALE_RANK)


def is_certain(index: Index, index_sure: float = INDEX_SURE) -> bool:
    """Whether the index may be reported as a card; `index_sure` is the least probability of being one."""
    black = SUITS[index.suit] in BLACK_SUITS
    if index.height < (LEAST_BLACK_PX if black else LEAST_PX) or not index.whole:
        return False
    suit_sure = SMALL_BLACK_SURE if black and index.height < SMALL_PX else SUIT_SURE
    least = min(index_sure, TEN_SURE) if index.rank == TEN else index_sure
    sure = index.p_rank >= RANK_SURE and index.p_suit >= suit_sure and index.p_index >= least
    return sure and index.agreed and colours_agree(index)


def _facing(indices: Sequence[Index]) -> bool:
    """Whether two of them stand at opposite ends of their card."""
    return any(float(one.down @ other.down) < 0 for one, other in combinations(indices, 2))


def certain_ones(indices: Sequence[Index]) -> list[Index]:
    """The certain ones among the indices of one card; two at opposite corners may vouch for each other.

    They may do so even where both look half hidden: nothing hides two corners in the same way, so it is the
    deck that looks like that. Their probability of being an index is then that of being one, hidden or not.
    """
    alone = [index for index in indices if is_certain(index)]
    if alone:
        return alone
    fair = [index for index in indices if is_certain(index, INDEX_SURE_TWICE)]
    if _facing(fair):
        return fair
    shown = [index._replace(p_index=index.p_shown) for index in indices]
    vouched = [index for index in shown if is_certain(index)]
    return vouched if _facing(vouched) else []
