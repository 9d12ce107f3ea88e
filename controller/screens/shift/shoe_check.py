"""The shoe for the pit: dealt cards, repeats of its order, its ranks, the last count.

The ranks are those of settled rounds, whose cards the pit can read anyway. No other role receives them,
and no screen at the table draws them.
"""

from collections import Counter
from collections.abc import Iterator
from math import comb
from typing import Final, Literal

from controller.domain import RANKS, Rank
from controller.engine.shoe import PACK
from controller.engine.watching import SHUFFLE_SUSPECT
from controller.history.history import History
from controller.runtime.api import TableSnapshot
from controller.screens.shapes.words import ViewModel
from controller.screens.shift.reader import LiveShift

OrderCheck = Literal["clear", "suspect", "off"]
"""Nothing repeats an earlier order, an alert says what does, nobody watches."""


class LastCount(ViewModel):
    """The last closing count: of which shoe of the day, when, and how many cards were missing or too many."""

    shoe: int
    at_utc_us: int
    missing: int = 0
    extra: int = 0


class RankCount(ViewModel):
    """The number of cards of a rank dealt in the settled rounds of the shoe."""

    rank: Rank
    count: int


class ShoeCheck(ViewModel):
    """The shoe in place, the `shoe`th of the day: `dealt` of its `size` cards.

    `ranks` are those of its settled rounds in order, empty in a house that shuffles each round. The shoe
    contains `each` of a rank, `expected` of them should be dealt. One shoe in `one_in` has a rank as frequent
    as its most frequent one; None when the contents of the shoe are unknown.
    """

    shoe: int
    dealt: int
    size: int
    order: OrderCheck
    ranks: tuple[RankCount, ...]
    each: int
    expected: float
    one_in: int | None
    last_count: LastCount | None


def shoe_check(shift: LiveShift, snapshot: TableSnapshot) -> ShoeCheck:
    """The shoe as the history of the shift and the newest snapshot have it."""
    history, shoe, watched = shift.history, snapshot.state.shoe, snapshot.options.shuffle_watch
    (brought,) = history.rows(
        "SELECT coalesce(max(seq), 0) AS seq FROM entry WHERE obs IN ('shoe', 'shuffle')"
    )
    suspect = history.rows(
        "SELECT 1 FROM alert WHERE code = ? AND seq > ? LIMIT 1", (SHUFFLE_SUSPECT, brought["seq"])
    )
    counts = history.rows(
        "SELECT shoe, us AS at_utc_us, missing, extra FROM shoe_count ORDER BY seq DESC LIMIT 1"
    )
    whole = shoe.size == shoe.decks * PACK and not snapshot.rules.shuffled_each_round
    came = Counter(_ranks(history, brought["seq"])) if whole else Counter[str]()
    each, dealt = shoe.decks * PACK // len(RANKS), came.total()
    return ShoeCheck(
        shoe=shift.shoe,
        dealt=shoe.seen,
        size=shoe.size,
        order="off" if not watched else "suspect" if suspect else "clear",
        ranks=tuple(RankCount(rank=rank, count=came[rank]) for rank in RANKS) if dealt else (),
        each=each,
        expected=round(dealt / len(RANKS), 1),
        one_in=_one_shoe_in(max(came.values()), each, dealt, shoe.size) if dealt else None,
        last_count=LastCount(**counts[0]) if counts else None,
    )


def _one_shoe_in(most: int, each: int, dealt: int, size: int) -> int:
    """Return how rarely a rank, `each` times in a shoe, occurs `most` times or more among `dealt` cards."""
    ways = sum(comb(each, k) * comb(size - each, dealt - k) for k in range(most, min(each, dealt) + 1))
    share = len(RANKS) * ways / comb(size, dealt)
    return max(1, round(1 / share)) if share else _SELDOM


_SELDOM: Final = 10**9
"""More often than there are cards of a rank: an alert of its own says so."""
_KNOWN: Final = frozenset(RANKS)


def _ranks(history: History, since: int) -> Iterator[str]:
    """The ranks of the day's settled rounds that were dealt from this shoe alone."""
    found = history.rows(
        "SELECT h.cards FROM hand h JOIN round r ON r.round = h.round WHERE r.day = ? AND r.first_seq > ?"
        " AND r.status IN ('settled', 'voided')",
        (history.day, since),
    )
    cards = (card.rstrip("shdc") for row in found for card in row["cards"].split())
    return (card for card in cards if card in _KNOWN)
