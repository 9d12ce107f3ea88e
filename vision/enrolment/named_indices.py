"""Cards that a person named in pictures of a deck, and their indices."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

import cv2
import numpy as np

from controller.domain import ConfigError
from controller.validation import read_json_lines
from vision.geometry import IndexPlace, IndexPoses, Points, inside_each, to_rectangle
from vision.indices import Index
from vision.reading import RANKS, SUITS, CardName


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
            # Parse one line; raises ValueError, TypeError or KeyError for an invalid one.
            file, cards = str(line["file"]), [_known(card) for card in line["cards"]]
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


_NAMING_CORNER: Final = 0.42
"""An index stands in this share of the card's width and height, from its corner.

Source: no measurement on record.
"""

_NAMING_UPRIGHT: Final = 0.9
"""Least cosine between its direction and its card's. Source: no measurement on record."""


class KnownIndex(NamedTuple):
    """The pose of an index (as in `Index`), and the numbers of its printed rank and suit."""

    centre: Points
    down: Points
    index_px: float
    rank: int
    suit: int


def poses_of_known(indices: Sequence[KnownIndex]) -> IndexPoses:
    """The poses of n indices as columns."""
    centres, downs = (np.array([one[slot] for one in indices]).reshape(-1, 2) for slot in (0, 1))
    return IndexPoses(centres, downs, np.array([one.index_px for one in indices]))


def _named(index: Index, name: CardName) -> KnownIndex:
    return _at(index.centre, index.down, index.index_px, name)


def _at(centre: Points, down: Points, index_px: float, name: CardName) -> KnownIndex:
    return KnownIndex(centre, down, index_px, RANKS.index(name.rank), SUITS.index(name.suit))


def by_labels(indices: Sequence[Index], cards: Sequence[KnownCard]) -> list[KnownIndex]:
    """The indices of labelled cards: in the corners of their outlines, or where a person says."""
    found = []
    for card in cards:
        if card.at is not None and indices:
            nearest = min(indices, key=lambda index: float(np.hypot(*(index.centre - card.at))))
            # Search area for a card's index. Source: no measurement on record.
            # 0.6: it is no further from where a person says its centre is than so many of its heights.
            if np.hypot(*(nearest.centre - card.at)) < 0.6 * nearest.index_px:
                found.append(_named(nearest, card.name))
    return [*_in_corners(indices, cards), *found]


class _Place(NamedTuple):
    """An index's position on a card: shares of width and height from the corner, and the card's number."""

    seen: Index
    card: int
    across: float
    along: float


def _places_on(indices: Sequence[Index], quads: Sequence[Points], slot: int, card: int) -> list[_Place]:
    """The indices in the upper left corner of a card, or in the lower right one where it lies on no other."""
    quad = quads[slot]
    matrix = to_rectangle(quad, 1, 1)
    centres = np.array([index.centre for index in indices]).reshape(-1, 1, 2)
    shares = cv2.perspectiveTransform(centres, matrix).reshape(-1, 2)
    down = (quad[3] - quad[0]) / np.hypot(*(quad[3] - quad[0]))
    found = []
    lying = inside_each(centres.reshape(-1, 2), np.array(quads)).sum(1)
    for index, share, alone in zip(indices, shares, lying == 1, strict=True):
        cosine = float(index.down @ down)
        across, along = (share if cosine >= 0 else 1 - share).tolist()
        inside = 0 < across < _NAMING_CORNER and 0 < along < _NAMING_CORNER
        if inside and (cosine > _NAMING_UPRIGHT or (alone and cosine < -_NAMING_UPRIGHT)):
            found.append(_Place(index, card, across, along))
    return found


def _in_corners(indices: Sequence[Index], cards: Sequence[KnownCard]) -> list[KnownIndex]:
    """Match indices by the deck's usual position, which is learnt from those nearest to a corner.

    Where enough were found, the others are taken at that position of their cards, whatever they print: a
    profile made of anything else does not name held-out cards.
    """
    outlined = [(number, card.quad) for number, card in enumerate(cards) if card.quad is not None]
    quads = [quad for _, quad in outlined]
    places = [
        _places_on(indices, quads, slot, number) for slot, (number, _) in enumerate(outlined) if indices
    ]
    nearest = [min(some, key=lambda place: place.across + place.along) for some in places if some]
    if not nearest:
        return []
    usual = tuple(np.median([(place.across, place.along) for place in nearest], axis=0).tolist())
    best: dict[int, tuple[float, _Place]] = {}
    for place in (place for some in places for place in some):
        off = float(np.hypot(*(np.array([place.across, place.along]) - usual)))
        # 0.07: it is no further from the usual place of its deck than this share of the card's height.
        if off < 0.07 and off < best.get(id(place.seen), (np.inf, place))[0]:
            best[id(place.seen)] = (off, place)
    found = [_named(place.seen, cards[place.card].name) for _, place in best.values()]
    upper = {place.card: place.seen for _, place in best.values() if _faces(place.seen, cards[place.card])}
    # 0.2: where so large a share of the outlined cards shows its index in one place, all have it there.
    # Source: of twelve drawn decks with large indices, framed courts or pips beside the ranks 12 to 52
    # cards of 52 were found in a picture.
    if len(upper) < 0.2 * len(outlined):
        return found
    tall = float(np.median([seen.index_px / _height_px(cards[card]) for card, seen in upper.items()]))
    rest = [card for number, card in enumerate(cards) if card.quad is not None and number not in upper]
    outlines = np.array([card.quad for card in rest]).reshape(-1, 4, 2)
    poses = zip(*IndexPlace(usual[0], usual[1], tall).on(outlines), rest, strict=True)
    return [*found, *(_at(centre, down, px, card.name) for centre, down, px, card in poses)]


