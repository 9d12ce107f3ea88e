"""Basic strategy for the benchmark: the same advice for every engine, so that all play the same game.

Six decks, the dealer stands on every 17, doubling on any two cards and after a split. Each string has one
letter for each open dealer card from 2 to 10 and the ace: H hit, S stand, D double (hit where that is too
late), T double (stand where that is too late), P split the pair.
"""

from itertools import chain
from typing import Final

_UPCARDS: Final = range(2, 12)
"""Points of the dealer's open card, the ace counted 11."""


_HandSituation = tuple[int, bool, int]
"""Total (an ace counted 11 where soft), soft or not, points of the dealer's open card."""


def _row(total: int, soft: bool, letters: str) -> list[tuple[_HandSituation, str]]:
    return [((total, soft, up), letter) for up, letter in zip(_UPCARDS, letters, strict=True)]


ADVICE: Final[dict[_HandSituation, str]] = dict(
    chain(
        *(_row(total, False, "HHHHHHHHHH") for total in range(4, 9)),
        _row(9, False, "HDDDDHHHHH"),
        _row(10, False, "DDDDDDDDHH"),
        _row(11, False, "DDDDDDDDDH"),
        _row(12, False, "HHSSSHHHHH"),
        *(_row(total, False, "SSSSSHHHHH") for total in range(13, 17)),
        *(_row(total, False, "SSSSSSSSSS") for total in range(17, 22)),
        _row(12, True, "HHHHHHHHHH"),
        *(_row(total, True, "HHHDDHHHHH") for total in (13, 14)),
        *(_row(total, True, "HHDDDHHHHH") for total in (15, 16)),
        _row(17, True, "HDDDDHHHHH"),
        _row(18, True, "STTTTSSHHH"),
        *(_row(total, True, "SSSSSSSSSS") for total in range(19, 22)),
    )
)
"""The letter for each situation that can arise."""

_PAIRS: Final = {
    2: "PPPPPP....",
    3: "PPPPPP....",
    4: "...PP.....",
    6: "PPPPP.....",
    7: "PPPPPP....",
    8: "PPPPPPPPPP",
    9: "PPPPP.PP..",
    11: "PPPPPPPPPP",
}
SPLITS: Final = frozenset(
    (points, up)
    for points, letters in _PAIRS.items()
    for up, letter in zip(_UPCARDS, letters, strict=True)
    if letter == "P"
)
"""(points of one card, open card) for each pair that is split."""
