"""What a house decides about its screens: chips, addresses, who may sign in."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from controller.config.model import TableConfig

STATIC = Path(__file__).parent / "static"
"""The built front end; absent in a checkout until the front end has been built."""


PLAIN = ("#5d6b78", "#ffffff")


class ChipKind(NamedTuple):
    """A kind of chip: value in minor units, its colour and the colour of what is printed on it."""

    value_minor: int
    face: str
    ink: str


CHIPS = (
    ChipKind(50, "#9aa7b1", "#12161a"),
    ChipKind(100, "#e8e4da", "#12161a"),
    ChipKind(250, "#d98cb3", "#12161a"),
    ChipKind(500, "#c8553d", "#ffffff"),
    ChipKind(2500, "#3f9b6c", "#ffffff"),
    ChipKind(10000, "#23272d", "#f3efe6"),
    ChipKind(50000, "#7a5bb5", "#ffffff"),
)
"""Chips of a house that says nothing else, smallest first."""


def chip_kinds(values_minor: Iterable[int]) -> tuple[ChipKind, ...]:
    """The kinds of chips of these values, smallest first, in the usual colours."""
    colours = {chip.value_minor: (chip.face, chip.ink) for chip in CHIPS}
    return tuple(ChipKind(value, *colours.get(value, PLAIN)) for value in sorted(set(values_minor)))


class WebSettings(BaseModel):
    """Settings of the screens. `pins` are argon2 hashes by person; empty means that a name is enough.

    `hosts` are the names under which this server may be addressed, beside its numbers; `rail` is how
    many kinds of chips the dealer gets to tap.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    chips: tuple[ChipKind, ...] = CHIPS
    rail: int = 5
    hosts: tuple[str, ...] = ("localhost",)
    pins: dict[str, str] = {}
    static: Path = STATIC
    heartbeat_ms: int = 1000


def web_settings(config: TableConfig) -> WebSettings:
    """Give the screens the house's chips, names and PINs."""
    chips = chip_kinds(config.table.chips_minor) or CHIPS
    hosts = (*WebSettings().hosts, config.web.host, *config.web.names)
    return WebSettings(chips=chips, hosts=hosts, pins=config.web.pins)
