"""`rating` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "rating", {Act.RATING: PIT_ALONE}, unnamed="pit", in_count=True, timeless=True, beside_the_round=True
)
class Rated(NamedTuple):
    """Who bets at a place is rated under this pseudonym from the round that is open on; None: no longer.

    It changes nothing. Who that is stands in no journal (`controller.people.guests`).
    """

    box: int
    seat: int = 0
    guest: str | None = None
    by: str | None = None
