"""A person's statement about pictures of a deck: labels of cards, or the order of a spread."""

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from controller.domain import ConfigError
from controller.validation import read_json_lines
from vision.geometry import Points
from vision.labels import RANKS, SUITS
from vision.reading import CardName


class KnownCard(NamedTuple):
    """A card of known name; `quad` (4 x 2) as `Quad`, or `at` (2), the centre of one of its indices."""

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
    """The labelled cards of each picture, by the file's name without its folder; `.xml` is CVAT's export.

    Raises ConfigError ENROL_LABELS_MISSING, MalformedLine, ENROL_LABELS_WRONG with the first bad line, or
    ENROL_CVAT_WRONG with the first bad picture.
    """
    if path.suffix == ".xml":
        return _load_cvat(path)
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


def _load_cvat(path: Path) -> dict[str, list[KnownCard]]:
    """Labels in the format "CVAT for images 1.1": a polygon of four points, or one point, for each card."""
    try:
        images = ElementTree.parse(path).getroot().findall("image")
    except OSError as error:
        raise ConfigError("ENROL_LABELS_MISSING", path=str(path)) from error
    except ElementTree.ParseError as error:
        raise ConfigError("ENROL_CVAT_WRONG", path=str(path), file="-") from error
    labels: dict[str, list[KnownCard]] = {}
    for image in images:
        file = image.get("name", "-")
        try:
            cards = [_known(_of_cvat(shape)) for shape in image]
        except (ValueError, KeyError) as error:
            raise ConfigError("ENROL_CVAT_WRONG", path=str(path), file=file) from error
        labels.setdefault(Path(file).name, []).extend(cards)
    return labels


def _of_cvat(shape: ElementTree.Element) -> dict[str, Any]:
    """A shape as a line of labels has it; its corners clockwise from the first, as `Quad` requires."""
    name = shape.attrib["label"]
    places = [[float(number) for number in point.split(",")] for point in shape.attrib["points"].split(";")]
    card = {"rank": name[:-1], "suit": name[-1:]}
    if shape.tag != "polygon":
        (place,) = places
        return {**card, "at": place}
    turned = zip(places, places[1:] + places[:1], strict=True)
    if sum(ax * by - bx * ay for (ax, ay), (bx, by) in turned) < 0:
        places[1:] = places[:0:-1]
    return {**card, "quad": places}


def _labelled(entry: dict[str, Any]) -> tuple[str, list[KnownCard]]:
    """Parse one line; raises ValueError, TypeError or KeyError for an invalid one."""
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
