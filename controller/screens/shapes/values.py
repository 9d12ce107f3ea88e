"""What views are made of: words with their parameters, amounts, and cards."""

from typing import Literal

from pydantic import Field

from controller.screens.shapes.base import ViewModel


class Money(ViewModel):
    """An amount as a decimal string such as "22.50"; the screen writes it in the house's way."""

    money: str


class ChipStack(ViewModel):
    """Chips for a text, largest first, as (value, count); the screen writes how many of each."""

    chips: tuple[tuple[str, int], ...]


class Word(ViewModel):
    """A word inside a text, by its own key in the catalogues, in the reader's language."""

    word: str
    params: dict[str, int] = Field(default_factory=dict)


class Words(ViewModel):
    """A text by its key in the catalogues, with what fills its holes."""

    code: str
    params: dict[str, int | str | Money | ChipStack | Word] = Field(default_factory=dict)


class HiddenCard(ViewModel):
    """A card that lies face down: whatever anybody has read of it is not here."""

    hidden: Literal[True] = True


class OpenCard(ViewModel):
    """An open card. `card` is its number in the round (for corrections); no rank = nobody has read it."""

    card: int
    rank: str | None
    suit: str | None
    across: bool = False
