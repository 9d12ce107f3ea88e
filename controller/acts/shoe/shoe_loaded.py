"""`shoe` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, UNHELD, Act, Row


@Declared("shoe", {Act.SHOE: Row(UNHELD, ANSWERS)}, way="shoe", about="shoe")
class ShoeLoaded(NamedTuple):
    """A fresh, shuffled shoe is in place; `cards` is the count where it differs from 52 x `decks`.

    `set` names the packs in it, where a house has several sets of them; None is the set "A".
    """

    decks: int
    cards: int | None = None
    set: str | None = None