def _faces(index: Index, card: KnownCard) -> bool:
    """Whether an index is the one at the upper end of its outlined card."""
    assert card.quad is not None
    return float(index.down @ (card.quad[3] - card.quad[0])) > 0


def _height_px(card: KnownCard) -> float:
    assert card.quad is not None
    return float(np.hypot(*(card.quad[3] - card.quad[0])))


def place_on_cards(pictures: Iterable[tuple[Sequence[KnownIndex], Sequence[KnownCard]]]) -> IndexPlace | None:
    """Return the position of the upper indices on outlined cards; None without outlined cards."""
    places = [
        (*share.tolist(), index.index_px / _height_px(card))
        for indices, cards in pictures
        for index in indices
        for card in cards
        if card.quad is not None and card.name == (RANKS[index.rank], SUITS[index.suit])
        if ((share := _share_of(index.centre, card.quad)) > 0).all() and (share < _NAMING_CORNER).all()
    ]
    return IndexPlace(*np.median(places, axis=0).tolist()) if places else None


def _share_of(at: Points, quad: Points) -> Points:
    """Return a place on a card as shares of its width and height."""
    return np.linalg.solve(np.stack([quad[1] - quad[0], quad[3] - quad[0]], 1), at - quad[0])


def by_order(indices: Sequence[Index], order: Sequence[CardName]) -> list[KnownIndex]:
    """The indices of a deck that is spread in rows, in this order, each row from left to right.

    Indices that are read as the order says, one after the other, are certain; as many indices as cards
    between two of these have the names that stand between them.
    """
    spread = _in_rows(indices)
    anchors = [(-1, -1), *_longest_match(spread, order), (len(spread), len(order))]
    found = []
    for (index, card), (next_index, next_card) in pairwise(anchors):
        if index >= 0:
            found.append(_named(spread[index], order[card]))
        if next_index - index == next_card - card:
            found += [_named(spread[index + k], order[card + k]) for k in range(1, next_index - index)]
    return found


def _in_rows(indices: Sequence[Index]) -> list[Index]:
    """Indices that face the usual way, row by row, each from left to right as they are read."""
    if not indices:
        return []
    downs = np.array([index.down for index in indices])
    alike = downs @ downs.T > _NAMING_UPRIGHT
    shown = [index for index, same in zip(indices, alike[alike.sum(1).argmax()], strict=True) if same]
    down = np.mean([index.down for index in shown], axis=0)
    right = np.array([down[1], -down[0]])
    ranked = sorted(shown, key=lambda index: float(index.centre @ down))
    rows: list[list[Index]] = []
    for index in ranked:
        # 1.0: indices of one row of a spread deck differ by less than so many heights, from one to the next.
        gap = 1.0 * index.index_px
        if rows and float(index.centre @ down) - float(rows[-1][-1].centre @ down) < gap:
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda one: float(one.centre @ right))]


def _longest_match(spread: Sequence[Index], order: Sequence[CardName]) -> list[tuple[int, int]]:
    """Numbers of indices and of cards of the same name, as many as go in one order."""
    names = [(RANKS[index.rank], SUITS[index.suit]) for index in spread]
    lengths = np.zeros((len(names) + 1, len(order) + 1), int)
    for i in reversed(range(len(names))):
        for j in reversed(range(len(order))):
            same = lengths[i + 1, j + 1] + 1 if names[i] == tuple(order[j]) else 0
            lengths[i, j] = max(same, lengths[i + 1, j], lengths[i, j + 1])
    found, i, j = [], 0, 0
    while i < len(names) and j < len(order):
        if names[i] == tuple(order[j]) and lengths[i, j] == lengths[i + 1, j + 1] + 1:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1, j] >= lengths[i, j + 1]:
            i += 1
        else:
            j += 1
    return found
