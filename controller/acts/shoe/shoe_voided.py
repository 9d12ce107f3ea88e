"""`shoe_void` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act


@Declared(
    "shoe_void",
    {Act.RULING: PIT_ALONE},
    unnamed="pit",
    second="shoe_void",
    in_count=True,
    way="shoe_void",
    about="cards of the shoe",
)
class ShoeVoided(NamedTuple):
    """Nothing more is dealt from this shoe; a fresh one is due."""

    by: str
    reason: str
    second: str | None = None
