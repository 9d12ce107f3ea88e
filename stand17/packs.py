"""Cards by their names, and packs to shuffle."""

from typing import Final, cast, get_args

from controller.acts.catalogue import CardSeen
from controller.acts.round import Face, Target
from controller.domain import RANKS, SUITS, Rank, Suit

_PACK: Final = tuple(CardSeen(rank, suit) for suit in SUITS for rank in RANKS)


def pack(packs: int = 1) -> list[CardSeen]:
    """That many packs of 52 cards in a fixed order; shuffle with a `random.Random` of your own.

    >>> len(pack(6))
    312
    """
    return list(_PACK * packs)


def card(
    name: str, *, to: Target | None = None, box: int | None = None, face: Face | None = None
) -> CardSeen:
    """A card by its name: `"Ah"`, `"10s"`, or `"7"` where the suit does not matter.

    Raises ValueError where there is no such card.

    >>> seen = card("10s", face="down")
    >>> seen.rank, seen.suit, seen.face
    ('10', 's', 'down')
    """
    rank, suit = (name[:-1], name[-1]) if name[-1:] in get_args(Suit) else (name, None)
    if rank not in get_args(Rank):
        raise ValueError(f"no card is called {name!r}: a rank of {' '.join(RANKS)}, then c, d, h or s")
    return CardSeen(cast(Rank, rank), cast(Suit | None, suit), to=to, box=box, face=face)
