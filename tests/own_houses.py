"""Houses for tests: a house that is not shipped, and the houses in which a card is dealt face down."""

from pathlib import Path
from typing import Final

from controller.rules import HOUSES, load_rules

H17: Final = str(Path(__file__).with_name("h17_house.toml"))
"""The dealer hits a soft 17, and a double after a split is on 9 to 11, as every other one is."""

ALL_HOUSES: Final = (*HOUSES, H17)

HOLE_CARD_HOUSES: Final = tuple(
    house for house in HOUSES if load_rules(house, {}, Path()).hole_card != "none"
)
"""The houses in which a card is dealt face down."""


def house_name(house: str) -> str:
    """What a test of a house is called."""
    return Path(house).stem
