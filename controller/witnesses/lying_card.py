"""One card on the felt, or something unread there: since when it lies, and whether the table knows it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from controller.witnesses.felt_view import FeltCard, apart_mm

STILL: Final = 0.1
"""Card lengths: what lies no further from where it lay rests there.

As far as the outline of a card that rests is estimated differently from picture to picture.
"""

MIDDLE: Final = 0.3
"""Card lengths: so near to the middle of the places where it was unread lies its own middle.

Source: in a drawn round (it 13) the card was 0.15 away, and the next one that was laid on it 0.42: places of
what it covers lie on the other side.
"""


@dataclass(slots=True)
class LyingCard:
    """A card on the felt. `known_as` is the id under which the table knows it, "" before.

    `gone_ms` is since when it lies there no more. `beside_mm` tells how far the other cards of its box lay
    from it when it came, by their tracks. `asked`: two cameras have read it differently, and the table was
    told. `laid_ms` is since when it lies where it lies free of hands, None while one holds it; `asked_box`
    where somebody was asked about it because the table has it at another box, -1 nowhere. `places` are where
    it was unclear as it came, as long as nobody has read it. `asked_hand`: the table was asked whether it
    lies there; `dismissed`: it does not. `asked_gone`: the table was asked where it is. `by_answer`: the
    table got it unread, so somebody has entered what it is.
    """

    seen: FeltCard
    since_ms: int
    known_as: str = ""
    gone_ms: int | None = None
    beside_mm: dict[int, float] = field(default_factory=dict)
    asked: bool = False
    laid_ms: int | None = None
    asked_box: int = -1
    places: list[FeltCard] = field(default_factory=list)
    asked_hand: bool = False
    dismissed: bool = False
    asked_gone: bool = False
    by_answer: bool = False

    def seen_as(self, seen: FeltCard, now_ms: int, card_mm: float) -> None:
        """Take what the camera knows of it now: where it has moved, it was in a hand until none is on it.

        Where its outline is seen no longer, where that lay stays one of its places.
        """
        if seen.box != self.seen.box or apart_mm(seen, self.seen) > STILL * card_mm:
            if self.laid_ms is None and not self.known_as:
                self.since_ms = now_ms
            self.laid_ms, self.asked_hand, self.dismissed = None, False, False
        if self.laid_ms is None and seen.in_sight and not seen.held:
            self.laid_ms = now_ms
        if seen.turn_deg is None and self.seen.turn_deg is not None:
            self.remember(self.seen, card_mm)
        self.seen = seen
        if not self.unread:
            self.places = []

    @property
    def unread(self) -> bool:
        """Whether it lies open and nobody has read it."""
        return self.seen.card is None and self.seen.face == "up"

    def is_where(self, card: FeltCard, share: float, card_mm: float) -> bool:
        """Whether a card that is followed lies where this one was unread at several places, or at one."""
        if len(self.places) < 2 or card.track <= 0:
            return self.is_near(card, share, card_mm)
        across, along = zip(*(place.at_mm for place in self.places), strict=True)
        middle = (min(across) + max(across)) / 2, (min(along) + max(along)) / 2
        return card.box == self.seen.box and math.dist(middle, card.at_mm) < MIDDLE * card_mm

    def remember(self, spot: FeltCard, card_mm: float) -> None:
        """Note a place of its own at which it is unread."""
        if all(apart_mm(spot, one) >= STILL * card_mm for one in self.places):
            self.places.append(spot)

    @property
    def ready(self) -> bool:
        """Whether it is certain which card it is, or that it lies face down, and no other camera differs."""
        seen = self.seen
        alone = seen.other is None and not seen.awaited
        return seen.certain and not seen.perhaps and seen.box is not None and alone

    def is_near(self, other: FeltCard, share: float, card_mm: float) -> bool:
        """Whether something lies within so many card lengths of it, or of a place of its, in the same box."""
        return any(
            one.box == other.box and apart_mm(one, other) < share * card_mm
            for one in (self.seen, *self.places)
        )


def copies(cards: Iterable[LyingCard]) -> tuple[LyingCard, ...]:
    """The same cards, apart from what becomes of these."""
    return tuple([replace(one, beside_mm=dict(one.beside_mm), places=list(one.places)) for one in cards])
