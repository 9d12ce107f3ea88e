"""A house that is none of the shipped ones: what is built on the five has to hold for it as well."""

from pathlib import Path
from typing import Final

from controller.rules import HOUSES

H17: Final = str(Path(__file__).with_name("h17_house.toml"))
"""The dealer hits a soft 17, and a double after a split is on 9 to 11, as every other one is."""

ALL_HOUSES: Final = (*HOUSES, H17)


def house_name(house: str) -> str:
    """What a test of a house is called."""
    return Path(house).stem
