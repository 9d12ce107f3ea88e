"""Which cards are certain: what their indices say, and whoever contradicts it."""

from typing import Final, NamedTuple

from vision.acceptance.certainty import certain_ones
from vision.acceptance.contradiction import contradicted
from vision.acceptance.size_outliers import odd_sized
from vision.assembly.card_joining import Card, join_indices
from vision.assembly.deck_geometry import Deck
from vision.classifier.index_reading import Index
from vision.geometry.arrays import Image

DOUBT: Final = 0.5
"""A second index at least this probable that says something else makes the card unclear."""


class Verdict(NamedTuple):
    """Cards split by certainty, and why the rest is not certain."""

    sure: list[Card]
    unclear: list[tuple[Card, str]]
    deck: Deck | None

    def doubting(self, numbers: set[int]) -> "Verdict":
        """The same, but these of the sure cards are unclear, because something contradicts them."""
        sure = [card for number, card in enumerate(self.sure) if number not in numbers]
        more = [(self.sure[number], "disagreement") for number in sorted(numbers)]
        return self._replace(sure=sure, unclear=[*self.unclear, *more])


def _certain_part(card: Card) -> Card | None:
    """The card with its surest certain index first; None when none of its indices is certain."""
    certain = certain_ones(card.indices)
    if not certain:
        return None
    best = max(certain, key=lambda index: index.p)
    surest = {id(index.centre): index for index in certain}
    rest = [surest.get(id(index.centre), index) for index in card.indices if index.centre is not best.centre]
    return card._replace(indices=(best, *rest), certain=len(certain))


def judge(indices: list[Index], image: Image | None = None) -> Verdict:
    """Which cards are certain; `image` as for `join_indices`."""
    cards, deck = join_indices(indices, image)
    doubted, odd = contradicted(cards, deck), odd_sized(cards, deck)
    sure: list[Card] = []
    unclear: list[tuple[Card, str]] = []
    for number, card in enumerate(cards):
        if number in doubted:
            unclear.append((card, "disagreement"))
        elif card.doubtful:
            unclear.append((card, "like_card"))
        elif number in odd:
            unclear.append((card, "uncertain"))
        elif (certain := _certain_part(card)) is not None:
            sure.append(certain)
        else:
            unclear.append((card, "uncertain"))
    return Verdict(sure, unclear, deck)
