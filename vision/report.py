"""A reading as the JSON object of the feed format, section 4."""

from typing import Any

from vision.reading import Place, ReadCard, Reading


def _place(place: Place) -> list[float]:
    return [round(place[0], 1), round(place[1], 1)]


def _card(card: ReadCard) -> dict[str, Any]:
    return {
        "rank": card.rank,
        "suit": card.suit,
        "p": round(card.p, 4),
        "at": _place(card.at),
        "quad": None if card.quad is None else [_place(corner) for corner in card.quad],
        "face": card.face,
        "hand": card.hand,
    }


def reading_object(file: str, width: int, height: int, reading: Reading) -> dict[str, Any]:
    """One picture's object; cards by hand, each hand from the lowest card."""
    return {
        "file": file,
        "width": width,
        "height": height,
        "ms": round(reading.ms, 1),
        "cards": [_card(card) for card in reading.cards],
        "unclear": [{"at": _place(spot.at), "reason": spot.reason} for spot in reading.unclear],
    }
