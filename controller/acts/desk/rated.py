"""`rating` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "rating", {Act.RATING: PIT_ALONE}, unnamed="pit", in_count=True, timeless=True, beside_the_round=True
)
class Rated(NamedTuple):
    """A guest was rated under this pseudonym. Earlier versions wrote it; it is ignored."""

    box: int
    seat: int = 0
    guest: str | None = None
    by: str | None = None
