"""One card on the layout, or an unread object: how long it lies there, and whether the table knows it."""

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
    """A card on the layout. `known_as` is the table's id for it, "" before.

    `gone_ms` is the time at which it was gone. `beside_mm` contains the distances of its box's other cards
    when it came, by their tracks. `asked`: two cameras have read it differently, and the table was told.
    `laid_ms` is the time since which it lies there free of hands, None while a hand holds it. `asked_box` is
    the box of a question about its place, -1 without one. `views` counts the pictures since it came. `places`
    are its unclear places at its arrival, while it is unread. `asked_hand`: the table was asked whether it
    lies there; `dismissed`: it does not. `asked_gone`: the table was asked for its place. `by_answer`: the
    table got it unread, so a person has entered its name.
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
        """Take the camera's present view of it: after a move it counts as held until no hand is on it.

        When its outline is no longer seen, its last place stays one of its places.
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
        """Whether it is open and unread."""
        return self.seen.card is None and self.seen.face == "up"

    def is_where(self, card: FeltCard, share: float, card_mm: float) -> bool:
        """Whether a followed card lies where this one was unread, at one place or between several."""
        if len(self.places) < 2 or card.track <= 0:
            return self.is_near(card, share, card_mm)
        across, along = zip(*(place.at_mm for place in self.places), strict=True)
        middle = (min(across) + max(across)) / 2, (min(along) + max(along)) / 2
        return card.box == self.seen.box and math.dist(middle, card.at_mm) < MIDDLE * card_mm

    def remember(self, spot: FeltCard, card_mm: float) -> None:
        """Note a new place at which it is unread."""
        if all(apart_mm(spot, one) >= STILL * card_mm for one in self.places):
            self.places.append(spot)

    @property
    def ready(self) -> bool:
        """Whether its name is certain, or that it is face down, and no other camera contradicts."""
        seen = self.seen
        alone = seen.other is None and not seen.awaited
        return seen.certain and not seen.perhaps and seen.box is not None and alone

    def is_near(self, other: FeltCard, share: float, card_mm: float) -> bool:
        """Whether an object lies within `share` card lengths of it or of its places, in the same box."""
        return any(
            one.box == other.box and apart_mm(one, other) < share * card_mm
            for one in (self.seen, *self.places)
        )


def copies(cards: Iterable[LyingCard]) -> tuple[LyingCard, ...]:
    """Return independent copies of the cards."""
    return tuple([replace(one, beside_mm=dict(one.beside_mm), places=list(one.places)) for one in cards])
