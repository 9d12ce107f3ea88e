"""What the page of labels gets and sends; the page's types are made from it."""

from typing import Annotated, Literal

from pydantic import Field

from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Words
from controller.studio.bodies import ValueModel
from controller.studio.labelling.compare import Kind
from controller.studio.labelling.label_file import Coordinate, Rank, Suit

State = Literal["differs", "open", "agrees", "waits", "unreadable"]
"""Label and reader disagree; nobody has labelled it; they agree; it is still to be read; it cannot be."""

Corners = Annotated[list[Coordinate], Field(min_length=8, max_length=8)]
"""x and y of four corners, one after the other."""


class PictureRowView(ViewModel):
    """A picture of the list: how many cards are labelled, how many of them or beside them disagree."""

    number: int
    name: str
    state: State
    labelled: int
    disagree: int


class LabelFolderView(ViewModel):
    """The pictures, those that are worth a look first; `left` are still to be read."""

    pictures: tuple[PictureRowView, ...]
    left: int


class LabelCardView(ViewModel):
    """A labelled card, "" for what is not known; `corners` are eight numbers, none without an outline."""

    rank: str
    suit: str
    corners: tuple[float, ...]


class ReadCardView(ViewModel):
    """A card that the reader is certain of; `is_new`: no label is there."""

    rank: str
    suit: str
    percent: float
    corners: tuple[float, ...]
    is_new: bool


class UnclearView(ViewModel):
    """A place where the reader sees something and is not certain."""

    x: float
    y: float
    reason: str


class DisagreementView(ViewModel):
    """See `compare.Disagreement`."""

    kind: Kind
    label: str
    read: str


class LabelPictureView(ViewModel):
    """A picture with its labels and what the reader says; `stamp` is that of the labels, "" for none.

    Sizes are pixels, 0 while it waits to be read; `why` says why it cannot be.
    """

    number: int
    name: str
    state: State
    stamp: str
    width: int = 0
    height: int = 0
    cards: tuple[LabelCardView, ...] = ()
    read: tuple[ReadCardView, ...] = ()
    unclear: tuple[UnclearView, ...] = ()
    disagreements: tuple[DisagreementView, ...] = ()
    why: Words | None = None


class LabelCardBody(ValueModel):
    """A card as it is to be labelled; `kept`: its place among the labels so far, None for a new one."""

    rank: Rank
    suit: Suit | None
    corners: Corners | None
    kept: int | None


class LabelBody(ValueModel):
    """All cards of a picture; `stamp` is that of the labels that the page was shown."""

    stamp: str
    cards: list[LabelCardBody]
