"""`shoe_end` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, UNHELD, Act, Row
from controller.domain.cards import Card


@Declared("shoe_end", {Act.SHOE_END: Row(UNHELD, ANSWERS)}, in_count=True)
class ShoeEnded(NamedTuple):
    """The shoe is dealt out; `cards` are those of its rest, where that was run through."""

    cards: tuple[Card, ...] | None = None
