"""`reveal` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, Act, Row
from controller.domain.cards import Rank, Suit


@Declared("reveal", {Act.REVEAL: Row(ANSWERS, ANSWERS, ANSWERS)})
class Reveal(NamedTuple):
    """The face-down card is turned; rank and suit are needed where nobody has read it yet.

    `early`: it lies open while hands may still act, and the pit lets it stand; no hand stands by it.
    """

    rank: Rank | None = None
    suit: Suit | None = None
    early: bool | None = None
