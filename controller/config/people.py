"""Sections of the people: where they are kept, how long a session lasts, and what takes two of them."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from controller.config.section import Section
from controller.policy import SecondPerson


class PeopleSection(Section):
    """Who may sign in is in `file`, people.json in the journal's folder when left out.

    `card_prefix` is the first character that a staff card's reader types, such as ";" for a magnetic stripe;
    without it the page takes no cards. `publish` is a file that is written, signed with the table's key, at
    each change of the people: other tables have it as their `source`, with that key's public half (64 digits,
    or a file with it) as `source_key`.
    """

    file: Path | None = None
    publish: Path | None = None
    source: Path | None = None
    source_key: str = ""
    dealer_idle_minutes: int = Field(default=60, ge=1, le=720)
    """A dealer who touches nothing for so long is signed out."""
    idle_seconds: int = Field(default=120, ge=20, le=3600)
    """So is everybody else."""
    longest_hours: int = Field(default=12, ge=1, le=24)
    """No session is longer, whatever is done in it."""
    card_prefix: str = Field(default="", pattern=r"^[!-/:-@\[-`{-~]?$")

    @model_validator(mode="after")
    def _one_place(self) -> "PeopleSection":
        if (self.source is None) != (self.source_key == ""):
            raise ValueError("source and source_key go together: whose lists count")
        if self.source is not None and self.publish is not None:
            raise ValueError("a table either publishes its people or has them from a source")
        return self


class SecondPersonSection(Section):
    """Acts of the pit that take two people; the defaults are careful, a house may leave more to one.

    `over_minor` is in minor units: a payout or stake that is put right by more takes two; false means never.
    """

    void_round: bool = True
    ended_round: bool = True
    shoe_void: bool = True
    limits: bool = True
    fill: bool = True
    credit: bool = True
    float_count: bool = True
    over_minor: Literal[False] | Annotated[int, Field(ge=0)] = 50_000

    @property
    def settled(self) -> SecondPerson:
        """The list as the table's policy reads it."""
        over = None if self.over_minor is False else self.over_minor
        return SecondPerson(**{**self.model_dump(), "over_minor": over})


BY_ONE: Final = SecondPersonSection(
    void_round=False,
    ended_round=False,
    shoe_void=False,
    limits=False,
    fill=False,
    credit=False,
    float_count=False,
    over_minor=False,
)
"""A table at which one person is enough for everything: the demo's."""
