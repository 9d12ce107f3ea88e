"""`correct` of feed and journal."""

from typing import NamedTuple

from controller.acts.checks import card_is_named
from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, ANSWERS, PIT_ALONE, Act, Row
from controller.domain.cards import Rank, Suit


@Declared(
    "correct",
    {Act.RULING: PIT_ALONE, Act.NAME_RANK: Row(ANSWERS, ALWAYS)},
    unnamed="pit",
    written_unset="rank",
    check=card_is_named,
    way="correct",
    about="card",
)
class Correct(NamedTuple):
    """A card was in truth another one. `card` counts from 1 in the round, burned cards not counted.

    `rank` is None where nobody knows it any more: the card is unread until it is corrected again.
    """

    card: int | None
    id: str | None
    rank: Rank | None
    suit: Suit | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None
