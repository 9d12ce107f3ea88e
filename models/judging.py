"""Judging reads: single indices, and hands as a whole.

A hand is read exactly, flagged, or silently wrong.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from vision.certainty import SIZE_LIMITS
from vision.indices import Index
from vision.reading import RANKS, SUITS, PointPx, ReadCard, Reading
from vision.synth import DrawnCard

BoundingBox = tuple[float, float, float, float]
"""Left, top, right, foot in pixels."""

_SLACK = 0.04
"""What a place may lie outside of a box, as a share of the box's longer side."""


CardLabel = tuple[str | None, str | None]
"""Rank and suit, (DOWN, None) face down; of a known card None where nobody knows."""

DOWN: Final = "down"


class KnownHand(NamedTuple):
    """A hand from its lowest card, and where it lies."""

    cards: tuple[CardLabel, ...]
    box: BoundingBox


def within(place: PointPx, box: BoundingBox) -> bool:
    """Whether a place lies in a box or just beside it."""
    slack = _SLACK * max(box[2] - box[0], box[3] - box[1])
    return box[0] - slack <= place[0] <= box[2] + slack and box[1] - slack <= place[1] <= box[3] + slack


def label_of(card: ReadCard | DrawnCard) -> CardLabel:
    """What a card shows."""
    return (DOWN, None) if card.face == "down" else (card.rank, card.suit)


def fits_label(known: CardLabel, read: CardLabel) -> bool:
    """Whether a read confirms a label; an unknown part of either fits anything."""
    return known[0] in {None, read[0]} and (read[1] is None or known[1] in {None, read[1]})


def judge_hands(reading: Reading, hands: Sequence[KnownHand]) -> Counter[str]:
    """Count `hands` by their result.

    `exact`: cards and order. `flagged`: an unclear spot at its place. Otherwise silently `short` (cards are
    missing), `false` (a card that it does not have) or `order` (its cards, but split or out of order).
    """
    counts: Counter[str] = Counter(hands=len(hands))
    for hand in hands:
        counts[_word(reading, hand)] += 1
    return counts


def _word(reading: Reading, hand: KnownHand) -> str:
    here = [card for card in reading.cards if within(card.at, hand.box)]
    for group in {card.hand for card in here}:
        read = [label_of(card) for card in reading.cards if card.hand == group]
        if len(read) == len(hand.cards) and all(map(fits_label, hand.cards, read)):
            return "exact"
    if any(within(spot.at, hand.box) for spot in reading.unclear):
        return "flagged"
    left = list(hand.cards)
    for card in here:
        match = next((known for known in left if fits_label(known, label_of(card))), None)
        if match is None:
            return "false"
        left.remove(match)
    return "short" if left else "order"


def name_of(index: Index) -> str:
    """Rank and suit, as `10h`."""
    return f"{RANKS[index.rank]}{SUITS[index.suit]}"


def score_of(index: Index) -> float:
    """The probability by which an index is accepted; 0 where a test that knows no degrees refuses it."""
    fit = index.agreed and index.whole and index.index_px >= SIZE_LIMITS.index_px
    return index.p if fit else 0.0
