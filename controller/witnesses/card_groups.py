"""Which cards of several cameras are one physical card: by where they lie on the felt, from view to view."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from controller.witnesses.felt_view import FeltCard, apart_mm, may_be_one

SAME_CARD: Final = 0.2
"""Card lengths: cards that two cameras see no further apart are one. Not measured on a real table: a layout
may be 5 mm off at a box, and the cards of a hand lie 18 mm apart and more."""

BY_INDEX: Final = 0.6
"""Card lengths between a card's middle and its index, at most: so near, what one camera has corners of and
another has not may be one card. Not measured."""

KEPT_TOGETHER: Final = 1.0
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
        """What names it among all that the cameras follow."""
        return self.camera, self.card.track


Group = tuple[SeenCard, ...]
"""One physical card, once for each camera that sees it, in the order of the cameras."""


class CardGroups:
    """Puts the cards of several cameras together; remembers what was together in the view before."""

    def __init__(self) -> None:
        """Begin before the first view."""
        self._together: set[frozenset[Track]] = set()

    def of(self, seen: Sequence[Sequence[SeenCard]], card_mm: float) -> list[Group]:
        """The physical cards in what each camera sees; `card_mm` is a card's long side."""
        groups: list[Group] = []
        for cards in seen:
            groups = self._joined(groups, list(cards), card_mm)
        self._together = {
            frozenset((one.track, other.track)) for group in groups for one, other in combinations(group, 2)
        }
        return groups

    def _joined(self, groups: list[Group], cards: list[SeenCard], card_mm: float) -> list[Group]:
        """The same groups with the cards of one more camera: what is read alike first, then the nearest."""
        near = list(_pairs(groups, cards))
        alike = (
            pair for pair in near if _is_read_alike(pair) and pair.is_within(BY_INDEX, SAME_CARD, card_mm)
        )
        here = (pair for pair in near if pair.is_within(0.0, SAME_CARD, card_mm))
        before = (pair for pair in near if self._were_one(pair) and pair.apart_mm < KEPT_TOGETHER * card_mm)
        left_over = (pair for pair in near if pair.is_within(BY_INDEX, 0.0, card_mm))
        joined: dict[Group, SeenCard] = {}
        left = dict.fromkeys(cards)
        for pairs in (alike, here, before, left_over):
            for _, group, card, _ in sorted(pairs, key=lambda pair: (not pair.placed, pair.apart_mm)):
                if group not in joined and card in left:
                    joined[group] = card
                    del left[card]
        whole = [(*group, joined[group]) if group in joined else group for group in groups]
        return [*whole, *((card,) for card in left)]

    def _were_one(self, pair: "Pair") -> bool:
        return any(frozenset((one.track, pair.card.track)) in self._together for one in pair.group)


class Pair(NamedTuple):
    """A group and a card of another camera that may belong to it.

    `placed`: both have corners. Of a card without them only its index has a place.
    """

    apart_mm: float
    group: Group
    card: SeenCard
    placed: bool

    def is_within(self, index: float, middle: float, card_mm: float) -> bool:
        """Whether they lie so near to each other, in card lengths: by an index in one box, or by middles."""
        same_box = any(one.card.box == self.card.card.box for one in self.group)
        return self.apart_mm < (middle if self.placed else index * same_box) * card_mm


def _pairs(groups: list[Group], cards: list[SeenCard]) -> Iterator[Pair]:
    """Every group with every card."""
    for group in groups:
        with_corners = [one.card for one in group if one.card.turn_deg is not None]
        for card in cards:
            apart = min(apart_mm(one, card.card) for one in with_corners or [one.card for one in group])
            yield Pair(apart, group, card, bool(with_corners) and card.card.turn_deg is not None)


def _is_read_alike(pair: Pair) -> bool:
    """Whether one of the group's cameras is as certain of the same card."""
    seen = pair.card.card
    known = seen.certain and seen.card is not None
    return known and any(one.card.certain and may_be_one(one.card.card, seen.card) for one in pair.group)
