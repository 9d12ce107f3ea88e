"""What the labels of a picture and the reader say of it, where they differ."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from controller.studio.labelling.label_file import LabelCard
from vision.geometry import inside
from vision.reading import PointPx, ReadCard, may_be_one_card

SLACK = 0.06
"""An index may lie a little outside what a person drew: a share of the outline's half size.

Source: no measurement on record.
"""

Kind = Literal["other", "unlabelled", "unread"]


class Disagreement(NamedTuple):
    """`other`: the reader names a labelled card otherwise; `unlabelled`: one that nobody has labelled.

    `unread`: a label that the reader reads nothing of, which is no error. Names are such as "10h", "" where
    there is none, without a suit where it is not known.
    """

    kind: Kind
    label: str
    read: str


class Compared(NamedTuple):
    """The disagreements, the worst first, and the reader's cards that nobody has labelled."""

    found: tuple[Disagreement, ...]
    unlabelled: tuple[ReadCard, ...]


def compare(labels: Sequence[LabelCard], read: Sequence[ReadCard]) -> Compared:
    """Hold the reader's certain cards that lie face up against the labels of their places."""
    left = list(labels)
    known = [card for card in read if card.face == "up"]
    open_cards: list[ReadCard] = []
    for card in known:
        fitting = [one for one in left if _lies_in(card.at, one) and _fits(card, one)]
        if fitting:
            left.remove(fitting[0])
        else:
            open_cards.append(card)
    found: list[Disagreement] = []
    unlabelled: list[ReadCard] = []
    for card in open_cards:
        here = next((one for one in left if one.outline is not None and _lies_in(card.at, one)), None)
        if here is not None:
            left.remove(here)
            found.append(Disagreement("other", name_of(here.rank, here.suit), name_of(card.rank, card.suit)))
        elif not any(one.outline is not None and _lies_in(card.at, one) for one in labels):
            unlabelled.append(card)
            found.append(Disagreement("unlabelled", "", name_of(card.rank, card.suit)))
    found += [Disagreement("unread", name_of(one.rank, one.suit), "") for one in left]
    return Compared(tuple(sorted(found, key=lambda one: _ORDER.index(one.kind))), tuple(unlabelled))


_ORDER: tuple[Kind, ...] = ("other", "unlabelled", "unread")


def name_of(rank: str | None, suit: str | None) -> str:
    """A card as in "10h"; "?" for a rank that is not known, nothing for such a suit."""
    return f"{rank or '?'}{suit or ''}"


def _fits(card: ReadCard, label: LabelCard) -> bool:
    return label.rank is None or may_be_one_card((card.rank, card.suit), (label.rank, label.suit))


def _lies_in(at: PointPx, label: LabelCard) -> bool:
    """Whether an index lies on a labelled card; one without an outline may lie anywhere."""
    if label.outline is None:
        return True
    return inside(np.array(at, np.float64), np.array(label.outline, np.float64), SLACK)
