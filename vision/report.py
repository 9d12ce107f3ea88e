"""A reading as the JSON object of the feed format, section 4. Imports `reading`."""

from collections.abc import Sequence
from typing import Any

from vision.reading import PointPx, ReadCard, Reading


def _rounded(point: PointPx) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _card_object(card: ReadCard) -> dict[str, Any]:
    return {
        "rank": card.rank,
        "suit": card.suit,
        "p": round(card.p, 4),
        "at": _rounded(card.at),
        "quad": None if card.quad is None else [_rounded(corner) for corner in card.quad],
        "face": card.face,
        "hand": card.hand,
    }


def reading_object(
    file: str, width: int, height: int, reading: Reading, tracks: Sequence[int] | None = None
) -> dict[str, Any]:
    """One picture's object: file, size in pixels, cards by hand from the lowest card, what is unclear.

    `tracks`: the number of each card that stays with it over the pictures of a sequence.
    """
    cards = [_card_object(card) for card in reading.cards]
    if tracks is not None:
        cards = [{**card, "track": track} for card, track in zip(cards, tracks, strict=True)]
    return {
        "file": file,
        "width": width,
        "height": height,
        "ms": round(reading.ms, 1),
        "cards": cards,
        "unclear": [{"at": _rounded(spot.at), "reason": spot.reason} for spot in reading.unclear],
    }
