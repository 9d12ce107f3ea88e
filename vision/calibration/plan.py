"""The plan of a table: where its boxes are on the felt, in millimetres, before any camera has seen it."""

from pathlib import Path
from typing import Annotated, Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from vision.calibration.layout import CardsPart, LayoutPart, PlaceMm, Zone, check_zones
from vision.calibration.layout_files import read_toml
from vision.geometry import Points

_DISC_CORNERS: Final = 16
"""Corners of the outline of a round zone: it lies within 2 % of the circle."""


class SheetPlace(LayoutPart):
    """The place of a calibration sheet: upper left corner of its pattern, turned clockwise."""

    name: Annotated[str, Field(pattern="^A[34]-[1-9]$")]
    at_mm: PlaceMm
    turn_deg: float = Field(default=0.0, ge=-360, le=360)


class ArtPlacement(LayoutPart):
    """The layout's own print as a picture: its width on the felt, and where its upper left corner lies."""

    width_mm: float = Field(ge=100, le=10_000)
    at_mm: PlaceMm = (0.0, 0.0)


class Plan(LayoutPart):
    """A whole plan file."""

    plan: Literal[1]
    cards: CardsPart = CardsPart()
    zone: Annotated[tuple[Zone, ...], Field(min_length=1, max_length=32)]
    sheet: Annotated[tuple[SheetPlace, ...], Field(max_length=16)] = ()
    art: ArtPlacement | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_zones(self.zone)
        if len({sheet.name for sheet in self.sheet}) < len(self.sheet):
            raise ValueError("a sheet has more than one place")
        return self


def load_plan(path: Path) -> Plan:
    """Read a plan file; raises as `read_toml` does."""
    return read_toml(path, Plan)


def disc(box: int, middle_mm: Points, radius_mm: float) -> Zone:
    """A round zone about a place; `box` 0 is the dealer's."""
    turns = np.linspace(0, 2 * np.pi, _DISC_CORNERS, endpoint=False)
    rim = np.round(middle_mm + radius_mm * np.column_stack([np.cos(turns), np.sin(turns)]), 1)
    outline = tuple((float(x), float(y)) for x, y in rim)
    if box == 0:
        return Zone(kind="dealer", outline_mm=outline)
    return Zone(kind="box", box=box, outline_mm=outline)
