"""Keep hidden cards at their place in the order of their hand."""

from vision.reading import ReadCard
from vision.sequence.followed_cards import FollowedCard

FollowedRead = tuple[FollowedCard, ReadCard]
"""A followed card and how it is reported."""


class HandMemory:
    """The hands of the picture before, each from its lowest card."""

    def __init__(self) -> None:
        """Begin without any."""
        self._hands: list[list[int]] = []

    def ordered(self, shown: list[FollowedRead], hidden: list[FollowedRead]) -> list[FollowedRead]:
        """All cards by hand, each hand from its lowest card; `shown` are in such an order already."""
        hands: dict[int, list[FollowedRead]] = {}
        for reported in shown:
            hands.setdefault(reported[1].hand, []).append(reported)
        for reported in sorted(hidden, key=lambda one: self._rank_before(one[0].number)):
            self._insert(hands, reported)
        self._hands = [[known.number for known, _ in cards] for cards in hands.values()]
        return [
            (known, card._replace(hand=number)) for number, cards in hands.items() for known, card in cards
        ]

    def _before(self, number: int) -> list[int]:
        return next((hand for hand in self._hands if number in hand), [number])

    def _rank_before(self, number: int) -> int:
        return self._before(number).index(number)

    def _insert(self, hands: dict[int, list[FollowedRead]], reported: FollowedRead) -> None:
        """Put a card behind the last one of its hand that lay below it."""
        old = self._before(reported[0].number)
        below = set(old[: old.index(reported[0].number)])
        for cards in hands.values():
            mates = [place for place, (known, _) in enumerate(cards) if known.number in old]
            if mates:
                lower = [place for place in mates if cards[place][0].number in below]
                cards.insert(lower[-1] + 1 if lower else mates[0], reported)
                return
        hands[max(hands, default=0) + 1] = [reported]
