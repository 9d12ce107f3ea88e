"""`rest_card` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act
from controller.domain.cards import Rank, Suit


@Declared(
    "rest_card",
    {Act.REST_CARD: PIT_ALONE},
    unnamed="pit",
    in_count=True,
    written_unset="rank",
    beside_the_round=True,
)
class RestCard(NamedTuple):
    """A card of the shoe's rest has run through the reader; without a rank or a suit it was not read.

    `out`: it was read twice or is none of the shoe's, and is taken out of the count again.
    """

    rank: Rank | None
    suit: Suit | None = None
    out: bool | None = None
