"""A reading as the JSON object of the feed format, section 4. Imports `reading`."""

from typing import Any

from vision.reading import PointPx, ReadCard, Reading


def _rounded(point: PointPx) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _card_object(card: ReadCard) -> dict[str, Any]:
    """`track` is reported in sequences only."""
    track = {} if card.track is None else {"track": card.track}
    return {
        "rank": card.rank,
        "suit": card.suit,
        "p": round(card.p, 4),
        "at": _rounded(card.at),
        "quad": None if card.quad is None else [_rounded(corner) for corner in card.quad],
        "face": card.face,
        "hand": card.hand,
        **track,
    }


def reading_object(file: str, width: int, height: int, reading: Reading) -> dict[str, Any]:
    """Return one picture's object: file, size in pixels, method, its cards by hand, unclear spots."""
    return {
        "file": file,
        "width": width,
        "height": height,
        "ms": round(reading.ms, 1),
        "steps": list(reading.steps),
        "cards": [_card_object(card) for card in reading.cards],
        "unclear": [{"at": _rounded(spot.at), "reason": spot.reason} for spot in reading.unclear],
    }
