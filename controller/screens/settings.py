"""What a house decides about its screens."""

from collections.abc import Iterable
from typing import Final, NamedTuple

PLAIN: Final = ("#5d6b78", "#ffffff")


class ChipKind(NamedTuple):
    """A kind of chip: value in minor units, its colour and the colour of what is printed on it."""

    value_minor: int
    face: str
    ink: str


CHIPS: Final = (
    ChipKind(50, "#9aa7b1", "#12161a"),
    ChipKind(100, "#e8e4da", "#12161a"),
    ChipKind(250, "#d98cb3", "#12161a"),
    ChipKind(500, "#c8553d", "#ffffff"),
    ChipKind(2500, "#3f9b6c", "#ffffff"),
    ChipKind(10000, "#23272d", "#f3efe6"),
    ChipKind(50000, "#7a5bb5", "#ffffff"),
)
"""Chips of a house that says nothing else, smallest first."""


class ScreenSettings(NamedTuple):
    """`chips` are the kinds in the tray, smallest first; `rail` is how many of them the dealer may tap.

    `sound_percent` is how loud the screens are, 0 is silent. `dealer_may_miss` are the witnesses without
    which the house lets a dealer go on. After `break_after_min` at the table a break is due, 0: never.
    """

    chips: tuple[ChipKind, ...] = CHIPS
    rail: int = 5
    sound_percent: int = 40
    dealer_may_miss: frozenset[str] = frozenset()
    break_after_min: int = 60


def chip_kinds(values_minor: Iterable[int]) -> tuple[ChipKind, ...]:
    """The kinds of chips of these values, smallest first, in the usual colours."""
    colours = {chip.value_minor: (chip.face, chip.ink) for chip in CHIPS}
    return tuple(ChipKind(value, *colours.get(value, PLAIN)) for value in sorted(set(values_minor)))


def screen_settings(
    chips_minor: Iterable[int],
    sound_percent: int = 40,
    dealer_may_miss: frozenset[str] = frozenset(),
    break_after_min: int = 60,
) -> ScreenSettings:
    """Give the screens the house's chips, by their values in minor units; the usual ones for ()."""
    kinds = chip_kinds(chips_minor) or CHIPS
    return ScreenSettings(
        kinds,
        sound_percent=sound_percent,
        dealer_may_miss=dealer_may_miss,
        break_after_min=break_after_min,
    )
