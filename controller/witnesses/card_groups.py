"""Groups the cards of several cameras into physical cards, by their place on the layout, view by view."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import dist
from typing import Final, NamedTuple

from controller.witnesses.felt_view import FeltCard, may_be_one

_SAME_CARD: Final = 0.2
"""Card lengths: cards that two cameras see no further apart are one. Not measured on a real table: a layout
may be 5 mm off at a box, and the cards of a hand lie 18 mm apart and more."""

_BY_INDEX: Final = 0.6
"""Card lengths between a card's middle and its index, at most: so near, what one camera has corners of and
another has not may be one card. Not measured."""

_KEPT_TOGETHER: Final = 1.0
"""Card lengths: what was one card before is one while it is moved, though one picture is older.

Not measured.
"""

Track = tuple[str, int]
"""A camera's name, and its number for a card."""


class SeenCard(NamedTuple):
    """A card as one camera knows it."""

    camera: str
    card: FeltCard

    @property
    def track(self) -> Track:
        """The key of the card among all cameras' tracks."""
        return self.camera, self.card.track


Group = tuple[SeenCard, ...]
"""One physical card, once for each camera that sees it, in the order of the cameras."""


class CardGroups:
    """Groups the cards of several cameras; remembers the groups of the last view."""

    def __init__(self) -> None:
        """Begin before the first view."""
        self._together: set[frozenset[Track]] = set()

    def of(self, seen: Sequence[Sequence[SeenCard]], card_mm: float) -> list[Group]:
        """Return the physical cards in the cameras' views; `card_mm` is a card's long side."""
        groups: list[Group] = []
        for cards in seen:
            groups = self._joined(groups, list(cards), card_mm)
        self._together = {
            frozenset((one.track, other.track)) for group in groups for one, other in combinations(group, 2)
        }
        return groups

    def _joined(self, groups: list[Group], cards: list[SeenCard], card_mm: float) -> list[Group]:
        """Add one camera's cards to the groups: equal readings first, then the nearest."""
        pairs = [
            (grade, apart, group[0].track, card.track)
            for group in groups
            for apart, card in _near(group, cards, _KEPT_TOGETHER * card_mm)
            if (grade := self._grade(group, card, apart / card_mm)) is not None
        ]
        joined: dict[Track, Track] = {}
        for _, _, known, track in sorted(pairs):
            if known not in joined and track not in joined.values():
                joined[known] = track
        by_track = {card.track: card for card in cards}
        found = [
            by_track.pop(joined[group[0].track], None) if group[0].track in joined else None
            for group in groups
        ]
        whole = [group if card is None else (*group, card) for group, card in zip(groups, found, strict=True)]
        return [*whole, *((card,) for card in by_track.values())]

    def _grade(self, group: Group, card: SeenCard, lengths: float) -> int | None:
        """Return the evidence for a card in a group at this distance: 0 strongest, None for none.

        A card without corners has only the place of its index: it may belong to the same box.
        """
        placed = card.card.turn_deg is not None and any(one.card.turn_deg is not None for one in group)
        near = lengths < _SAME_CARD
        if not placed:
            near = lengths < _BY_INDEX and any(one.card.box == card.card.box for one in group)
        if near and _is_read_alike(group, card):
            return 0 if placed else 1
        if near and placed:
            return 2
        if any(frozenset((one.track, card.track)) in self._together for one in group):
            return 3
        return 4 if near else None


def _near(group: Group, cards: list[SeenCard], within_mm: float) -> Iterator[tuple[float, SeenCard]]:
    """Yield the cards near a group with their distance, by the centre of a card with corners if any."""
    with_corners = [one.card.at_mm for one in group if one.card.turn_deg is not None]
    places = with_corners or [one.card.at_mm for one in group]
    for card in cards:
        apart = min(dist(place, card.card.at_mm) for place in places)
        if apart < within_mm:
            yield apart, card


def _is_read_alike(group: Group, card: SeenCard) -> bool:
    """Whether a camera of the group is certain of the same card."""
    seen = card.card
    known = seen.certain and seen.card is not None
    return known and any(one.card.certain and may_be_one(one.card.card, seen.card) for one in group)
