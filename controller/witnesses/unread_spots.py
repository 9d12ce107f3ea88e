"""Groups the unread places of one view: one unread card shows several."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from controller.witnesses.felt_view import FeltCard, apart_mm
from controller.witnesses.lying_card import STILL, LyingCard

SAME_PLACE: Final = 0.35
"""Card lengths: something unread so near to where something unread lay is the same thing.

Half a card's width. Not measured.
"""

_ONE_CARD_MS: Final = 1000
"""What turns unclear in a box so soon after something unread came there, and no further off than a card's
diagonal, is of the same card: one that is laid and not read shows up to four places, its own and those of
what it covers.

Source: the last of them came 0.8 s after the first in drawn rounds with pips beside the ranks (it 13 and 14).
A dealer takes longer for a second card to the box.
"""

_DIAGONAL: Final = 1.25
"""Card lengths: so near to each other are two places of one card. Source: no tuned number."""


class UnreadSpots:
    """The unread places of one view by object: a followed unread card's track, else a number below 0.

    `known` are the earlier objects, `followed` the camera's present tracks, `last` is the least number given
    so far. An unread object that is no longer followed is the unread object at its place.
    """

    def __init__(
        self,
        known: Mapping[int, LyingCard],
        followed: Collection[int],
        last: int,
        now_ms: int,
        card_mm: float,
    ) -> None:
        """Begin without a place."""
        self.found: Final[dict[int, list[FeltCard]]] = {}
        self.last = last
        self._known = known
        self._followed = followed
        self._now_ms = now_ms
        self._card_mm = card_mm

    def add(self, spot: FeltCard) -> None:
        """Add a place: to an earlier object, else to a near newcomer, else as a new object."""
        number = self._number_of(spot)
        self.last = min(self.last, number)
        self.found.setdefault(number, []).append(spot)

    def _number_of(self, spot: FeltCard) -> int:
        for track, lying in self._known.items():
            if (track < 0 or lying.unread) and lying.is_near(spot, SAME_PLACE, self._card_mm):
                return track
        for track, lying in self._known.items():
            came = lying.unread and self._now_ms - lying.since_ms <= _ONE_CARD_MS
            if came and lying.is_near(spot, _DIAGONAL, self._card_mm):
                return track
        for track, own in self.found.items():
            if track not in self._known and LyingCard(own[0], 0).is_near(spot, _DIAGONAL, self._card_mm):
                return track
        return self.last - 1

    def shown(self) -> dict[int, FeltCard]:
        """Return the objects without a track, each at its most telling place."""
        return {track: self._most_telling(track) for track in self.found if track not in self._followed}

    def _most_telling(self, track: int) -> FeltCard:
        """Return a place of the object outside the known cards, if any.

        An object on a known card that has not moved is still on it: that card's outline is estimated
        differently from picture to picture.
        """
        places: Sequence[FeltCard] = self._known[track].places if track in self._known else ()
        on_known = [place for place in places if place.on_known]
        for spot in self.found[track]:
            if not spot.on_known and all(apart_mm(spot, one) >= STILL * self._card_mm for one in on_known):
                return spot
        return self.found[track][0]._replace(on_known=True)

    def note(self, lying: Mapping[int, LyingCard]) -> None:
        """Add the unread places to the memory of each newcomer; `lying` are the present objects."""
        for track, spots in self.found.items():
            if track in lying and self._now_ms - lying[track].since_ms <= _ONE_CARD_MS:
                for spot in spots:
                    lying[track].remember(spot, self._card_mm)
