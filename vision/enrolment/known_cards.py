"""What a person says of pictures of a deck: labels of its cards, or the order in which they are spread."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from controller.domain.errors import ConfigError
from controller.validation.strict_json import read_json_lines
from vision.geometry import Points
from vision.labels import RANKS, SUITS
from vision.reading import CardName


class KnownCard(NamedTuple):
    """A card whose name is known; `quad` (4 x 2) as `Quad`, or the centre of one of its indices, `at` (2)."""

    name: CardName
    quad: Points | None
    at: Points | None


def card_name(word: str) -> CardName | None:
    """A card as in "10s" or "As"; None for any other word."""
    rank, suit = word[:-1].upper(), word[-1:].lower()
    return CardName(rank, suit) if rank in RANKS and suit in SUITS else None


def parse_order(text: str) -> list[CardName]:
    """The cards of "As 2s … Kd". Raises ConfigError ENROL_ORDER_WRONG with the first word that names none."""
    names = [(word, card_name(word)) for word in text.split()]
    wrong = next((word for word, name in names if name is None), "" if not names else None)
    if wrong is not None:
        raise ConfigError("ENROL_ORDER_WRONG", word=wrong)
    return [name for _, name in names if name is not None]


def load_labels(path: Path) -> dict[str, list[KnownCard]]:
    """The labelled cards of each picture, by the file's name without its folder.

    Raises ConfigError ENROL_LABELS_MISSING, MalformedLine, or ENROL_LABELS_WRONG with the first bad line.
    """
    try:
        lines = list(read_json_lines(path))
    except OSError as error:
        raise ConfigError("ENROL_LABELS_MISSING", path=str(path)) from error
    labels: dict[str, list[KnownCard]] = {}
    for number, line in lines:
        try:
            file, cards = _labelled(line)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError("ENROL_LABELS_WRONG", path=str(path), line=number) from error
        labels.setdefault(Path(file).name, []).extend(cards)
    return labels


def _labelled(entry: dict[str, Any]) -> tuple[str, list[KnownCard]]:
    """One line; raises ValueError, TypeError or KeyError for anything that is none."""
    return str(entry["file"]), [_known(card) for card in entry["cards"]]


def _known(card: dict[str, Any]) -> KnownCard:
    name = card_name(f"{card['rank']}{card['suit']}")
    if name is None:
        raise ValueError(card)
    if card.get("quad") is not None:
        return KnownCard(name, _places(card["quad"], 4), None)
    return KnownCard(name, None, _places([card["at"]], 1)[0])


def _places(values: object, count: int) -> Points:
    places = np.array(values, np.float64)
    if places.shape != (count, 2) or not np.isfinite(places).all():
        raise ValueError(values)
    return places
