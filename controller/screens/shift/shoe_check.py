"""The shoe for the pit: how far it is dealt, whether its order repeats, its ranks, the last count.

The ranks are those of settled rounds, which the pit reads card by card anyway; nobody else gets them, and no
screen at the table draws them.
"""

from collections import Counter
from math import comb
from typing import Final, Literal

from controller.domain.cards import RANKS, Rank
from controller.engine.shoe.closing import PACK, how_many
from controller.engine.watching import SHUFFLE_SUSPECT
from controller.runtime.api import TableSnapshot
from controller.runtime.redaction import CLOSING
from controller.screens.shapes.base import ViewModel
from controller.screens.shift.day_rounds import DayRound
from controller.screens.shift.sentences import Body

OrderCheck = Literal["clear", "suspect", "off"]
"""Nothing repeats an earlier order, an alert says what does, nobody watches."""


class LastCount(ViewModel):
    """The last closing count: of which shoe of the day, when, and how many cards were missing or too many."""

    shoe: int
    at_utc_us: int
    missing: int = 0
    extra: int = 0


class RankCount(ViewModel):
    """How many cards of a rank came out of the shoe in its settled rounds."""

    rank: Rank
    count: int


class ShoeCheck(ViewModel):
    """The shoe in place, the `shoe`th of the day: `dealt` of its `size` cards.

    `ranks` are those of its settled rounds, in order, none where each round has its own shuffle; of a rank
    `each` are in it and `expected` should have come. One shoe in `one_in` has a rank that came as often as
    the most frequent one; None where nobody knows what the shoe held.
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


class ShoeRecord:
    """What the journal has said of the shoe in place and of the last count."""

    def __init__(self) -> None:
        """No shoe was named yet: the first one is there."""
        self.number = 1
        self.suspect = False
        self.last_count: LastCount | None = None
        self._since = 0

    def rounds(self, known: dict[int, DayRound]) -> list[DayRound]:
        """The settled rounds that were dealt from this shoe alone."""
        return [one for one in known.values() if one.settled and one.first_seq > self._since]

    def take(self, kind: str, seq: int, at_utc_us: int, body: Body, *, first: bool) -> None:
        """Add an entry; `first`: no round of the day has begun yet."""
        if body.get("code") == SHUFFLE_SUSPECT:
            self.suspect = True
        elif body.get("code") == CLOSING and kind == "alert" and self.last_count is not None:
            missing, extra = (how_many(str(body["params"].get(name, "-"))) for name in ("missing", "extra"))
            self.last_count = self.last_count.model_copy(update={"missing": missing, "extra": extra})
        elif kind == "fact" and body["obs"] == "shoe_end":
            self.last_count = LastCount(shoe=self.number, at_utc_us=at_utc_us)
        elif kind == "fact" and body["obs"] in ("shoe", "shuffle"):
            self.number += body["obs"] == "shoe" and not first
            self.suspect, self._since = False, seq


def shoe_check(record: ShoeRecord, rounds: dict[int, DayRound], snapshot: TableSnapshot) -> ShoeCheck:
    """The shoe as the record of the shift and the newest snapshot have it."""
    shoe, watched = snapshot.state.shoe, snapshot.options.shuffle_watch
    whole = shoe.size == shoe.decks * PACK and not snapshot.rules.shuffled_each_round
    came = Counter(rank for dealt in record.rounds(rounds) for rank in _ranks(dealt)) if whole else Counter()
    each, dealt = shoe.decks * PACK // len(RANKS), came.total()
    return ShoeCheck(
        shoe=record.number,
        dealt=shoe.seen,
        size=shoe.size,
        order="off" if not watched else "suspect" if record.suspect else "clear",
        ranks=tuple(RankCount(rank=rank, count=came[rank]) for rank in RANKS) if dealt else (),
        each=each,
        expected=round(dealt / len(RANKS), 1),
        one_in=one_shoe_in(max(came.values()), each, dealt, shoe.size) if dealt else None,
        last_count=record.last_count,
    )


def one_shoe_in(most: int, each: int, dealt: int, size: int) -> int:
    """How seldom a rank, `each` times in a shoe, comes `most` times or more among `dealt` of its cards."""
    ways = sum(comb(each, k) * comb(size - each, dealt - k) for k in range(most, min(each, dealt) + 1))
    share = len(RANKS) * ways / comb(size, dealt)
    return max(1, round(1 / share)) if share else SELDOM


SELDOM: Final = 10**9
"""More often than there are cards of a rank: an alert of its own says so."""
_KNOWN: Final = frozenset(RANKS)


def _ranks(dealt: DayRound) -> list[str]:
    hands = [hand["cards"] for hand in dealt.settled["hands"]]
    cards = [card for hand in (*hands, dealt.settled["dealer"]["cards"]) for card in hand]
    return [rank for card in cards if (rank := card.rstrip("shdc")) in _KNOWN]
